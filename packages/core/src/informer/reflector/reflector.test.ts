import { describe, expect, test } from "vitest";
import {
  newExpired,
  newForbidden,
  newInternalError,
  newInvalid,
  newNotFound,
  newStatusError,
  newTooLargeResourceVersion,
  newTooManyRequests,
  type StatusError,
  TransportError,
} from "../../api/index.ts";
import { FakeClock, jsonLineLog, MetricsRegistry, seededRandom } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import type { ReflectorStatus } from "../liveness.ts";
import type { Transform } from "../store/store.ts";
import { RecordingStore } from "./recording-store.fixture.ts";
import { Reflector, type ReflectorOptions } from "./reflector.ts";
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

const second = 1000;
const minute = 60 * second;
const podsResource = { group: "", resource: "pods" };
const refused = new TransportError("connect failed", { reason: "ConnectionRefused", wasSent: "no" });
const reset = new TransportError("reset", { reason: "ConnectionReset", wasSent: "maybe" });
const expired = newExpired("too old resource version");
const busy = newTooManyRequests("too many requests", { retryAfterSeconds: 1 });
const internal = newInternalError(new Error("etcdserver: no leader"));
const inStream = (error: StatusError): WatchEvent<Pod> => ({ type: "ERROR", object: error.status });

function setUp(script: Script, options: ReflectorOptions = {}, transform?: Transform<Pod>) {
  const clock = new FakeClock();
  const source = new ScriptedSource(clock, script);
  const store = new RecordingStore(transform);
  const errors: string[] = [];
  const rows: string[] = [];
  const reflector = new Reflector<Pod>(source, store, {
    name: "pods",
    clock,
    random: { next: () => 0 },
    onError: (error) => errors.push(error.message),
    onRow: (row) => rows.push(row),
    ...options,
  });
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  return {
    clock,
    source,
    store,
    errors,
    rows,
    reflector,
    signal: stop.signal,
    /** Runs for so long in virtual time. */
    async run(forMs: number) {
      running ??= reflector.run(stop.signal);
      await clock.advance(forMs);
    },
    /** Ends it, and looks whether anything was left. */
    async stop() {
      stop.abort();
      await running;
      expect(clock.pending()).toEqual([]);
      expect(source.openWatches).toBe(0);
    },
  };
}

/** What was asked and what the store was told, in the order it happened, after so long. */
async function outcome(script: Script, forMs: number, options: ReflectorOptions = {}) {
  const all = setUp(script, options);
  await all.run(forMs);
  const { asked } = all.source;
  await all.stop();
  return { ...all, asked };
}

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

describe("a watch that ends", () => {
  test.each([
    ["in order, is opened again at once", { parts: [{ afterMs: 2 * second }], ending: "close" as const }, 2 * second],
    ["with a reset after events, is opened again at once", { parts: [[added("a", "11")]], ending: reset }, 0],
  ])("%s", async (_, script, atMs) => {
    const { source, asked } = await outcome({ watches: [script] }, 5 * second);
    expect(asked).toEqual(["list 0 by 500", "watch 10", `watch ${script.ending === reset ? 11 : 10}`]);
    expect(source.askedMs[2]).toBe(atMs);
  });

  test("with a reset before any event, is opened again after a pause, without a list", async () => {
    const { asked, source, errors } = await outcome({ watches: [reset] }, 5 * second);
    expect([asked, source.askedMs]).toEqual([
      ["list 0 by 500", "watch 10", "watch 10"],
      [0, 0, 800],
    ]);
    expect(errors).toEqual(["reset"]);
  });

  test.each([
    ["when it is opened", busy],
    ["in the stream", { parts: [[inStream(busy)]] }],
    ["by a refused connection", refused],
  ])("because nobody has time, %s, is opened again after a pause, without a list", async (_, script) => {
    const { asked, source, errors } = await outcome({ watches: [script, script, script, script] }, 20 * second);
    expect(asked).toEqual(["list 0 by 500", "watch 10", "watch 10", "watch 10", "watch 10", "watch 10"]);
    const pauses = source.askedMs.slice(2).map((ms, i) => ms - (source.askedMs[i + 1] ?? 0));
    expect(pauses).toEqual(script === refused ? [800, 1600, 3200, 6400] : [1000, 1600, 3200, 6400]);
    expect(errors).toHaveLength(4);
  });

  test("because its version has expired, is followed by a list no older than it", async () => {
    const { asked, errors } = await outcome(
      { watches: [{ parts: [[added("a", "15")], [inStream(expired)]] }] },
      2 * second,
    );
    expect(asked).toEqual(["list 0 by 500", "watch 10", "list 15", "watch 10"]);
    expect(errors).toEqual(["too old resource version"]);
  });

  test("because it could not be opened at its version, is followed by a list", async () => {
    const { asked, errors } = await outcome({ watches: [expired] }, 2 * second);
    expect(asked).toEqual(["list 0 by 500", "watch 10", "list 10", "watch 10"]);
    expect(errors).toEqual(["too old resource version"]);
  });

  test("at once, each time, is not asked for ten times in five seconds", async () => {
    const { asked, errors } = await outcome(
      { watches: Array.from({ length: 100 }, () => ({ ending: "close" as const })) },
      5 * second,
    );
    expect(asked.length).toBeLessThan(10);
    expect(new Set(errors)).toEqual(new Set(["watch ended within a second and without an event"]));
  });

  test("at once, each time with an event, is not asked for ten times in five seconds either", async () => {
    const watches = Array.from({ length: 100 }, (_, i) => ({
      parts: [[added("a", String(20 + i))]],
      ending: "close" as const,
    }));
    const { asked } = await outcome({ watches }, 5 * second);
    expect(asked.length).toBeLessThan(10);
    expect(asked.slice(2)).not.toContain("list 10");
  });

  test.each([
    ["unless told otherwise, once", 0, 0],
    ["for as long as told", 30 * second, 31],
  ])("for an internal error is opened again %s", async (_, maxInternalErrorRetryMs, retries) => {
    const watches = Array.from({ length: 100 }, () => ({ parts: [{ afterMs: second }, [inStream(internal)]] }));
    const { asked } = await outcome({ watches }, 40 * second, { maxInternalErrorRetryMs });
    const untilList = asked.indexOf("list 10");
    expect(asked.slice(2, untilList)).toHaveLength(retries);
  });

  test("for an internal error counts anew after a quiet minute", async () => {
    const failing = { parts: [{ afterMs: second }, [inStream(internal)]] };
    const quiet = { parts: [{ afterMs: minute }, [inStream(internal)]] };
    const watches = [...Array(9).fill(failing), quiet, ...Array(100).fill(failing)];
    const { asked } = await outcome({ watches }, 150 * second, { maxInternalErrorRetryMs: 30 * second });
    expect(asked.indexOf("list 10") - 2).toBe(40);
  });

  test("not by itself but long after its time, with nothing heard, is cut and opened again", async () => {
    const { asked, source, errors } = await outcome({}, 7 * minute);
    expect(asked).toEqual(["list 0 by 500", "watch 10", "watch 10"]);
    expect(source.askedMs[2]).toBe(5 * minute + 30 * second);
    expect(errors).toEqual(["watch outlived its time and nothing was heard on it"]);
  });

  test("not by itself although its time is over is left alone while something is heard", async () => {
    const parts = Array.from({ length: 8 }, () => [{ afterMs: minute }, [bookmark("11")]]).flat();
    const { asked, source } = await outcome({ watches: [{ parts }] }, 10 * minute);
    expect(asked).toEqual(["list 0 by 500", "watch 10", "watch 11"]);
    expect(source.askedMs[2]).toBe(9 * minute + 30 * second);
  });
});

describe("a streamed list that fails", () => {
  const streaming = (watches: NonNullable<Script["watches"]>): Script => ({ canWatchList: true, watches });

  test.each([
    ["because the server does not know it", newInvalid({ group: "", kind: "ListOptions" }, "", { faults: [] })],
    ["for any other reason", new Error("dummy error")],
    ["because one may not watch", newForbidden(podsResource, "", { detail: "no" })],
  ])("%s is replaced by a list at once", async (_, failure) => {
    const { asked, source, errors } = await outcome(streaming([failure, { parts: [[added("b", "11")]] }]), second);
    expect(asked).toEqual(["stream newest", "list 0 by 500", "watch 10"]);
    expect(source.askedMs).toEqual([0, 0, 0]);
    expect(errors).toHaveLength(1);
  });

  test("because there is no time for it is tried again after a pause", async () => {
    const { asked, source, store } = await outcome(
      streaming([busy, refused, { parts: [[added("a", "1"), initialEnd("2")]] }]),
      5 * second,
    );
    expect(asked).toEqual(["stream newest", "stream newest", "stream newest"]);
    expect(source.askedMs).toEqual([0, 1000, 2600]);
    expect(store.content).toEqual(["a@1"]);
  });

  test("by ending before its bookmark is tried again after a pause, and nothing of it is kept", async () => {
    const { asked, source, store } = await outcome(
      streaming([{ parts: [[added("gone", "1")]], ending: "close" }, { parts: [[added("a", "1"), initialEnd("1")]] }]),
      second,
    );
    expect([asked, source.askedMs, store.calls]).toEqual([
      ["stream newest", "stream newest"],
      [0, 800],
      ["replace [a@1] at 1"],
    ]);
  });

  test("so each time is replaced by a list, and for half an hour no other is asked for", async () => {
    const ended = { parts: [[added("a", "1")]], ending: "close" as const };
    const halfAnHour = Array.from({ length: 31 }, () => [{ afterMs: minute }, [bookmark("20")]]).flat();
    const afterwards = { parts: [...halfAnHour, [inStream(expired)]] };
    const { asked } = await outcome(
      streaming([ended, ended, { parts: [[inStream(expired)]] }, afterwards, { parts: [[initialEnd("30")]] }]),
      35 * minute,
    );
    expect(asked).toEqual([
      "stream newest",
      "stream newest",
      "list 0 by 500",
      "watch 10",
      "list 10",
      "watch 10",
      "stream 20",
    ]);
  });

  test("by saying nothing is replaced by a list after half a minute", async () => {
    const { asked, source, errors } = await outcome(streaming([{ parts: [[added("a", "1")]] }]), minute);
    expect([asked, source.askedMs]).toEqual([
      ["stream newest", "list 0 by 500", "watch 10"],
      [0, 30 * second, 30 * second],
    ]);
    expect(errors).toEqual(["streamed list made no progress and its bookmark did not come"]);
  });

  test("by changes and bookmarks that never end is replaced by a list all the same", async () => {
    const parts = Array.from({ length: 20 }, (_, i) => [
      { afterMs: 5 * second },
      [modified("a", `${10 + i}`), bookmark(`${10 + i}`)],
    ]).flat();
    const { asked, source } = await outcome(streaming([{ parts: [[added("a", "1")], ...parts] }]), minute);
    expect(asked).toEqual(["stream newest", "list 0 by 500", "watch 10"]);
    expect(source.askedMs[1]).toBe(30 * second);
  });

  test("not, takes as long as objects come", async () => {
    const parts = Array.from({ length: 20 }, (_, i) => [{ afterMs: 20 * second }, [added(`a${i}`, `${i + 1}`)]]).flat();
    const { asked, store } = await outcome(streaming([{ parts: [...parts, [initialEnd("20")]] }]), 7 * minute);
    expect(asked).toEqual(["stream newest"]);
    expect(store.objects.size).toBe(20);
  });

  test("is not asked for where the user does not want it", async () => {
    const { asked } = await outcome({ canWatchList: true }, 0, { watchListEnabled: false });
    expect(asked).toEqual(["list 0 by 500", "watch 10"]);
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
      ["debug", "logged", "watch/expired"],
    ]);
  });
});

describe("objects that do not belong there", () => {
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s", resourceVersion: "99" },
  } as unknown as Pod;
  const otherVersion = { ...pod("p", "99"), apiVersion: "v2" };
  const table = { apiVersion: "meta.k8s.io/v1", kind: "Table", metadata: { resourceVersion: "99" } } as unknown as Pod;
  const bare = { apiVersion: "v1", kind: "Pod" } as unknown as Pod;

  test.each([
    ["of another kind", service],
    ["of another version", otherVersion],
    ["a table", table],
    ["without metadata", bare],
    ["nothing at all", undefined as unknown as Pod],
  ])("are dropped from a watch, which goes on: %s", async (_, object) => {
    const { store, errors, reflector, rows } = await outcome(
      { watches: [{ parts: [[{ type: "ADDED", object } as WatchEvent<Pod>], [added("a", "11")]] }] },
      0,
    );
    expect(store.calls).toEqual(["replace [] at 10", "add a@11"]);
    expect(errors).toEqual([expect.stringContaining("dropped what the server sent")]);
    expect(rows.slice(-2)).toEqual(["watch/only-dropped", "watch/events"]);
    expect(reflector.lastSyncResourceVersion).toBe("11");
  });

  test("do not make a short watch a good one", async () => {
    const { rows } = await outcome(
      { watches: [{ parts: [[{ type: "ADDED", object: service }]], ending: "close" }] },
      0,
    );
    expect(rows.at(-1)).toBe("watch/short");
  });

  test("are dropped from a list and from a streamed one", async () => {
    const listed = await outcome({ lists: [{ items: [pod("a", "1"), service] }] }, 0);
    const streamed = await outcome(
      {
        canWatchList: true,
        watches: [{ parts: [[added("a", "1"), { type: "ADDED", object: service }, initialEnd("10")]] }],
      },
      0,
    );
    expect([listed.store.calls, streamed.store.calls]).toEqual([["replace [a@1] at 10"], ["replace [a@1] at 10"]]);
    expect([listed.errors.length, streamed.errors.length]).toEqual([1, 1]);
  });

  test("fail a list that is a table", async () => {
    const { store, errors } = await outcome({ lists: [{ items: [table] }] }, 0);
    expect([store.calls, errors.length]).toEqual([[], 1]);
  });

  test("are events of a type nobody knows", async () => {
    const { errors, store } = await outcome(
      { watches: [{ parts: [[{ type: "GONE", object: pod("a", "99") } as unknown as WatchEvent<Pod>]] }] },
      0,
    );
    expect([store.calls, errors]).toEqual([
      ["replace [] at 10"],
      ['dropped what the server sent: unknown event type "GONE"'],
    ]);
  });

  test("are whatever is not of the kind the user expects", async () => {
    const { store } = await outcome({ lists: [{ items: [pod("a", "1"), service] }] }, 0, {
      expectedKind: { apiVersion: "v1", kind: "Service" },
    });
    expect(store.calls).toEqual(["replace [s@99] at 10"]);
  });
});

describe("the store's transform", () => {
  const counting = () => {
    const counts: Record<string, number> = {};
    const transform: Transform<Pod> = (object) => {
      const name = object.metadata.name ?? "";
      counts[name] = (counts[name] ?? 0) + 1;
      return { ...object, metadata: { ...object.metadata, labels: { seen: "yes" } } };
    };
    return { counts, transform };
  };

  test.each([
    ["a list", { lists: [{ items: [pod("a", "1"), pod("b", "2")] }], watches: [{ parts: [[added("c", "11")]] }] }],
    [
      "a streamed list",
      {
        canWatchList: true,
        watches: [{ parts: [[added("a", "1"), added("b", "2"), initialEnd("10"), added("c", "11")]] }],
      },
    ],
  ])("is applied once to each object of %s and of the watch that follows", async (_, script: Script) => {
    const { counts, transform } = counting();
    const { run, stop, store } = setUp(script, {}, transform);
    await run(0);
    await stop();
    expect(counts).toEqual({ a: 1, b: 1, c: 1 });
    expect([...store.objects.values()].map(({ metadata }) => metadata.labels)).toEqual(Array(3).fill({ seen: "yes" }));
  });

  test.each([
    ["a list", {}, "list 0 by 500"],
    ["a streamed list", { canWatchList: true }, "stream newest"],
  ])("that fails once on %s is reported, and the list is taken again, whole", async (_, changes: Script, again) => {
    const parts = [[added("a", "1"), added("b", "2"), initialEnd("10")]];
    const script = { lists: [{ items: [pod("a", "1"), pod("b", "2")] }], watches: [{ parts }, { parts }], ...changes };
    const faults = [new Error("bad object")];
    const { run, stop, store, errors, source } = setUp(script, {}, (object) => {
      const fault = object.metadata.name === "b" ? faults.pop() : undefined;
      if (fault !== undefined) throw fault;
      return object;
    });
    await run(500);
    expect(store.calls).toEqual([]);
    await run(500);
    expect(store.calls[0]).toBe("replace [a@1 b@2] at 10");
    expect(source.asked.slice(0, 2)).toEqual([again, again]);
    expect(errors).toEqual(["transform failed: bad object"]);
    await stop();
  });

  test("that fails on a watch event is reported, and that event skipped", async () => {
    const { run, stop, store, errors, reflector } = setUp(
      { watches: [{ parts: [[added("bad", "11"), added("a", "12")]] }] },
      {},
      (object) => {
        if (object.metadata.name === "bad") throw new Error("bad object");
        return object;
      },
    );
    await run(0);
    await stop();
    expect([store.content, errors, reflector.lastSyncResourceVersion]).toEqual([
      ["a@12"],
      ["store refused an event: bad object"],
      "12",
    ]);
  });

  test("has nothing to do with a list the store itself refuses, which is taken again", async () => {
    const { run, stop, store, errors, source } = setUp({});
    store.faults.set("replace", new Error("full"));
    await run(second);
    expect([source.asked, errors]).toEqual([
      ["list 0 by 500", "list 0 by 500", "watch 10"],
      ["store refused the list: full"],
    ]);
    await stop();
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

  test("is no failure", async () => {
    const { errors, reflector } = await outcome({}, second);
    expect([errors, reflector.status.errors]).toEqual([[], 0]);
  });

  test("is needed before it can be run again", async () => {
    const { run, stop, reflector, signal } = setUp({});
    await run(0);
    await expect(reflector.run(signal)).rejects.toThrow("reflector is running already");
    await stop();
  });
});

describe("the status", () => {
  const wallMs = new FakeClock().now();

  test("tells what it is doing, since when there is trouble, and what it was", async () => {
    const { run, stop, reflector } = setUp({
      lists: [internal, { afterMs: second }],
      watches: [{ parts: [{ afterMs: second }, [added("a", "11")]] }],
    });
    expect(reflector.status).toEqual({
      phase: "idle",
      lastContactMs: undefined,
      failingSinceMs: undefined,
      resourceVersion: "",
      lists: 0,
      watches: 0,
      errors: 0,
      lastFailure: undefined,
    });
    await run(100);
    const failure = { error: internal, atMs: wallMs };
    const failing = { failingSinceMs: wallMs, errors: 1, lastFailure: failure };
    expect(reflector.status).toMatchObject({ phase: "waiting", lists: 1, lastContactMs: undefined, ...failing });
    await run(800);
    expect(reflector.status).toMatchObject({ phase: "listing", lists: 2, ...failing });
    await run(second);
    expect(reflector.status).toMatchObject({
      phase: "watching",
      lastContactMs: wallMs + 1800,
      failingSinceMs: undefined,
      resourceVersion: "10",
      watches: 1,
      lastFailure: failure,
    });
    await run(second);
    expect(reflector.status).toMatchObject({ lastContactMs: wallMs + 2800, resourceVersion: "11" });
    await stop();
    expect(reflector.status.phase).toBe("stopped");
  });

  test("shows trouble until something is heard on the watch that follows", async () => {
    const { run, stop, reflector } = setUp({
      watches: [refused, { parts: [{ afterMs: 10 * second }, [bookmark("11")]] }],
    });
    await run(5 * second);
    expect(reflector.status).toMatchObject({ phase: "watching", failingSinceMs: wallMs });
    await run(6 * second);
    expect(reflector.status.failingSinceMs).toBeUndefined();
    await stop();
  });

  test("takes a watch that has not failed for a minute for open", async () => {
    const { run, stop, reflector } = setUp({ watches: [refused] });
    await run(30 * second);
    expect(reflector.status.failingSinceMs).toBe(wallMs);
    await run(31 * second);
    expect(reflector.status.failingSinceMs).toBeUndefined();
    await stop();
  });

  test("is told to those who want to hear of changes, but not of every event", async () => {
    const heard: ReflectorStatus["phase"][] = [];
    const { run, stop, reflector } = setUp({
      lists: [internal, {}],
      watches: [{ parts: [[added("a", "11")], [added("b", "12")]] }],
    });
    using _ = reflector.onStatusChange(({ phase }) => heard.push(phase));
    await run(second);
    await stop();
    expect(heard).toEqual(["idle", "listing", "waiting", "listing", "watching", "stopped"]);
  });

  test("counts a streamed list as a list and a watch", async () => {
    const { run, stop, reflector } = setUp({ canWatchList: true, watches: [{ parts: [[initialEnd("5")]] }] });
    await run(0);
    expect(reflector.status).toMatchObject({ phase: "watching", lists: 1, watches: 1, resourceVersion: "5" });
    await stop();
  });
});

describe("metrics", () => {
  test("are upstream's, by name, and go when the reflector does", async () => {
    const metrics = new MetricsRegistry();
    const node = { ...pod("x", "1"), kind: "Node" } as unknown as Pod;
    const wrong: WatchEvent<Pod> = { type: "ADDED", object: node };
    const { run, stop, reflector } = setUp(
      {
        lists: [{ items: [pod("a", "1"), pod("b", "2")], afterMs: 2 * second, resourceVersion: "1234567890123456789" }],
        watches: [{ ending: "close" }, { parts: [[added("c", "1234567890123456790"), wrong]], ending: reset }],
      },
      { metrics, name: "metered" },
    );
    await run(10 * second);
    const text = metrics.print();
    const value = (name: string) =>
      text
        .split("\n")
        .find((line) => line.startsWith(`${name}{name="metered"}`))
        ?.split(" ")[1];
    expect({
      lists: value("reflector_lists_total"),
      listSeconds: value("reflector_list_duration_seconds_sum"),
      items: value("reflector_items_per_list_sum"),
      watches: value("reflector_watches_total"),
      short: value("reflector_short_watches_total"),
      watched: value("reflector_watch_duration_seconds_count"),
      heard: value("reflector_items_per_watch_sum"),
      version: Number(value("reflector_last_resource_version")),
      dropped: value("reflector_dropped_total"),
    }).toEqual({
      lists: "2",
      listSeconds: "4",
      items: "4",
      watches: "3",
      short: "1",
      watched: "2",
      heard: "2",
      version: 567_890_123_456_790,
      dropped: "1",
    });
    await stop();
    expect(metrics.print()).not.toContain("metered");
    expect(reflector.name).toBe("metered");
  });
});

test("names are made unique", () => {
  const clock = new FakeClock();
  const make = () => new Reflector(new ScriptedSource(clock, {}), new RecordingStore(), { name: "twice" }).name;
  expect([make(), make(), make()]).toEqual(["twice", "twice#2", "twice#3"]);
});
