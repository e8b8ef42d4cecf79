import { describe, expect, test } from "vitest";
import {
  newExpired,
  newForbidden,
  newGone,
  newInternalError,
  newStatusError,
  newTimeout,
  newTooManyRequests,
  newUnauthorized,
  type StatusError,
  TransportError,
} from "../../api/index.ts";
import { FakeClock } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import { failureOf } from "../../client/rest/scripted-server.fixture.ts";
import {
  added,
  bookmark,
  deleted,
  modified,
  type Pod,
  ScriptedSource,
  type WatchScript,
} from "../reflector/scripted-source.fixture.ts";
import { RetryWatcher } from "./retry-watcher.ts";

const second = 1000;
const inStream = (error: StatusError): WatchEvent<Pod> => ({ type: "ERROR", object: error.status });
const print = (event: WatchEvent<Pod>) =>
  event.type === "ERROR" ? `ERROR ${event.object.code}` : `${event.type} ${event.object.metadata.resourceVersion}`;

/** What a watch from version 5 on tells within ten seconds. */
async function follow(watches: readonly (WatchScript | Error)[], options: { minRestartDelayMs?: number } = {}) {
  const clock = new FakeClock();
  const source = new ScriptedSource(clock, { watches });
  const stop = new AbortController();
  const watcher = new RetryWatcher(source, { resourceVersion: "5", clock, ...options }, stop.signal);
  const events: string[] = [];
  let hasEnded = false;
  const reading = failureOf(async () => {
    for await (const event of watcher) events.push(print(event));
    hasEnded = true;
  });
  await clock.advance(10 * second);
  const { asked, askedMs } = source;
  stop.abort();
  await reading;
  expect([clock.pending(), source.openWatches]).toEqual([[], 0]);
  return { events, asked, askedMs, hasEnded, version: watcher.resourceVersion };
}

describe("a watch that goes on", () => {
  test.each(["", "0"])('does not begin at "%s"', (resourceVersion) => {
    const source = new ScriptedSource(new FakeClock(), {});
    const make = () => new RetryWatcher(source, { resourceVersion }, new AbortController().signal);
    expect(make).toThrow(`cannot begin at resource version "${resourceVersion}"`);
  });

  test("tells what happens, and keeps bookmarks for itself", async () => {
    const { events, version } = await follow([
      {
        parts: [
          [added("a", "6"), bookmark("7"), modified("a", "8")],
          [deleted("a", "9"), bookmark("12")],
        ],
      },
    ]);
    expect([events, version]).toEqual([["ADDED 6", "MODIFIED 8", "DELETED 9"], "12"]);
  });

  test.each<readonly [string, WatchScript | Error]>([
    ["cannot be opened", new Error("test error")],
    [
      "cannot be opened for want of a connection",
      new TransportError("x", { reason: "ConnectionRefused", wasSent: "no" }),
    ],
    ["is told that the server took too long", { parts: [[inStream(newTimeout("x"))]] }],
    ["is told of an internal error", { parts: [[inStream(newInternalError(new Error("x")))]] }],
    [
      "is told of something unheard of",
      { parts: [[inStream(newStatusError({ code: 666, reason: "", message: "" }))]] },
    ],
    ["is closed", { ending: "close" }],
    ["breaks", { ending: new TransportError("x", { reason: "ConnectionReset", wasSent: "maybe" }) }],
  ])("goes on where it %s", async (_, script) => {
    const { events, asked, hasEnded } = await follow([script, { parts: [[added("a", "6")]] }]);
    expect([events, asked, hasEnded]).toEqual([["ADDED 6"], ["watch 5", "watch 5"], false]);
  });

  test("goes on at the version it has come to, by events and by bookmarks", async () => {
    const { asked, events } = await follow([
      { parts: [[added("a", "6")]], ending: "close" },
      { parts: [[added("b", "7"), bookmark("20")]], ending: "close" },
      { parts: [[added("c", "21")]] },
    ]);
    expect([asked, events]).toEqual([
      ["watch 5", "watch 6", "watch 20"],
      ["ADDED 6", "ADDED 7", "ADDED 21"],
    ]);
  });

  test.each<readonly [string, WatchScript | Error, readonly string[]]>([
    [
      "its version is gone",
      { parts: [[added("a", "6"), inStream(newGone("x")), added("b", "7")]] },
      ["ADDED 6", "ERROR 410"],
    ],
    ["its version has expired", { parts: [[inStream(newExpired("x"))]] }, ["ERROR 410"]],
    ["its version had expired before it began", newExpired("x"), ["ERROR 410"]],
    ["it may not watch", newForbidden({ group: "", resource: "pods" }, "", { detail: "no" }), ["ERROR 403"]],
    ["nobody knows who it is", newUnauthorized(), ["ERROR 401"]],
    [
      "an object does not say its version",
      {
        parts: [[{ type: "ADDED", object: { apiVersion: "v1", kind: "Pod", metadata: {}, spec: { containers: [] } } }]],
      },
      ["ERROR 500"],
    ],
  ])("ends, and says so, where %s", async (_, script, expected) => {
    const { events, asked, hasEnded } = await follow([script]);
    expect([events, asked, hasEnded]).toEqual([expected, ["watch 5"], true]);
  });

  test("does not begin two watches within a second", async () => {
    const { askedMs } = await follow([
      { ending: "close" },
      { ending: "close" },
      { parts: [{ afterMs: 5 * second }], ending: "close" },
    ]);
    expect(askedMs).toEqual([0, second, 2 * second, 7 * second]);
  });

  test("gives a server the time it asks for", async () => {
    const busy = newTooManyRequests("busy", { retryAfterSeconds: 3 });
    const { askedMs } = await follow([{ parts: [[inStream(busy)]] }, busy]);
    expect(askedMs).toEqual([0, 3 * second, 6 * second]);
  });

  test("asks for watches that end", async () => {
    const clock = new FakeClock();
    const source = new ScriptedSource(clock, { watches: [{ parts: [[added("a", "6")]] }] });
    const options = { resourceVersion: "5", clock, random: { next: () => 0.5 } };
    for await (const _ of new RetryWatcher(source, options, new AbortController().signal)) break;
    expect(source.timeouts).toEqual([450]);
  });

  test("lets go of everything when it is left with events unread, or stopped", async () => {
    const clock = new FakeClock();
    const source = new ScriptedSource(clock, { watches: [{ parts: [[added("a", "6"), added("b", "7")]] }, {}] });
    const stop = new AbortController();
    const options = { resourceVersion: "5", clock };
    for await (const _ of new RetryWatcher(source, options, stop.signal)) break;
    expect(source.openWatches).toBe(0);
    const reading = failureOf(async () => {
      for await (const _ of new RetryWatcher(source, options, stop.signal));
    });
    await clock.settle();
    expect(source.openWatches).toBe(1);
    stop.abort(new Error("stopped"));
    expect([await reading, source.openWatches]).toEqual([new Error("stopped"), 0]);
  });

  test("asks for nothing when it was stopped before", async () => {
    const source = new ScriptedSource(new FakeClock(), {});
    const watcher = new RetryWatcher(source, { resourceVersion: "5" }, AbortSignal.abort(new Error("stopped")));
    expect(await failureOf(() => watcher[Symbol.asyncIterator]().next())).toEqual(new Error("stopped"));
    expect(source.asked).toEqual([]);
  });
});
