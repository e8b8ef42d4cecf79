// Who asks for one object by a field selector costs one key, however many there are: what the storage hands out is counted.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { ask, type NamedList, requestFor } from "../../ask.fixture.ts";
import { altered } from "../../storage/altered-storage.fixture.ts";
import { MemoryStorage } from "../../storage/index.ts";

const never = new AbortController().signal;
const maps = "/api/v1/namespaces/default/configmaps";
let server: ApiServer;
let visited = 0;
beforeEach(async () => {
  const inner = new MemoryStorage();
  const storage = altered(inner, {
    async list(collection, range) {
      const result = await inner.list(collection, range);
      visited += result.objects.length;
      return result;
    },
  });
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1), storage });
  for (let i = 0; i < 1_000; i++) {
    await ask(server, maps, { method: "POST", value: { metadata: { name: `m-${i}` } } });
  }
  visited = 0;
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

type Pairs = readonly (readonly [string, string])[];

describe("one key is read", () => {
  const rows: readonly (readonly [string, string, Pairs, readonly string[]])[] = [
    ["with a limit", maps, [["limit", "1"]], ["m-1"]],
    ["without one", maps, [], ["m-1"]],
    ["with a label selector that fits not", maps, [["labelSelector", "a=b"]], []],
    ["at a version", maps, [["resourceVersion", "0"]], ["m-1"]],
  ];
  for (const [words, path, more, names] of rows) {
    test(`${words}, though many names begin alike`, async () => {
      const query = [["fieldSelector", "metadata.name=m-1"], ...more] as const;
      const { object } = await ask<NamedList & { metadata: object }>(server, path, { query });
      expect(object.items.map(({ metadata }) => metadata.name)).toEqual(names);
      expect(object.metadata).not.toHaveProperty("continue");
      expect(visited).toBe(1);
    });
  }

  test("over all namespaces, if the selector names one", async () => {
    const query = [["fieldSelector", "metadata.name=m-1,metadata.namespace=default"]] as const;
    const { object } = await ask<NamedList>(server, "/api/v1/configmaps", { query });
    expect([object.items.length, visited]).toEqual([1, 1]);
  });

  test("of an object that is not there, though names begin alike", async () => {
    const query = [
      ["fieldSelector", "metadata.name=m-"],
      ["limit", "1"],
    ] as const;
    const { object } = await ask<NamedList & { metadata: object }>(server, maps, { query });
    expect([object.items, visited]).toEqual([[], 1]);
    expect(object.metadata).not.toHaveProperty("continue");
  });

  test("for the initial events of a watch", async () => {
    const query = [
      ["watch", "1"],
      ["fieldSelector", "metadata.name=m-7"],
    ] as const;
    await using response = await server.transport(requestFor(maps, { query }), never);
    if (response.body.kind !== "values") throw new Error("expected a stream");
    const messages = response.body.values[Symbol.asyncIterator]();
    expect((await messages.next()).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "m-7" } } });
    expect(visited).toBe(1);
    const next = messages.next();
    await ask(server, `${maps}/m-7`, { method: "DELETE" });
    expect((await next).value).toMatchObject({ type: "DELETED" });
  });
});
