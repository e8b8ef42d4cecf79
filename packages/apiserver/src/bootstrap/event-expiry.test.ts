// Events in virtual time: each lives an hour from when it was last written, and nothing else goes with it.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { ask, namesAt, requestFor } from "../ask.fixture.ts";

const never = new AbortController().signal;
const events = "/api/v1/namespaces/default/events";
const maps = "/api/v1/namespaces/default/configmaps";
const minuteMs = 60_000;
let clock: FakeClock;
let server: ApiServer;
beforeEach(async () => {
  clock = new FakeClock();
  server = await ApiServer.open({ clock, random: seededRandom(1) });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const write = (name: string) =>
  ask(server, events, {
    method: "POST",
    value: { metadata: { name }, involvedObject: { namespace: "default" }, reason: "Tested" },
  });
const touch = (name: string) =>
  ask(server, `${events}/${name}`, { method: "PATCH", value: { count: 2 }, type: "application/merge-patch+json" });

describe("an event", () => {
  test("is there for an hour, and not much longer", async () => {
    await write("a");
    await clock.advance(59 * minuteMs);
    expect(await namesAt(server, events)).toEqual(["a"]);
    await clock.advance(3 * minuteMs);
    expect(await namesAt(server, events)).toEqual([]);
  });

  test("that is written again lives on from then", async () => {
    await write("a");
    await write("b");
    await clock.advance(40 * minuteMs);
    await touch("a");
    await clock.advance(30 * minuteMs);
    expect(await namesAt(server, events)).toEqual(["a"]);
    await clock.advance(32 * minuteMs);
    expect(await namesAt(server, events)).toEqual([]);
  });

  test("that was deleted and made anew is counted from its second life", async () => {
    await write("a");
    await clock.advance(40 * minuteMs);
    await ask(server, `${events}/a`, { method: "DELETE" });
    await write("a");
    await clock.advance(30 * minuteMs);
    expect(await namesAt(server, events)).toEqual(["a"]);
  });

  test("goes under its other name too, and is seen to go", async () => {
    await write("a");
    const query = [
      ["watch", "1"],
      ["timeoutSeconds", "7200"],
    ] as const;
    await using response = await server.transport(requestFor(events, { query }), never);
    if (response.body.kind !== "values") throw new Error("expected a stream");
    const messages = response.body.values[Symbol.asyncIterator]();
    expect((await messages.next()).value).toMatchObject({ type: "ADDED" });
    const gone = messages.next();
    await clock.advance(62 * minuteMs);
    expect((await gone).value).toMatchObject({ type: "DELETED", object: { metadata: { name: "a" } } });
    expect(await namesAt(server, "/apis/events.k8s.io/v1/namespaces/default/events")).toEqual([]);
  });
});

test("in a fork too events go, counted from when it began", async () => {
  await write("a");
  await using fork = await server.fork();
  await clock.advance(59 * minuteMs);
  expect(await namesAt(fork, events)).toEqual(["a"]);
  await clock.advance(3 * minuteMs);
  expect(await namesAt(fork, events)).toEqual([]);
});

test("nothing else expires, and thousands go at once", async () => {
  await ask(server, maps, { method: "POST", value: { metadata: { name: "stays" } } });
  for (let i = 0; i < 3_000; i++) await write(`e-${i}`);
  await clock.advance(62 * minuteMs);
  expect(await namesAt(server, events)).toEqual([]);
  expect(await namesAt(server, maps)).toEqual(["stays"]);
});
