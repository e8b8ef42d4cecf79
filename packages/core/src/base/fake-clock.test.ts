import { describe, expect, test, vi } from "vitest";
import { inFlight } from "./clock.ts";
import { FakeClock } from "./fake-clock.ts";

const never = new AbortController().signal;
const days = 24 * 3600 * 1000;

/** Starts timers that note their name when they fire; returns the notes. */
function noting(clock: FakeClock, timers: readonly (readonly [name: string, delayMs: number])[]): string[] {
  const fired: string[] = [];
  for (const [name, delayMs] of timers) clock.after(delayMs, () => fired.push(`${name}@${clock.monotonic()}`));
  return fired;
}

describe("timers fire in order", () => {
  for (const [fact, timers, byMs, expected] of [
    [
      "by due time",
      [
        ["b", 20],
        ["a", 10],
      ],
      30,
      ["a@10", "b@20"],
    ],
    [
      "then in the order they were made",
      [
        ["a", 10],
        ["b", 10],
        ["c", 10],
      ],
      10,
      ["a@10", "b@10", "c@10"],
    ],
    ["not before they are due", [["a", 10]], 9, []],
    ["exactly when due", [["a", 10]], 10, ["a@10"]],
    [
      "at once when the delay is zero or negative",
      [
        ["a", 0],
        ["b", -5],
      ],
      0,
      ["a@0", "b@0"],
    ],
    ["beyond 24.8 days", [["a", 400 * days]], 400 * days, [`a@${400 * days}`]],
    ["never at Infinity", [["a", Number.POSITIVE_INFINITY]], 1e15, []],
  ] as const) {
    test(fact, async () => {
      const clock = new FakeClock();
      const fired = noting(clock, timers);
      await clock.advance(byMs);
      expect(fired).toEqual(expected);
      expect(clock.monotonic()).toBe(byMs);
    });
  }

  test("a timer made by another, due now, fires in the same call", async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    clock.after(5, () => {
      fired.push("outer");
      clock.after(0, () => fired.push("inner"));
    });
    await clock.advance(5);
    expect(fired).toEqual(["outer", "inner"]);
  });

  test("a timer that was disposed of does not fire", async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    const timer = clock.after(5, () => fired.push("a"));
    clock.after(4, () => timer[Symbol.dispose]());
    await clock.advance(10);
    expect(fired).toEqual([]);
    expect(clock.pending()).toEqual([]);
  });

  test("a callback's error comes out of the call that moved the clock, and the clock goes on working", async () => {
    const clock = new FakeClock();
    clock.after(1, () => {
      throw new Error("boom");
    });
    const fired = noting(clock, [["later", 2]]);
    await expect(clock.advance(5)).rejects.toThrow("boom");
    await clock.advance(5);
    expect(fired).toEqual(["later@2"]);
  });
});

describe("promises settle between timers", () => {
  test("a chain of a thousand awaits ends before the next timer fires", async () => {
    const clock = new FakeClock();
    const order: string[] = [];
    clock.after(1, () => {
      void (async () => {
        for (let i = 0; i < 1000; i++) await null;
        order.push("chain ended");
      })();
    });
    clock.after(1, () => order.push("second timer"));
    await clock.advance(1);
    expect(order).toEqual(["chain ended", "second timer"]);
  });

  test("sleepers in a loop wake at every multiple, interleaved the same way each time", async () => {
    const runs: string[][] = [];
    for (let run = 0; run < 3; run++) {
      const clock = new FakeClock();
      const order: string[] = [];
      const loop = async (name: string, everyMs: number) => {
        for (let i = 0; i < 4; i++) {
          await clock.sleep(everyMs, never);
          order.push(`${name}@${clock.monotonic()}`);
        }
      };
      const both = Promise.all([loop("a", 3), loop("b", 2)]);
      await clock.advance(12);
      await both;
      runs.push(order);
    }
    expect(runs[0]).toEqual(["b@2", "a@3", "b@4", "a@6", "b@6", "b@8", "a@9", "a@12"]);
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).toEqual(runs[0]);
  });
});

describe("in-flight tokens", () => {
  test("time does not move while one is held, even over many turns of the event loop", async () => {
    const clock = new FakeClock();
    const seen: number[] = [];
    const request = inFlight(clock, "GET /pods", async () => {
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
      seen.push(clock.monotonic());
    });
    const fired = noting(clock, [["timer", 10]]);
    const advanced = clock.advance(100);
    expect(clock.inFlight()).toEqual(["GET /pods"]);
    await Promise.all([request, advanced]);
    expect(seen).toEqual([0]);
    expect(fired).toEqual(["timer@10"]);
  });

  test("a timer may start a request that holds the next timer back", async () => {
    const clock = new FakeClock();
    const order: string[] = [];
    clock.after(1, () => {
      void inFlight(clock, "request", async () => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`answer@${clock.monotonic()}`);
      });
    });
    clock.after(2, () => order.push(`timer@${clock.monotonic()}`));
    await clock.advance(5);
    expect(order).toEqual(["answer@1", "timer@2"]);
  });

  test("those who settle while another moves the clock all hear of a release", async () => {
    const clock = new FakeClock({ stuckAfterMs: 2000 });
    const token = clock.hold("request");
    const all = Promise.all([clock.advance(10), clock.settle(), clock.settle()]);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    token[Symbol.dispose]();
    await all;
    expect(clock.monotonic()).toBe(10);
  });

  test("the guard against a stuck token is gone once the token is back", async () => {
    const clock = new FakeClock({ stuckAfterMs: 3_600_000 });
    using set = vi.spyOn(globalThis, "setTimeout");
    using cleared = vi.spyOn(globalThis, "clearTimeout");
    const token = clock.hold("request");
    const settled = clock.settle();
    await new Promise((resolve) => setImmediate(resolve));
    token[Symbol.dispose]();
    await settled;
    const guards = set.mock.results.filter((_, index) => set.mock.calls[index]?.[1] === 3_600_000);
    expect(guards).toHaveLength(1);
    expect(cleared.mock.calls.some(([timer]) => timer === guards[0]?.value)).toBe(true);
  });

  test("giving one back twice does no harm", async () => {
    const clock = new FakeClock();
    const token = clock.hold("once");
    const other = clock.hold("other");
    token[Symbol.dispose]();
    token[Symbol.dispose]();
    expect(clock.inFlight()).toEqual(["other"]);
    other[Symbol.dispose]();
    await clock.advance(1);
  });

  test("one that is never given back fails the call and is named", async () => {
    const clock = new FakeClock({ stuckAfterMs: 5 });
    clock.hold("a request nobody answers");
    await expect(clock.advance(1)).rejects.toThrow(/in flight: a request nobody answers/);
  });

  test("yield counts as in flight", async () => {
    const clock = new FakeClock();
    const yielded = clock.yield();
    expect(clock.inFlight()).toEqual(["yield"]);
    await yielded;
    expect(clock.inFlight()).toEqual([]);
  });
});

describe("labels", () => {
  test("pending timers are listed in firing order with their labels", () => {
    const clock = new FakeClock();
    clock.labelled({ kind: "background", name: "resync" }).after(30, () => {});
    clock.labelled({ kind: "work", name: "back-off" }).after(10, () => {});
    clock.after(20, () => {});
    expect(clock.pending()).toEqual([
      { kind: "work", name: "back-off", dueInMs: 10 },
      { kind: "work", name: "", dueInMs: 20 },
      { kind: "background", name: "resync", dueInMs: 30 },
    ]);
  });

  test("runUntilIdle fires work, and the background on the way, and leaves the rest", async () => {
    const clock = new FakeClock();
    const background = clock.labelled({ kind: "background", name: "renew" });
    const fired: string[] = [];
    const renew = () => {
      fired.push(`renew@${clock.monotonic()}`);
      background.after(10, renew);
    };
    background.after(10, renew);
    const work = (async () => {
      await clock.sleep(15, never);
      await clock.sleep(10, never);
      fired.push(`done@${clock.monotonic()}`);
    })();
    expect(await clock.runUntilIdle()).toBe(25);
    await work;
    expect(fired).toEqual(["renew@10", "renew@20", "done@25"]);
    expect(clock.pending()).toEqual([{ kind: "background", name: "renew", dueInMs: 5 }]);
  });

  test("a cancelled work timer no longer keeps the clock from being idle", async () => {
    const clock = new FakeClock();
    clock.after(1000, () => {})[Symbol.dispose]();
    expect(await clock.runUntilIdle()).toBe(0);
  });
});

describe("drive", () => {
  test("moves time as far as the work needs and gives its result", async () => {
    const clock = new FakeClock();
    const work = (async () => {
      await clock.sleep(3 * 3600 * 1000, never);
      return "slept";
    })();
    expect(await clock.drive(work)).toBe("slept");
    expect(clock.monotonic()).toBe(3 * 3600 * 1000);
  });

  test("rejects as the work does", async () => {
    const clock = new FakeClock();
    const work = clock.sleep(5, never).then(() => {
      throw new Error("work failed");
    });
    await expect(clock.drive(work)).rejects.toThrow("work failed");
  });

  for (const [fact, start, expected] of [
    ["says so when nothing is left that could end the work", () => {}, /no timer is left \(nothing pending\)/],
    [
      "names what is pending when the limit is reached",
      (clock: FakeClock) => {
        const tick = () => clock.labelled({ kind: "background", name: "tick" }).after(1000, tick);
        tick();
      },
      /not done after 60000 ms of virtual time \(background timer tick in 1000 ms\)/,
    ],
  ] as const) {
    test(fact, async () => {
      const clock = new FakeClock();
      start(clock);
      await expect(clock.drive(new Promise(() => {}), { limitMs: 60_000 })).rejects.toThrow(expected);
    });
  }

  test("does not fire a timer at Infinity, however long it may wait", async () => {
    const clock = new FakeClock();
    const fired = noting(clock, [["never", Number.POSITIVE_INFINITY]]);
    await expect(clock.drive(new Promise(() => {}), { limitMs: Number.POSITIVE_INFINITY })).rejects.toThrow("not done");
    expect(fired).toEqual([]);
  });

  test("advancing without end is refused", async () => {
    await expect(new FakeClock().advance(Number.POSITIVE_INFINITY)).rejects.toThrow("advance needs a finite number");
  });

  test("two drivers at once are a mistake that is told", async () => {
    const clock = new FakeClock();
    const first = clock.advance(10);
    await expect(clock.advance(10)).rejects.toThrow(/advance called while advance moves the clock/);
    await first;
    expect(clock.monotonic()).toBe(10);
  });
});

describe("wall time", () => {
  test("starts at 2030 and follows the monotonic time", async () => {
    const clock = new FakeClock();
    await clock.advance(1500);
    expect(new Date(clock.now()).toISOString()).toBe("2030-01-01T00:00:01.500Z");
  });

  test("set after time has passed, it counts on from there", async () => {
    const clock = new FakeClock();
    await clock.advance(1000);
    clock.setWallTime(5);
    await clock.advance(2);
    expect(clock.now()).toBe(7);
  });

  test("may jump without any timer noticing", async () => {
    const clock = new FakeClock({ wallMs: 1_000_000 });
    const fired = noting(clock, [["a", 10]]);
    clock.setWallTime(5);
    expect(clock.now()).toBe(5);
    await clock.advance(9);
    expect([clock.now(), fired]).toEqual([14, []]);
  });
});

describe("sleep", () => {
  test("rejects with the signal's reason and takes its timer back", async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const slept = clock.sleep(1000, controller.signal);
    controller.abort("enough");
    await expect(slept).rejects.toBe("enough");
    expect(clock.pending()).toEqual([]);
  });

  test("does not start when the signal has fired", async () => {
    const clock = new FakeClock();
    await expect(clock.sleep(1000, AbortSignal.abort("gone"))).rejects.toBe("gone");
    expect(clock.pending()).toEqual([]);
  });

  test("a delay that is not a number is refused", async () => {
    const clock = new FakeClock();
    expect(() => clock.after(Number.NaN, () => {})).toThrow("delay is not a number");
    await expect(clock.sleep(Number.NaN, never)).rejects.toThrow("delay is not a number");
  });
});
