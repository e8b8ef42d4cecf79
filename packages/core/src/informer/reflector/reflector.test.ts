import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { newForbidden, newNotFound, newStatusError, newTooLargeResourceVersion } from "../../api/index.ts";
import { FakeClock, jsonLineLog, noLog, seededRandom, untilAborted } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import { readOnce } from "../../client/streams/batched.ts";
import type { ListerWatcher } from "./lister-watcher.ts";
import { RecordingStore } from "./recording-store.fixture.ts";
import { Reflector } from "./reflector.ts";
import {
  expired,
  inStream,
  internal,
  minute,
  outcome,
  podsResource,
  refused,
  second,
  setUp,
} from "./running-reflector.fixture.ts";
import {
  added,
  bookmark,
  deleted,
  initialEnd,
  modified,
  type Pod,
  pod,
  type Script,
  ScriptedSource,
} from "./scripted-source.fixture.ts";

describe("listing and watching", () => {
  test("lists, then watches from there on", async () => {
    const { asked, store, reflector } = await outcome(
      {
        lists: [{ items: [pod("a", "1"), pod("b", "2")], resourceVersion: "3" }],
        watches: [{ parts: [[modified("a", "4"), added("c", "5")], [deleted("b", "6")]] }],
      },
      0,
    );
    expect(asked).toEqual(["list 0 by 500", "watch 3"]);
    expect(store.calls).toEqual(["replace [a@1 b@2] at 3", "update a@4", "add c@5", "delete b@6"]);
    expect(reflector.lastSyncResourceVersion).toBe("6");
  });

  test("streams the list where the source can, and keeps the watch", async () => {
    const { asked, store, reflector } = await outcome(
      {
        canWatchList: true,
        watches: [
          {
            parts: [
              [added("a", "1"), added("b", "2")],
              [modified("a", "3"), added("c", "4"), deleted("c", "5")],
              [initialEnd("5"), modified("b", "6")],
              [added("d", "7")],
            ],
          },
        ],
      },
      0,
    );
    expect(asked).toEqual(["stream newest"]);
    expect(store.calls).toEqual(["replace [a@3 b@2] at 5", "update b@6", "add d@7"]);
    expect(reflector.lastSyncResourceVersion).toBe("7");
  });

  test("takes a list anew that had to begin anew", async () => {
    const { store } = await outcome({ lists: [{ voided: [pod("old", "1")], items: [pod("a", "2")] }] }, 0);
    expect(store.calls).toEqual(["replace [a@2] at 10"]);
  });

  test("hands bookmarks on, and goes on from them", async () => {
    const { asked, store } = await outcome(
      { watches: [{ parts: [[bookmark("20")], { afterMs: 2 * second }], ending: "close" }] },
      5 * second,
    );
    expect(store.calls).toEqual(["replace [] at 10", "bookmark 20"]);
    expect(asked).toEqual(["list 0 by 500", "watch 10", "watch 20"]);
  });

  test("tells the store of every version: with each object, and with each bookmark", async () => {
    const { store } = await outcome(
      { watches: [{ parts: [[added("a", "11")], [modified("a", "20"), bookmark("30")], [deleted("a", "40")]] }] },
      0,
    );
    expect(store.calls.slice(1)).toEqual(["add a@11", "update a@20", "bookmark 30", "delete a@40"]);
  });

  test("goes on from the last version when it is run again", async () => {
    const { source, reflector, clock, store } = await outcome({ lists: [{ items: [pod("a", "1")] }, {}] }, 0);
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    await clock.settle();
    stop.abort();
    await running;
    expect(source.asked).toEqual(["list 0 by 500", "watch 10", "list 10", "watch 10"]);
    expect(store.content).toEqual([]);
  });

  test("has its pages at every version where it is told to", async () => {
    const { asked } = await outcome({ watches: [{ parts: [[inStream(expired)]] }] }, 2 * second, { pageSize: 4 });
    expect(asked).toEqual(["list 0 by 4", "watch 10", "list 10 by 4", "watch 10"]);
  });

  test("goes on in pages where the first answer came in pages", async () => {
    const { asked } = await outcome(
      { lists: [{ isPaged: true }], watches: [{ parts: [[inStream(expired)]] }] },
      2 * second,
    );
    expect(asked).toEqual(["list 0 by 500", "watch 10", "list 10 by 500", "watch 10"]);
  });

  test.each([
    ["no shorter than five minutes", {}, 0, 300],
    ["no longer than ten", {}, 0.9999, 599],
    ["no shorter than five minutes whoever asks for less", { minWatchTimeoutMs: second }, 0, 300],
    ["as long as asked for", { minWatchTimeoutMs: 30 * minute }, 0, 1800],
  ])("asks for watches %s", async (_, options, chance, seconds) => {
    const { source } = await outcome({}, 0, { ...options, random: { next: () => chance } });
    expect(source.timeouts).toEqual([seconds]);
  });
});

describe("versions", () => {
  test("events without one change nothing about those that have one", async () => {
    const { metadata, ...rest } = pod("a", "");
    const nameless: WatchEvent<Pod> = { type: "DELETED", object: { ...rest, metadata: { name: metadata.name ?? "" } } };
    const { reflector } = await outcome({ watches: [{ parts: [[added("a", "11"), nameless]] }] }, 0);
    expect(reflector.lastSyncResourceVersion).toBe("11");
  });

  test("a watch from anywhere has come to no version until something but an addition is heard", async () => {
    const versions: string[] = [];
    const { run, stop, reflector } = setUp({
      lists: [{ resourceVersion: "0" }],
      watches: [
        {
          parts: [
            [added("a", "50"), added("b", "9")],
            { afterMs: second },
            [modified("a", "51"), added("c", "52")],
            { afterMs: second },
            [added("d", "53")],
          ],
        },
      ],
    });
    for (const ms of [0, second, second]) {
      await run(ms);
      versions.push(reflector.lastSyncResourceVersion);
    }
    await stop();
    expect(versions).toEqual(["0", "52", "53"]);
  });

  test.each([
    ["nothing came", []],
    ["objects came, and no bookmark", [[added("a", "1")]]],
    ["the bookmark's annotation says no", [[added("a", "1"), bookmark("2", { "k8s.io/initial-events-end": "false" })]]],
  ])("a streamed list has come to no version while %s", async (_, parts) => {
    const { store, reflector } = await outcome({ canWatchList: true, watches: [{ parts }] }, 0);
    expect([store.calls, reflector.lastSyncResourceVersion]).toEqual([[], ""]);
  });

  test("lists the newest at once where its version has expired", async () => {
    const { asked, store } = await outcome(
      {
        lists: [{ items: [pod("a", "1")] }, expired, { items: [pod("b", "11")], resourceVersion: "12" }],
        watches: [{ parts: [[inStream(expired)]] }],
      },
      second,
    );
    expect(asked).toEqual(["list 0 by 500", "watch 10", "list 10", "list newest", "watch 12"]);
    expect(store.content).toEqual(["b@11"]);
  });

  test.each([
    ["by its cause", newTooLargeResourceVersion("20", "15", { retryAfterSeconds: 1 })],
    [
      "in the words of 1.17",
      newStatusError({
        code: 504,
        reason: "Timeout",
        message: "Timeout: too large resource version",
        details: { causes: [{ message: "Too large resource version" }] },
      }),
    ],
    [
      "in older words",
      newStatusError({ code: 504, reason: "Timeout", message: "Timeout: Too large resource version", details: {} }),
    ],
  ])("lists the newest at once where the server has not come to its version and says so %s", async (_, tooLarge) => {
    const { asked } = await outcome(
      { lists: [{}, tooLarge, { resourceVersion: "5" }], watches: [{ parts: [[inStream(expired)]] }] },
      second,
    );
    expect(asked).toEqual(["list 0 by 500", "watch 10", "list 10", "list newest", "watch 5"]);
  });

  test("streams the newest at once where its version has expired", async () => {
    const { asked } = await outcome(
      {
        canWatchList: true,
        watches: [{ parts: [[initialEnd("10")], [inStream(expired)]] }, expired, { parts: [[initialEnd("20")]] }],
      },
      second,
    );
    expect(asked).toEqual(["stream newest", "stream 10", "stream newest"]);
  });
});

describe("trouble", () => {
  test.each([
    ["forbidden", newForbidden(podsResource, "", { detail: "no" })],
    ["no such resource", newNotFound(podsResource, "")],
    ["500", internal],
    ["refused", refused],
  ])("a list that fails for ever (%s) is tried for ever, at last every half minute", async (_, failure) => {
    const { source, errors } = await outcome({ lists: [failure] }, 10 * minute);
    const pauses = source.askedMs.slice(1).map((ms, i) => ms - (source.askedMs[i] ?? 0));
    expect(pauses.slice(0, 7)).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000]);
    expect(new Set(pauses.slice(6))).toEqual(new Set([30_000]));
    expect(errors).toHaveLength(source.asked.length);
  });

  test("grows as it is told to", async () => {
    const backoff = { initialMs: 10, factor: 2, maxMs: 100, jitter: 0 };
    const { source } = await outcome({ watches: Array(5).fill(refused) }, second, { backoff });
    expect(source.askedMs.slice(2)).toEqual([10, 30, 70, 150, 250]);
  });

  test("differs from reflector to reflector by chance", async () => {
    const random = seededRandom(7);
    const { source } = await outcome({ lists: [internal] }, minute, { random });
    const pauses = source.askedMs.slice(1).map((ms, i) => ms - (source.askedMs[i] ?? 0));
    for (const [i, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThan(800 * 2 ** i);
      expect(pause).toBeLessThan(1600 * 2 ** i);
    }
  });

  test("once is survived by a list and by a watch", async () => {
    const { asked, store } = await outcome(
      { lists: [internal, { items: [pod("a", "1")] }], watches: [internal, { parts: [[added("b", "12")]] }] },
      5 * second,
    );
    expect(asked).toEqual(["list 0 by 500", "list 0 by 500", "watch 10", "list 10", "watch 10"]);
    expect(store.content).toEqual(["a@1", "b@12"]);
  });

  test("keeps what the store has until a list says otherwise", async () => {
    const storeRead = newStatusError({
      code: 500,
      reason: "StorageReadError",
      message: "corrupt object has been deleted",
    });
    const all = setUp({
      lists: [
        { items: [pod("a", "1")], resourceVersion: "3" },
        { items: [pod("a", "1")], resourceVersion: "5" },
      ],
      watches: [{ parts: [[added("corrupt", "4")], [inStream(storeRead)]] }],
    });
    await all.run(700);
    const before = all.store.content;
    await all.run(200);
    expect([before, all.store.content, all.reflector.lastSyncResourceVersion]).toEqual([
      ["a@1", "corrupt@4"],
      ["a@1"],
      "5",
    ]);
    await all.stop();
  });

  test("with the error handler changes nothing", async () => {
    const { asked } = await outcome({ lists: [internal, {}] }, second, {
      onError: () => {
        throw new Error("handler");
      },
    });
    expect(asked).toEqual(["list 0 by 500", "list 0 by 500", "watch 10"]);
  });

  test("in the log names the reflector, and expired versions are no warnings", async () => {
    const lines: string[] = [];
    const log = jsonLineLog({ write: (line) => lines.push(line), now: () => 0, level: "debug" });
    await outcome({ lists: [internal, {}], watches: [{ parts: [[inStream(expired)]] }] }, second, {
      log,
      name: "logged",
    });
    expect(lines.map((line) => JSON.parse(line)).map(({ level, reflector, row }) => [level, reflector, row])).toEqual([
      ["warn", "logged", "list/failed"],
      ["debug", "logged", "watch/failed"],
    ]);
  });
});

describe("resync", () => {
  test("happens every so often beside the watch, also over watches that end", async () => {
    const { store } = await outcome(
      { watches: [{ parts: [{ afterMs: 15 * second }], ending: "close" }] },
      35 * second,
      { resyncMs: 10 * second },
    );
    expect(store.calls.filter((call) => call === "resync")).toHaveLength(3);
  });

  test("happens only where it should", async () => {
    let asked = 0;
    const { store } = await outcome({}, 35 * second, { resyncMs: 10 * second, shouldResync: () => ++asked === 2 });
    expect([asked, store.calls.filter((call) => call === "resync").length]).toEqual([3, 1]);
  });

  test("does not happen while a list is under way", async () => {
    const { store } = await outcome(
      { lists: [{}, { afterMs: 50 * second }], watches: [{ parts: [[inStream(expired)]] }] },
      40 * second,
      { resyncMs: 10 * second },
    );
    expect(store.calls).toEqual(["replace [] at 10"]);
  });

  test("never happens unless asked for", async () => {
    const { store } = await outcome({}, 4 * minute);
    expect(store.calls).toEqual(["replace [] at 10"]);
  });

  test("that fails ends the watch, and a list follows", async () => {
    const { run, stop, store, source, errors, rows } = setUp({}, { resyncMs: 10 * second });
    await run(10 * second);
    store.faults.set("resync", new Error("no resync"));
    await run(15 * second);
    expect(source.asked).toEqual(["list 0 by 500", "watch 10", "list 10", "watch 10"]);
    expect([errors, rows.includes("watch/resync-failed")]).toEqual([["no resync"], true]);
    await stop();
  });
});

/** A reflector of what this generator lists. Its watches stay open; the signals it was given are kept. */
function withOwnSource(list: (signal: AbortSignal) => AsyncGenerator<readonly Pod[]>) {
  const clock = new FakeClock();
  const store = new RecordingStore();
  const signals: AbortSignal[] = [];
  const source: ListerWatcher<Pod> = {
    description: "own pods",
    canWatchList: false,
    list(_, signal) {
      signals.push(signal);
      return { ...readOnce(list(signal)), resourceVersion: "10", isPaged: false };
    },
    watch(_, signal) {
      signals.push(signal);
      return new ScriptedSource(clock, {}).watch(
        { resourceVersion: "10", sendInitialEvents: false, timeoutSeconds: 1 },
        signal,
      );
    },
  };
  return { clock, store, signals, reflector: new Reflector(source, store, { clock, log: noLog }) };
}

test("a source hears when a request of its is over", async () => {
  const { clock, signals, reflector } = withOwnSource(async function* () {
    yield [pod("a", "1")];
  });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await clock.settle();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  stop.abort();
  await running;
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

describe("stopping", () => {
  test("before it began asks for nothing", async () => {
    const { reflector, source } = setUp({});
    await reflector.run(AbortSignal.abort());
    expect([source.asked, reflector.status.phase]).toEqual([[], "stopped"]);
  });

  test.each<readonly [string, Script, number]>([
    ["a list", { lists: [{ afterMs: minute }] }, second],
    ["a watch", {}, second],
    ["a streamed list", { canWatchList: true }, second],
    ["a pause", { lists: [internal] }, 100],
  ])("during %s leaves nothing behind and asks for nothing more", async (_, script, afterMs) => {
    const { run, stop, source, store } = setUp(script, { resyncMs: minute });
    await run(afterMs);
    const asked = [...source.asked];
    await stop();
    expect(source.asked).toEqual(asked);
    expect(store.calls.length).toBeLessThanOrEqual(1);
  });

  test("during a list that just ends then does not take what came so far for everything", async () => {
    const { clock, store, signals, reflector } = withOwnSource(async function* (signal) {
      yield [pod("a", "1")];
      // Some do not throw when they are stopped.
      await untilAborted(new Promise(() => {}), signal).catch(() => {});
    });
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    await clock.settle();
    stop.abort();
    await running;
    expect([store.calls, signals.length]).toEqual([[], 1]);
  });

  test("is no failure", async () => {
    const { errors, reflector } = await outcome({}, second);
    expect([errors, reflector.status.errors]).toEqual([[], 0]);
  });

  test("is needed before it can be run again", async () => {
    const { run, stop, reflector, signal } = setUp({});
    await run(0);
    await expect(reflector.run(signal)).rejects.toThrow("reflector is already running");
    await stop();
  });
});

test("names are made unique", () => {
  const clock = new FakeClock();
  const make = () => new Reflector(new ScriptedSource(clock, {}), new RecordingStore(), { name: "twice" }).name;
  expect([make(), make(), make()]).toEqual(["twice", "twice#2", "twice#3"]);
});

describe("memory", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;

  /** Makes its objects as they are read, and keeps none. */
  function forgetfulSource(canWatchList: boolean) {
    const refs: WeakRef<Pod>[] = [];
    const make = () => {
      const items = Array.from({ length: 100 }, (_, i) => pod(`p${i}`, String(i + 1)));
      refs.push(...items.map((item) => new WeakRef(item)));
      return items;
    };
    async function* list() {
      yield make();
    }
    async function* watch(isStreamed: boolean, signal: AbortSignal): AsyncGenerator<readonly WatchEvent<Pod>[]> {
      if (isStreamed) yield make().map((object) => ({ type: "ADDED", object }));
      if (isStreamed) yield [initialEnd("10")];
      yield [bookmark("11")];
      await untilAborted(new Promise(() => {}), signal);
    }
    const source: ListerWatcher<Pod> = {
      description: "pods made on demand",
      canWatchList,
      list: () => ({ ...readOnce(list()), resourceVersion: "10", isPaged: false }),
      watch: ({ sendInitialEvents }, signal) => readOnce(watch(sendInitialEvents, signal)),
    };
    return { source, refs };
  }

  test.each([
    ["a list", false],
    ["a streamed list", true],
  ])("holds nothing of %s once the store has it", async (_, canWatchList) => {
    const clock = new FakeClock();
    const store = new RecordingStore();
    const { source, refs } = forgetfulSource(canWatchList);
    const stop = new AbortController();
    const running = new Reflector(source, store, { clock, log: noLog }).run(stop.signal);
    await clock.settle();
    expect([store.objects.size, store.calls.at(-1)]).toEqual([100, "bookmark 11"]);
    const kept = store.objects.get("shop/p50");
    store.objects.clear();
    await clock.settle();
    collectGarbage();
    expect([kept?.metadata.name, refs.filter((ref) => ref.deref() !== undefined).length]).toEqual(["p50", 1]);
    stop.abort();
    await running;
  });
});
