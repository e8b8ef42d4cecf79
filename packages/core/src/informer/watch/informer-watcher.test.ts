import { describe, expect, test } from "vitest";
import { newGone } from "../../api/index.ts";
import { FakeClock } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import { failureOf } from "../../client/rest/scripted-server.fixture.ts";
import {
  added,
  deleted,
  initialEnd,
  modified,
  type Pod,
  pod,
  type Script,
  ScriptedSource,
} from "../reflector/scripted-source.fixture.ts";
import { openInformerWatcher } from "./informer-watcher.ts";

const second = 1000;
const print = (event: WatchEvent<Pod>) =>
  event.type === "ERROR"
    ? "ERROR"
    : `${event.type} ${event.object.metadata.name}@${event.object.metadata.resourceVersion}`;

function open(script: Script) {
  const clock = new FakeClock();
  const source = new ScriptedSource(clock, script);
  const stop = new AbortController();
  const watcher = openInformerWatcher(source, { clock, random: { next: () => 0 } }, stop.signal);
  return { clock, source, stop, watcher };
}

/** The first so many events, whatever else is waiting. */
async function take(script: Script, count: number, forMs = 0) {
  const { clock, source, watcher } = open(script);
  const events: string[] = [];
  const reading = (async () => {
    for await (const event of watcher) if (events.push(print(event)) === count) return;
  })();
  await clock.advance(forMs);
  await reading;
  await watcher[Symbol.asyncDispose]();
  expect([clock.pending(), source.openWatches]).toEqual([[], 0]);
  return events;
}

describe("an informer's events", () => {
  const changes = [added("d", "14"), modified("b", "15"), deleted("c", "16")];
  const told = ["ADDED a@1", "ADDED b@2", "ADDED c@3", "ADDED d@14", "MODIFIED b@15", "DELETED c@16"];

  test("begin with the list", async () => {
    const lists = [{ items: [pod("a", "1"), pod("b", "2"), pod("c", "3")] }];
    expect(await take({ lists, watches: [{ parts: [changes] }] }, 6)).toEqual(told);
  });

  test("begin with the streamed list, without its bookmark", async () => {
    const parts = [[added("a", "1"), added("b", "2"), added("c", "3"), initialEnd("10")], changes];
    expect(await take({ canWatchList: true, watches: [{ parts }] }, 6)).toEqual(told);
  });

  test("tell of what was deleted unseen by its last known state", async () => {
    const script: Script = {
      lists: [{ items: [pod("secret", "123")], resourceVersion: "1" }, { resourceVersion: "2" }],
      watches: [{ parts: [[{ type: "ERROR", object: newGone("gone").status }]] }],
    };
    expect(await take(script, 2, 2 * second)).toEqual(["ADDED secret@123", "DELETED secret@123"]);
  });

  test("wait in order for as long as nobody reads them", async () => {
    const many = Array.from({ length: 1000 }, (_, i) => added(`p${i}`, String(11 + i)));
    const { clock, watcher } = open({ watches: [{ parts: [many] }] });
    await clock.settle();
    const seen: string[] = [];
    for await (const event of watcher) if (seen.push(event.object.metadata.name ?? "") === 1000) break;
    await watcher[Symbol.asyncDispose]();
    expect(seen).toEqual(many.map((_, i) => `p${i}`));
  });

  test.each([
    ["that wait to be read", [added("a", "11"), added("b", "12")]],
    ["that are waited for", [added("a", "11")]],
  ])("end with the informer, also those %s", async (_, events) => {
    const { clock, source, watcher } = open({ watches: [{ parts: [events] }] });
    const reading = watcher[Symbol.asyncIterator]();
    expect(await clock.drive(reading.next())).toMatchObject({ done: false });
    await watcher[Symbol.asyncDispose]();
    expect(await reading.next()).toEqual({ done: true, value: undefined });
    expect([clock.pending(), source.openWatches]).toEqual([[], 0]);
  });

  test("end where they are waited for", async () => {
    const { clock, watcher } = open({});
    const waiting = watcher[Symbol.asyncIterator]().next();
    await clock.settle();
    await watcher[Symbol.asyncDispose]();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test("stop with the signal", async () => {
    const { clock, source, stop, watcher } = open({});
    const waiting = failureOf(() => watcher[Symbol.asyncIterator]().next());
    await clock.settle();
    stop.abort(new Error("stopped"));
    expect(await waiting).toEqual(new Error("stopped"));
    await watcher[Symbol.asyncDispose]();
    expect([clock.pending(), source.openWatches]).toEqual([[], 0]);
  });

  test("come with the informer's cache", async () => {
    const { clock, watcher, stop } = open({ lists: [{ items: [pod("a", "1")] }] });
    expect(watcher.hasSynced()).toBe(false);
    await clock.drive(watcher.whenSynced(stop.signal));
    expect([watcher.hasSynced(), watcher.indexer.listKeys()]).toEqual([true, ["shop/a"]]);
    await watcher[Symbol.asyncDispose]();
  });
});
