// The deadline of requests: a minute, whatever a client asks for, for all but watches and connections. And that tries have an end.
import { collectBytes } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ask, requestFor } from "./ask.fixture.ts";
import { altered } from "./storage/altered-storage.fixture.ts";
import { MemoryStorage } from "./storage/index.ts";

const never = new AbortController().signal;
const maps = "/api/v1/namespaces/default/configmaps";
let clock: FakeClock;
let server: ApiServer;
let isStuck = false;
let isBeaten = false;
let attempts = 0;
beforeEach(async () => {
  clock = new FakeClock();
  isStuck = false;
  isBeaten = false;
  attempts = 0;
  const inner = new MemoryStorage({ clock });
  const storage = altered(inner, {
    get: (storageKey) => (isStuck ? new Promise(() => {}) : inner.get(storageKey)),
    list: (collection, range) => (isStuck ? new Promise(() => {}) : inner.list(collection, range)),
    async write(writes) {
      const [first] = writes;
      if (!isBeaten || first === undefined) return await inner.write(writes);
      attempts++;
      return { kind: "conflict", storageKey: { collection: "elsewhere", key: "x" }, current: undefined };
    },
  });
  server = await ApiServer.open({ clock, random: seededRandom(1), storage });
  await ask(server, maps, { method: "POST", value: { metadata: { name: "a" } } });
});
afterEach(async () => {
  isStuck = false;
  await server[Symbol.asyncDispose]();
});

describe("a request that is stuck", () => {
  const rows = [
    ["list", { path: maps }],
    ["get", { path: `${maps}/a` }],
    ["create", { path: maps, method: "POST", value: { metadata: { name: "b" } } }],
    ["update", { path: `${maps}/a`, method: "PUT", value: { metadata: { name: "a" } } }],
    ["deletion", { path: `${maps}/a`, method: "DELETE" }],
    ["list, of a client that would wait for longer", { path: maps, query: [["timeout", "10m"]] as const }],
  ] as const;
  for (const [words, { path, ...asked }] of rows) {
    test(`${words}: is answered 504 after a minute, and not before`, async () => {
      isStuck = true;
      let code: number | undefined;
      const answer = ask(server, path, asked).then((answered) => {
        code = answered.code;
        return answered;
      });
      await clock.advance(59_999);
      expect(code).toBeUndefined();
      await clock.advance(1);
      const message = "Timeout: request did not complete within the allotted timeout";
      expect(await answer).toMatchObject({ code: 504, object: { reason: "Timeout", message } });
    });
  }

  test("in bytes it is answered in the form of a server that is past encoding", async () => {
    isStuck = true;
    const answer = server.transport(requestFor(maps, {}, "bytes"), never);
    await clock.advance(60_000);
    await using response = await answer;
    if (response.body.kind !== "bytes") throw new Error("expected bytes");
    const bytes = await collectBytes(response.body.bytes, { maxBytes: 10_000 });
    expect([response.status, response.headers["content-type"]]).toEqual([504, "text/plain; charset=utf-8"]);
    expect(JSON.parse(Buffer.from(bytes).toString("utf8"))).toMatchObject({ status: "Failure", reason: "Timeout" });
  });
});

test("a watch has no deadline", async () => {
  const query = [
    ["watch", "1"],
    ["timeoutSeconds", "3600"],
  ] as const;
  await using response = await server.transport(requestFor(maps, { query }), never);
  if (response.body.kind !== "values") throw new Error("expected a stream");
  const messages = response.body.values[Symbol.asyncIterator]();
  await messages.next();
  const next = messages.next();
  await clock.advance(10 * 60_000);
  await ask(server, maps, { method: "POST", value: { metadata: { name: "late" } } });
  expect((await next).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "late" } } });
});

test("requests that are answered leave no timer behind", async () => {
  const before = clock.pending().length;
  await ask(server, maps);
  await ask(server, `${maps}/none`);
  await using _bytes = await server.transport(requestFor(`${maps}/a`, {}, "bytes"), never);
  expect(clock.pending().length).toBe(before);
});

describe("a write that somebody else always beats to it", () => {
  const rows = [
    ["create", { path: maps, method: "POST", value: { metadata: { name: "b" } } }],
    ["update", { path: `${maps}/a`, method: "PUT", value: { metadata: { name: "a" }, data: { x: "y" } } }],
    ["deletion", { path: `${maps}/a`, method: "DELETE" }],
  ] as const;
  for (const [words, { path, ...asked }] of rows) {
    test(`${words}: comes to an end though no time passes`, async () => {
      isBeaten = true;
      expect(await ask(server, path, asked)).toMatchObject({ code: 504, object: { reason: "Timeout" } });
      expect(attempts).toBe(10_000);
    });
  }
});
