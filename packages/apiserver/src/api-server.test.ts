import { type ApiRequest, noBody, type Query } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "./api-server.ts";

const never = new AbortController().signal;
let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

async function ask(method: string, path: string, value?: unknown, query: Query = [], headers = {}) {
  const body: ApiRequest["body"] = value === undefined ? noBody : { kind: "value", value };
  const response = await server.transport({ method, path, query, headers, body, prefers: "values" }, never);
  return { code: response.status, object: response.body.kind === "value" ? response.body.value : undefined };
}

const maps = "/api/v1/namespaces/default/configmaps";

describe("a fresh server", () => {
  test("has the namespaces of every cluster", async () => {
    const { object } = await ask("GET", "/api/v1/namespaces");
    const names = (object as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
    expect(names).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);
  });

  test("stores what it is given and hands it out again", async () => {
    const created = await ask("POST", maps, { metadata: { name: "a" }, data: { k: "v" } });
    expect(created).toMatchObject({
      code: 201,
      object: { kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } },
    });
    expect(await ask("GET", `${maps}/a`)).toEqual({ code: 200, object: created.object });
    expect(await ask("POST", maps, { metadata: { name: "a" } })).toMatchObject({
      code: 409,
      object: { reason: "AlreadyExists", message: 'configmaps "a" already exists' },
    });
  });
});
