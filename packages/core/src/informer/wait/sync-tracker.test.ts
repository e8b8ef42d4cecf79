import { describe, expect, test } from "vitest";
import { AsyncTracker, SingleFileTracker } from "./sync-tracker.ts";

interface Tracker {
  start(): void;
  finished(): void;
  upstreamHasSynced(): void;
  hasSynced(): boolean;
  onSynced(callback: () => void): Disposable;
}

const kinds: Readonly<Record<string, () => Tracker>> = {
  "a single file": () => new SingleFileTracker(),
  "many workers": () => {
    const tracker = new AsyncTracker<string>();
    return {
      start: () => tracker.start("key"),
      finished: () => tracker.finished("key"),
      upstreamHasSynced: () => tracker.upstreamHasSynced(),
      hasSynced: () => tracker.hasSynced(),
      onSynced: (callback) => tracker.onSynced(callback),
    };
  },
};

type Step = "start" | "finished" | "upstreamHasSynced";

for (const [kind, open] of Object.entries(kinds)) {
  describe(`with ${kind}, everything is finished`, () => {
    const rows: readonly (readonly [name: string, steps: readonly Step[], expected: boolean])[] = [
      ["not before anything happened", [], false],
      ["when there was nothing to do", ["upstreamHasSynced"], true],
      ["not while more may come", ["start", "finished"], false],
      ["not while an item is under way", ["start", "upstreamHasSynced"], false],
      ["not while an item is under way and more may come", ["start"], false],
      ["when the last item was finished first", ["start", "finished", "upstreamHasSynced"], true],
      ["when the last item is finished after all have been named", ["start", "upstreamHasSynced", "finished"], true],
      ["for good", ["upstreamHasSynced", "start"], true],
    ];
    for (const [name, steps, expected] of rows) {
      test(name, () => {
        const tracker = open();
        const told: Step[] = [];
        for (const step of steps) {
          using _watch = tracker.hasSynced() ? undefined : tracker.onSynced(() => told.push(step));
          tracker[step]();
          expect(told.length).toBe(tracker.hasSynced() ? 1 : 0);
        }
        expect(tracker.hasSynced()).toBe(expected);
      });
    }
  });
}

describe("a single file", () => {
  test("is counted, one by one or several at a time", () => {
    const tracker = new SingleFileTracker();
    for (let i = 0; i < 60; i++) tracker.start();
    tracker.start(40);
    tracker.upstreamHasSynced();
    for (let i = 0; i < 49; i++) tracker.finished();
    tracker.finished(50);
    expect(tracker.hasSynced()).toBe(false);
    tracker.finished();
    expect(tracker.hasSynced()).toBe(true);
  });

  test("cannot finish more than it started, and stays as it was", () => {
    const tracker = new SingleFileTracker();
    tracker.start();
    expect(() => tracker.finished(2)).toThrow(expect.objectContaining({ reason: "Invalid" }));
    tracker.upstreamHasSynced();
    expect(tracker.hasSynced()).toBe(false);
    tracker.finished();
    expect(() => tracker.finished()).toThrow("more items finished than were started");
    expect(tracker.hasSynced()).toBe(true);
  });
});

describe("many workers", () => {
  test("finish in any order", async () => {
    const tracker = new AsyncTracker<number>();
    const work = async (key: number) => {
      tracker.start(key);
      for (let i = 0; i < 11 - key; i++) await Promise.resolve();
      tracker.finished(key);
    };
    const all = Promise.all(Array.from({ length: 11 }, (_, key) => work(key)));
    tracker.upstreamHasSynced();
    expect(tracker.hasSynced()).toBe(false);
    await all;
    expect(tracker.hasSynced()).toBe(true);
  });

  test("count a key once however often it was started, and do not mind one that nobody started", () => {
    const tracker = new AsyncTracker<string>();
    tracker.start("a");
    tracker.start("a");
    tracker.finished("b");
    tracker.upstreamHasSynced();
    expect(tracker.hasSynced()).toBe(false);
    tracker.finished("a");
    expect(tracker.hasSynced()).toBe(true);
  });
});

describe("those who asked are told", () => {
  test("once, in their order, whatever one of them does", () => {
    const errors: unknown[] = [];
    const tracker = new SingleFileTracker({ onError: (error) => errors.push(error) });
    const told: string[] = [];
    tracker.onSynced(() => told.push("first"));
    tracker.onSynced(() => {
      throw new Error("broken");
    });
    tracker.onSynced(() => told.push("gone"))[Symbol.dispose]();
    tracker.onSynced(() => told.push("second"));
    tracker.upstreamHasSynced();
    tracker.upstreamHasSynced();
    tracker.onSynced(() => told.push("late"))[Symbol.dispose]();
    expect(told).toEqual(["first", "second", "late"]);
    expect(errors).toEqual([new Error("broken")]);
  });
});
