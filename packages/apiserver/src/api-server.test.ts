import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ask, namesAt } from "./ask.fixture.ts";

let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const maps = "/api/v1/namespaces/default/configmaps";

describe("a fresh server", () => {
  test("has the namespaces of every cluster", async () => {
    expect(await namesAt(server, "/api/v1/namespaces")).toEqual([
      "default",
      "kube-node-lease",
      "kube-public",
      "kube-system",
    ]);
  });

  test("stores what it is given and hands it out again", async () => {
    const created = await ask(server, maps, { method: "POST", value: { metadata: { name: "a" }, data: { k: "v" } } });
    expect(created).toMatchObject({
      code: 201,
      object: { kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } },
    });
    expect(await ask(server, `${maps}/a`)).toEqual({ code: 200, object: created.object });
    expect(await ask(server, maps, { method: "POST", value: { metadata: { name: "a" } } })).toMatchObject({
      code: 409,
      object: { reason: "AlreadyExists", message: 'configmaps "a" already exists' },
    });
  });
});

describe("a server that is bent", () => {
  test("is as new after a reset, and goes forward from there", async () => {
    const before = await ask(server, "/api/v1/namespaces");
    await ask(server, maps, { method: "POST", value: { metadata: { name: "a" } } });
    await ask(server, "/api/v1/namespaces/kube-public", { method: "DELETE" });
    await server.reset();
    expect(await namesAt(server, maps)).toEqual([]);
    const after = await ask(server, "/api/v1/namespaces");
    const itemsOf = ({ object }: typeof after) => (object as { items: unknown }).items;
    const versionOf = ({ object }: typeof after) =>
      Number((object as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
    expect(itemsOf(after)).toEqual(itemsOf(before));
    expect(versionOf(after)).toBeGreaterThan(versionOf(before));
  });

  test("still says after a reset who vouches for its clients", async () => {
    await using _listening = await server.listen();
    const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    const before = await ask(server, path);
    await server.reset();
    const after = await ask(server, path);
    const dataOf = ({ object }: typeof after) => (object as { data: unknown }).data;
    expect([before.code, after.code]).toEqual([200, 200]);
    expect(dataOf(after)).toEqual(dataOf(before));
  });

  test("has a fork that holds the same, and goes its own way", async () => {
    const { object } = await ask(server, maps, { method: "POST", value: { metadata: { name: "a" } } });
    await using fork = await server.fork();
    await ask(server, maps, { method: "POST", value: { metadata: { name: "b" } } });
    await ask(server, `${maps}/a`, { method: "DELETE" });
    expect(await namesAt(server, maps)).toEqual(["b"]);
    expect(await namesAt(fork, maps)).toEqual(["a"]);
    expect((await ask(fork, `${maps}/a`)).object).toEqual(object);
  });
});
