// A read at a version that is yet to come is answered when it comes: not before, not later, and not at all after three seconds.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { ask, type NamedList, requestFor } from "../../ask.fixture.ts";

const never = new AbortController().signal;
const maps = "/api/v1/namespaces/default/configmaps";
let clock: FakeClock;
let server: ApiServer;
let newest = 0;
const create = (name: string) => ask(server, maps, { method: "POST", value: { metadata: { name } } });
beforeEach(async () => {
  clock = new FakeClock();
  server = await ApiServer.open({ clock, random: seededRandom(1) });
  await create("first");
  const { object } = await ask<NamedList & { metadata: { resourceVersion: string } }>(server, maps);
  newest = Number(object.metadata.resourceVersion);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const at = (version: number) => ({ query: [["resourceVersion", String(version)]] as const });

describe("a read at the version after the next", () => {
  const reads = [
    ["list", maps],
    ["get", `${maps}/first`],
  ] as const;
  for (const [verb, path] of reads) {
    test(`${verb}: is answered with the write that makes it, and no time passes`, async () => {
      const begunMs = clock.monotonic();
      let isAnswered = false;
      const answer = ask<NamedList>(server, path, at(newest + 2)).then((answered) => {
        isAnswered = true;
        return answered;
      });
      await create("a");
      expect(isAnswered).toBe(false);
      await create("b");
      expect(await answer).toMatchObject({ code: 200 });
      expect(clock.monotonic()).toBe(begunMs);
    });

    test(`${verb}: is refused after three seconds, and not before`, async () => {
      let code: number | undefined;
      const answer = ask(server, path, at(newest + 1)).then((answered) => {
        code = answered.code;
        return answered;
      });
      await clock.advance(2_999);
      expect(code).toBeUndefined();
      await clock.advance(1);
      expect(await answer).toMatchObject({
        code: 504,
        object: {
          reason: "Timeout",
          message: `Timeout: Too large resource version: ${newest + 1}, current: ${newest}`,
          details: { causes: [{ reason: "ResourceVersionTooLarge" }], retryAfterSeconds: 1 },
        },
      });
    });
  }

  test("a watch with initial events: begins with the write that makes it", async () => {
    const query = [
      ["watch", "1"],
      ["resourceVersion", String(newest + 1)],
      ["sendInitialEvents", "true"],
      ["resourceVersionMatch", "NotOlderThan"],
    ] as const;
    const begunMs = clock.monotonic();
    const opening = server.transport(requestFor(maps, { query }), never);
    await create("a");
    await using response = await opening;
    if (response.body.kind !== "values") throw new Error("expected a stream");
    const messages = response.body.values[Symbol.asyncIterator]();
    const names: string[] = [];
    for (let i = 0; i < 2; i++)
      names.push(JSON.stringify(((await messages.next()).value as { object: object }).object));
    expect(names.join()).toContain('"name":"a"');
    expect(clock.monotonic()).toBe(begunMs);
  });

  test("ends with the server", async () => {
    const answer = ask(server, maps, at(newest + 1));
    await server[Symbol.asyncDispose]();
    expect(await answer).toMatchObject({ code: 503 });
  });
});
