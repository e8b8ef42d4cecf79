import { type Clock, systemClock } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { RequestScheduler, type SchedulerLimits } from "./request-scheduler.ts";

const small = { isLongRunning: false, bytes: 0 };
const watch = { isLongRunning: true, bytes: 0 };

/** Turns are the event loop's own; the time that passes in one is the test's. */
function newScheduler(limits: SchedulerLimits = {}) {
  const time = { ms: 100 };
  const clock: Clock = { ...systemClock, monotonic: () => time.ms };
  return { time, scheduler: new RequestScheduler(clock, limits) };
}

const isBegun = (entered: unknown) => typeof entered === "object" && entered !== null && Symbol.dispose in entered;

describe("in one turn of the event loop", () => {
  test("requests begin at once as long as there is time", () => {
    const { time, scheduler } = newScheduler();
    expect(isBegun(scheduler.enter(small))).toBe(true);
    time.ms += 4.9;
    expect(isBegun(scheduler.enter(small))).toBe(true);
  });

  test("who comes later waits, goes on in a later turn, and nobody overtakes", async () => {
    const { time, scheduler } = newScheduler();
    void scheduler.enter(small);
    time.ms += 5;
    const begun: string[] = [];
    const enter = async (name: string, forMs: number) => {
      await scheduler.enter(small);
      begun.push(name);
      time.ms += forMs;
    };
    const all = [enter("a", 3), enter("b", 3), enter("c", 9), enter("d", 1)];
    expect(begun).toEqual([]);
    await systemClock.yield();
    expect(begun).toEqual(["a", "b"]);
    // This turn has time enough, but somebody was here before.
    all.push(enter("e", 1));
    await systemClock.yield();
    expect(begun).toEqual(["a", "b", "c"]);
    await Promise.all(all);
    expect(begun).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("the next turn begins anew", async () => {
    const { time, scheduler } = newScheduler();
    void scheduler.enter(small);
    time.ms += 50;
    await systemClock.yield();
    expect(isBegun(scheduler.enter(small))).toBe(true);
  });
});

describe("in flight", () => {
  /** Enters and notes in which order requests begin; what ends each is kept under its name. */
  function recorded(limits: SchedulerLimits) {
    const { scheduler } = newScheduler(limits);
    const begun: string[] = [];
    const ends = new Map<string, Disposable>();
    const enter = (name: string, request = small) => {
      const entered = scheduler.enter(request);
      if (entered === undefined) return "refused";
      void (async () => {
        ends.set(name, await entered);
        begun.push(name);
      })();
      return "taken";
    };
    const settled = async () => {
      for (let i = 0; i < 3; i++) await systemClock.yield();
      return [...begun];
    };
    return { enter, settled, end: (name: string) => ends.get(name)?.[Symbol.dispose]() };
  }

  test("are so many, and the next begins when one has ended, once for each", async () => {
    const { enter, settled, end } = recorded({ running: 2 });
    for (const name of ["a", "b", "c", "d"]) enter(name);
    expect(await settled()).toEqual(["a", "b"]);
    end("a");
    end("a");
    expect(await settled()).toEqual(["a", "b", "c"]);
    end("b");
    expect(await settled()).toEqual(["a", "b", "c", "d"]);
  });

  test("are bodies of so many bytes, and one that is larger alone", async () => {
    const { enter, settled, end } = recorded({ bytes: 100 });
    const body = (bytes: number) => ({ isLongRunning: false, bytes });
    enter("a", body(60));
    enter("b", body(40));
    enter("c", body(1));
    enter("d", body(500));
    expect(await settled()).toEqual(["a", "b"]);
    end("a");
    expect(await settled()).toEqual(["a", "b", "c"]);
    end("b");
    expect(await settled()).toEqual(["a", "b", "c"]);
    end("c");
    expect(await settled()).toEqual(["a", "b", "c", "d"]);
  });

  test("watches are not counted, and do not wait for those who are", async () => {
    const { enter, settled } = recorded({ running: 1 });
    enter("a");
    enter("b");
    for (const name of ["w1", "w2"]) enter(name, watch);
    expect(await settled()).toEqual(["a", "w1", "w2"]);
  });

  test("who finds the queue full is refused, until there is room in it", async () => {
    const { enter, settled, end } = recorded({ running: 1, waiting: 2 });
    expect(["a", "b", "c", "d"].map((name) => enter(name))).toEqual(["taken", "taken", "taken", "refused"]);
    await settled();
    end("a");
    await settled();
    expect(enter("e")).toBe("taken");
    expect(enter("f")).toBe("refused");
    expect(await settled()).toEqual(["a", "b"]);
  });

  test("by default 600 that hold 64 MiB, and 2,000 that wait", async () => {
    const { scheduler } = newScheduler();
    for (let i = 0; i < 600; i++) expect(isBegun(scheduler.enter(small))).toBe(true);
    for (let i = 0; i < 2_000; i++) expect(scheduler.enter(small)).toBeInstanceOf(Promise);
    expect(scheduler.enter(small)).toBeUndefined();
    const large = newScheduler().scheduler;
    const mebibytes = { isLongRunning: false, bytes: 3 * 1024 * 1024 };
    for (let i = 0; i < 21; i++) expect(isBegun(large.enter(mebibytes))).toBe(true);
    expect(large.enter(mebibytes)).toBeInstanceOf(Promise);
  });
});
