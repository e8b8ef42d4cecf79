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

describe("a server that is bent", () => {
  const namesIn = async (asked: ApiServer) => {
    const request = { method: "GET", path: maps, query: [], headers: {}, body: noBody, prefers: "values" } as const;
    const { body } = await asked.transport(request, never);
    const { items } = (body.kind === "value" ? body.value : { items: [] }) as {
      items: { metadata: { name: string } }[];
    };
    return items.map(({ metadata }) => metadata.name);
  };

  test("is as new after a reset, and goes forward from there", async () => {
    const before = await ask("GET", "/api/v1/namespaces");
    await ask("POST", maps, { metadata: { name: "a" } });
    await ask("DELETE", "/api/v1/namespaces/kube-public");
    await server.reset();
    expect(await namesIn(server)).toEqual([]);
    const after = await ask("GET", "/api/v1/namespaces");
    const itemsOf = ({ object }: typeof after) => (object as { items: unknown }).items;
    const versionOf = ({ object }: typeof after) =>
      Number((object as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
    expect(itemsOf(after)).toEqual(itemsOf(before));
    expect(versionOf(after)).toBeGreaterThan(versionOf(before));
  });

  test("still says after a reset who vouches for its clients", async () => {
    await using _listening = await server.listen();
    const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    const before = await ask("GET", path);
    await server.reset();
    const after = await ask("GET", path);
    const dataOf = ({ object }: typeof after) => (object as { data: unknown }).data;
    expect([before.code, after.code]).toEqual([200, 200]);
    expect(dataOf(after)).toEqual(dataOf(before));
  });

  test("has a fork that holds the same, and goes its own way", async () => {
    const { object } = await ask("POST", maps, { metadata: { name: "a" } });
    await using fork = await server.fork();
    await ask("POST", maps, { metadata: { name: "b" } });
    await ask("DELETE", `${maps}/a`);
    expect(await namesIn(server)).toEqual(["b"]);
    expect(await namesIn(fork)).toEqual(["a"]);
    const request = {
      method: "GET",
      path: `${maps}/a`,
      query: [],
      headers: {},
      body: noBody,
      prefers: "values",
    } as const;
    const { body } = await fork.transport(request, never);
    expect(body).toMatchObject({ value: object });
  });
});
