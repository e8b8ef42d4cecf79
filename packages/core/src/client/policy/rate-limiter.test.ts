import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Clock, FakeClock } from "../../base/index.ts";
import { RateLimiter } from "./rate-limiter.ts";

const never = new AbortController().signal;

/** Who was let through, and when. */
class Admissions {
  readonly clock = new FakeClock();
  readonly limiter: RateLimiter;
  readonly seen: [name: string, atMs: number][] = [];

  constructor(qps: number, burst: number) {
    this.limiter = new RateLimiter({ qps, burst, clock: this.clock });
  }

  come(name: string, signal = never): void {
    this.limiter.wait(signal).then(
      () => this.seen.push([name, this.clock.monotonic()]),
      () => this.seen.push([`${name} left`, this.clock.monotonic()]),
    );
  }

  comeAll(count: number): void {
    for (let i = 1; i <= count; i++) this.come(String(i));
  }

  get times(): readonly number[] {
    return this.seen.map(([, atMs]) => atMs);
  }
}

describe("when a limiter lets through those who come at once", () => {
  for (const [name, policy, times] of [
    ["a burst at once, then one every 1/qps seconds", { qps: 5, burst: 2 }, [0, 0, 200, 400, 600]],
    ["less than one a second", { qps: 0.5, burst: 1 }, [0, 2000, 4000, 6000, 8000]],
    ["a fraction more than one a second", { qps: 1.25, burst: 1 }, [0, 800, 1600, 2400, 3200]],
    ["all of them while the burst lasts", { qps: 1, burst: 5 }, [0, 0, 0, 0, 0]],
    ["all of them without a limit", { qps: Number.POSITIVE_INFINITY, burst: 1 }, [0, 0, 0, 0, 0]],
  ] as const) {
    test(name, async () => {
      const line = new Admissions(policy.qps, policy.burst);
      line.comeAll(5);
      await line.clock.runUntilIdle();
      expect(line.seen).toEqual(times.map((atMs, i) => [String(i + 1), atMs]));
      expect(line.clock.pending()).toEqual([]);
    });
  }
});

test("a long rest fills the bucket to its burst and no further", async () => {
  const line = new Admissions(10, 2);
  line.comeAll(2);
  await line.clock.advance(3_600_000);
  line.comeAll(4);
  await line.clock.runUntilIdle();
  expect(line.times.slice(2)).toEqual([3_600_000, 3_600_000, 3_600_100, 3_600_200]);
});

test("half a rest gives half a bucket", async () => {
  const line = new Admissions(10, 4);
  line.comeAll(4);
  await line.clock.advance(250);
  line.comeAll(4);
  await line.clock.runUntilIdle();
  expect(line.times.slice(4)).toEqual([250, 250, 300, 400]);
});

describe("who gives up", () => {
  for (const [name, quitter, expected] of [
    ["at the head gives the next token to the second", "a", ["b 100", "c 200"]],
    ["in the middle lets those behind move up", "b", ["a 100", "c 200"]],
    ["at the end changes nothing for the others", "c", ["a 100", "b 200"]],
  ] as const) {
    test(name, async () => {
      const line = new Admissions(10, 1);
      line.come("first");
      const leaving = new AbortController();
      for (const one of ["a", "b", "c"]) line.come(one, one === quitter ? leaving.signal : never);
      await line.clock.advance(50);
      leaving.abort();
      await line.clock.runUntilIdle();
      expect(line.seen.map(([who, atMs]) => `${who} ${atMs}`)).toEqual(["first 0", `${quitter} left 50`, ...expected]);
      expect(line.clock.pending()).toEqual([]);
    });
  }

  test("before coming takes nothing, with its own reason", async () => {
    const line = new Admissions(10, 1);
    await expect(line.limiter.wait(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    expect(line.limiter.tryTake()).toBe(true);
  });

  test("leaves no token wasted when all do", async () => {
    const line = new Admissions(10, 1);
    line.come("first");
    const leaving = new AbortController();
    for (const one of ["a", "b", "c"]) line.come(one, leaving.signal);
    leaving.abort();
    expect([line.limiter.waiting, line.clock.pending()]).toEqual([0, []]);
    await line.clock.advance(100);
    line.come("later");
    await line.clock.settle();
    expect(line.seen.at(-1)).toEqual(["later", 100]);
  });
});

test("who was served leaves nothing on the signal", async () => {
  const line = new Admissions(10, 1);
  const { signal } = new AbortController();
  for (const one of ["a", "b", "c"]) line.come(one, signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  await line.clock.runUntilIdle();
  expect([line.times, getEventListeners(signal, "abort").length]).toEqual([[0, 100, 200], 0]);
});

test("nobody overtakes those who wait, and the limiter says how long it would take", async () => {
  const line = new Admissions(10, 2);
  expect([line.limiter.tryTake(), line.limiter.tryTake(), line.limiter.tryTake()]).toEqual([true, true, false]);
  line.come("a");
  expect([line.limiter.waiting, line.limiter.waitMs]).toEqual([1, 200]);
  await line.clock.advance(90);
  expect([line.limiter.tryTake(), line.limiter.waitMs]).toEqual([false, 110]);
  await line.clock.runUntilIdle();
  expect(line.seen).toEqual([["a", 100]]);
});

test("a timer that is late lets through all who are due", () => {
  let nowMs = 0;
  let fire = () => {};
  const clock = {
    monotonic: () => nowMs,
    after: (_: number, callback: () => void) => {
      fire = callback;
      return { [Symbol.dispose]() {} };
    },
    labelled: () => clock,
  } as unknown as Clock;
  const limiter = new RateLimiter({ qps: 10, burst: 3, clock });
  for (let i = 0; i < 8; i++) void limiter.wait(never);
  expect(limiter.waiting).toBe(5);
  nowMs = 250;
  fire();
  expect(limiter.waiting).toBe(3);
});

describe("what makes no limiter", () => {
  for (const [name, policy, fault] of [
    ["no rate", { qps: 0, burst: 1 }, "qps must be greater than 0, not 0"],
    ["a rate that is no number", { qps: Number.NaN, burst: 1 }, "qps must be greater than 0, not NaN"],
    ["an empty bucket", { qps: 1, burst: 0 }, "burst must be a whole number from 1 on, not 0"],
    ["half a token", { qps: 1, burst: 1.5 }, "burst must be a whole number from 1 on, not 1.5"],
  ] as const) {
    test(name, () => expect(() => new RateLimiter({ ...policy, clock: new FakeClock() })).toThrow(fault));
  }
});

interface Visit {
  readonly atMs: number;
  /** How long it waits before it gives up. */
  readonly patienceMs: number;
}

/** The plainest limiter there is: tokens drip in, the first in line takes one, the impatient go. */
function modelAdmissions(policy: { qps: number; burst: number }, visits: readonly Visit[]): (number | undefined)[] {
  const admitted: (number | undefined)[] = visits.map(() => undefined);
  let tokens = policy.burst;
  let clockMs = 0;
  for (const [i, { atMs, patienceMs }] of visits.entries()) {
    // Served in order, so each is looked at once: when is there a token after all before it had theirs?
    const fromMs = Math.max(atMs, clockMs);
    const filled = Math.min(policy.burst, tokens + ((fromMs - clockMs) * policy.qps) / 1000);
    const servedMs = filled >= 1 - 1e-9 ? fromMs : fromMs + ((1 - filled) * 1000) / policy.qps;
    if (servedMs - atMs > patienceMs) continue;
    admitted[i] = servedMs;
    tokens = Math.max(0, filled + ((servedMs - fromMs) * policy.qps) / 1000 - 1);
    clockMs = servedMs;
  }
  return admitted;
}

const visitsArbitrary = fc
  .array(fc.record({ gapMs: fc.integer({ min: 0, max: 400 }), patienceMs: fc.integer({ min: 0, max: 5000 }) }), {
    maxLength: 60,
  })
  .map((steps) => {
    let atMs = 0;
    return steps.map(({ gapMs, patienceMs }): Visit => {
      atMs += gapMs;
      // Off the grid of tokens, so that giving up and being served never fall together.
      return { atMs, patienceMs: patienceMs + 0.317 };
    });
  });
const policyArbitrary = fc.record({
  qps: fc.constantFrom(0.5, 1, 2, 3.3, 5, 7, 20, 50),
  burst: fc.integer({ min: 1, max: 8 }),
});

async function limiterAdmissions(policy: { qps: number; burst: number }, visits: readonly Visit[]) {
  const line = new Admissions(policy.qps, policy.burst);
  const admitted: (number | undefined)[] = visits.map(() => undefined);
  for (const [i, { atMs, patienceMs }] of visits.entries()) {
    await line.clock.advance(Math.max(0, atMs - line.clock.monotonic()));
    const patience = new AbortController();
    const timer = line.clock.after(patienceMs, () => patience.abort());
    line.limiter.wait(patience.signal).then(
      () => {
        admitted[i] = line.clock.monotonic();
        timer[Symbol.dispose]();
      },
      () => {},
    );
  }
  await line.clock.runUntilIdle();
  expect([line.clock.pending(), line.limiter.waiting]).toEqual([[], 0]);
  return admitted;
}

test("any visits: those the model serves, when the model does; never more than burst + qps × t in any window", async () => {
  await fc.assert(
    fc.asyncProperty(policyArbitrary, visitsArbitrary, async (policy, visits) => {
      const admitted = await limiterAdmissions(policy, visits);
      const model = modelAdmissions(policy, visits);
      expect(admitted.map((atMs) => atMs?.toFixed(3))).toEqual(model.map((atMs) => atMs?.toFixed(3)));
      const times = admitted.filter((atMs) => atMs !== undefined);
      for (const [i, fromMs] of times.entries()) {
        for (const [j, toMs] of times.slice(i).entries()) {
          expect(j + 1).toBeLessThanOrEqual(policy.burst + (policy.qps * (toMs - fromMs)) / 1000 + 1e-6);
        }
      }
    }),
    { numRuns: 150 },
  );
});

test("10,000 who give up leave no timer, no listener and no one in line", async () => {
  const line = new Admissions(1, 1);
  line.limiter.tryTake();
  const parent = new AbortController();
  const controllers = Array.from({ length: 5000 }, () => new AbortController());
  const waits = [...controllers.map(({ signal }) => signal), ...controllers.map(() => parent.signal)].map((signal) =>
    line.limiter.wait(signal).catch(() => "left"),
  );
  expect([line.limiter.waiting, line.clock.pending().length]).toEqual([10_000, 1]);
  for (const controller of controllers.reverse()) controller.abort();
  parent.abort();
  expect(new Set(await Promise.all(waits))).toEqual(new Set(["left"]));
  expect([line.limiter.waiting, line.clock.pending()]).toEqual([0, []]);
  for (const { signal } of [parent, ...controllers]) expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
