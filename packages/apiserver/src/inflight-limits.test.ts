// How many requests are in flight: who comes on top is refused and told when to come back, but for administrators and probes.
import { collectBytes, requestInfoOf } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { ApiServer } from "./api-server.ts";
import { requestFor } from "./ask.fixture.ts";
import { systemAdmin } from "./authentication/users.ts";
import { InflightLimits } from "./inflight-limits.ts";
import type { RequestUser } from "./kinds/kind-rules.ts";
import { altered } from "./storage/altered-storage.fixture.ts";
import { MemoryStorage } from "./storage/index.ts";

const never = new AbortController().signal;
const somebody: RequestUser = { name: "somebody", uid: undefined, groups: ["system:authenticated"], extra: {} };
const infoOf = (method: string, path: string) => requestInfoOf({ method, path, query: [] });
const read = infoOf("GET", "/api/v1/pods");
const write = infoOf("POST", "/api/v1/namespaces/default/pods");

describe("limits", () => {
  test("are 400 that read and 200 that write, counted apart", () => {
    const limits = new InflightLimits();
    for (let i = 0; i < 400; i++) expect(limits.begin(read, somebody)).toBeDefined();
    expect(limits.begin(read, somebody)).toBeUndefined();
    for (let i = 0; i < 200; i++) expect(limits.begin(write, somebody)).toBeDefined();
    expect(limits.begin(write, somebody)).toBeUndefined();
    expect(limits.inFlight).toEqual({ readOnly: 400, mutating: 200 });
  });

  test("count again from where a request ends, once each", () => {
    const limits = new InflightLimits({ readOnly: 1 });
    const only = limits.begin(read, somebody);
    expect(limits.begin(read, somebody)).toBeUndefined();
    only?.[Symbol.dispose]();
    only?.[Symbol.dispose]();
    expect(limits.inFlight.readOnly).toBe(0);
    expect(limits.begin(read, somebody)).toBeDefined();
    expect(limits.begin(read, somebody)).toBeUndefined();
  });

  test("are not for administrators and probes, who count all the same", () => {
    const limits = new InflightLimits({ readOnly: 1, mutating: 0 });
    expect(limits.begin(write, systemAdmin)).toBeDefined();
    for (const path of ["/healthz", "/livez/ping", "/readyz"]) {
      expect(limits.begin(infoOf("GET", path), somebody), path).toBeDefined();
    }
    expect(limits.begin(infoOf("GET", "/version"), somebody)).toBeUndefined();
    expect(limits.inFlight).toEqual({ readOnly: 3, mutating: 1 });
  });
});

describe("a server with as many requests as it takes", () => {
  const maps = "/api/v1/namespaces/default/configmaps";
  async function full(authorization: "always-allow" | "default-bindings" = "always-allow") {
    const inner = new MemoryStorage();
    let isStuck = false;
    const waiting: (() => void)[] = [];
    const storage = altered(inner, {
      async list(collection, range) {
        if (isStuck) await new Promise<void>((resolve) => waiting.push(resolve));
        return await inner.list(collection, range);
      },
    });
    const server = await ApiServer.open({
      clock: new FakeClock(),
      random: seededRandom(1),
      storage,
      inflight: { readOnly: 2, mutating: 1 },
      authorization,
    });
    isStuck = true;
    const held = [0, 1].map(() => server.answer(requestFor(maps), systemAdmin, never));
    const letGo = async () => {
      isStuck = false;
      for (const each of waiting) each();
      for (const each of held) await (await each)[Symbol.asyncDispose]();
    };
    return { server, letGo };
  }
  const get = (server: ApiServer, prefers: "bytes" | "values", more = {}) =>
    server.answer(requestFor(maps, more, prefers), somebody, never);

  test("refuses the next with 429, in words, and says when to come back", async () => {
    const { server, letGo } = await full();
    const response = await get(server, "bytes");
    if (response.body.kind !== "bytes") throw new Error("expected bytes");
    const text = Buffer.from(await collectBytes(response.body.bytes, { maxBytes: 1_000 })).toString("utf8");
    expect([response.status, response.headers["retry-after"], text]).toEqual([
      429,
      "1",
      "Too many requests, please try again later.\n",
    ]);
    const inside = await get(server, "values");
    expect(inside.body).toMatchObject({ value: { reason: "TooManyRequests", details: { retryAfterSeconds: 1 } } });
    await letGo();
    await server[Symbol.asyncDispose]();
  });

  test("refuses those, too, who may not ask, as long as it is full, and they leave again", async () => {
    const { server, letGo } = await full("default-bindings");
    expect((await get(server, "values")).status).toBe(429);
    await letGo();
    for (let i = 0; i < 5; i++) expect((await get(server, "values")).status).toBe(403);
    await server[Symbol.asyncDispose]();
  });

  test("takes watches, and others again when it has answered", async () => {
    const { server, letGo } = await full();
    const watch = await get(server, "values", { query: [["watch", "1"]] });
    expect(watch.status).toBe(200);
    await watch[Symbol.asyncDispose]();
    expect((await get(server, "values")).status).toBe(429);
    await letGo();
    for (let i = 0; i < 5; i++) expect((await get(server, "values")).status).toBe(200);
    await server[Symbol.asyncDispose]();
  });
});
