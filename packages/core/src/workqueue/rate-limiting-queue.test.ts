import { describe, expect, test } from "vitest";
import { FakeClock, MetricsRegistry } from "../base/index.ts";
import {
  bucketRateLimiter,
  defaultControllerRateLimiter,
  defaultItemBasedRateLimiter,
  exponentialRateLimiter,
  fastSlowRateLimiter,
  maxOfRateLimiter,
  maxWaitRateLimiter,
} from "./rate-limiters.ts";
import { RateLimitingQueue } from "./rate-limiting-queue.ts";

function newQueue(options: Partial<ConstructorParameters<typeof RateLimitingQueue<string>>[0]> = {}) {
  const clock = new FakeClock();
  return { clock, queue: new RateLimitingQueue<string>({ clock, ...options }) };
}

function takeAll(queue: RateLimitingQueue<string>): readonly string[] {
  const taken: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) {
    taken.push(key);
    queue.done(key);
  }
  return taken;
}

describe("retries", () => {
  test("each failure of a key waits twice as long, until it is forgotten", async () => {
    const { queue, clock } = newQueue({ rateLimiter: exponentialRateLimiter({ baseMs: 1, maxMs: 1000 }) });
    const waits: number[] = [];
    for (let i = 0; i < 3; i++) {
      queue.addRateLimited("a");
      const startMs = clock.monotonic();
      await clock.runUntilIdle();
      waits.push(clock.monotonic() - startMs);
      expect(takeAll(queue)).toEqual(["a"]);
    }
    expect([waits, queue.numRequeues("a")]).toEqual([[1, 2, 4], 3]);
    queue.forget("a");
    expect(queue.numRequeues("a")).toBe(0);
    queue.addRateLimited("a");
    await clock.advance(1);
    expect(takeAll(queue)).toEqual(["a"]);
  });

  test("a key put back while being worked on keeps its priority", async () => {
    const { queue, clock } = newQueue({ priorities: {}, rateLimiter: exponentialRateLimiter() });
    queue.add("urgent", { priority: 10 });
    queue.take();
    queue.addRateLimited("urgent");
    queue.done("urgent");
    queue.add("ordinary");
    await clock.advance(5);
    expect(takeAll(queue)).toEqual(["urgent", "ordinary"]);
  });

  test("a key added while being worked on comes again with the highest priority of those adds", () => {
    const { queue } = newQueue({ priorities: {} });
    for (const key of ["risen", "fallen"]) queue.add(key, { priority: 1 });
    queue.take();
    queue.take();
    for (const priority of [5, 9, 2]) queue.add("risen", { priority });
    queue.add("fallen", { priority: -100 });
    queue.add("middle", { priority: 7 });
    queue.add("ordinary");
    for (const key of ["fallen", "risen"]) queue.done(key);
    expect(takeAll(queue)).toEqual(["risen", "middle", "ordinary", "fallen"]);
  });

  test("of several delayed adds the highest priority and the shortest delay count", async () => {
    const { queue, clock } = newQueue({ priorities: {} });
    queue.addAfter("a", 10, { priority: 5 });
    queue.addAfter("a", 20, { priority: 7 });
    queue.addAfter("b", 10, { priority: 6 });
    await clock.advance(10);
    expect(takeAll(queue)).toEqual(["a", "b"]);
  });
});

describe("rate limiters", () => {
  test.each<[string, () => readonly number[], readonly number[]]>([
    [
      "exponential doubles up to its limit",
      () => whens(exponentialRateLimiter({ baseMs: 1, maxMs: 10 }), 6),
      [1, 2, 4, 8, 10, 10],
    ],
    [
      "exponential begins at 5 ms and ends at 1000 s",
      () => [1, 20].map((n) => nth(exponentialRateLimiter(), n)),
      [5, 1_000_000],
    ],
    [
      "exponential does not overflow after thousands of failures",
      () => [nth(exponentialRateLimiter(), 5000)],
      [1_000_000],
    ],
    [
      "exponential with a huge limit does not overflow either",
      () => [nth(exponentialRateLimiter({ maxMs: 3.6e12 }), 5000)],
      [3.6e12],
    ],
    [
      "fast-slow is fast so often, then slow",
      () => whens(fastSlowRateLimiter({ fastMs: 5, slowMs: 10_000, maxFastAttempts: 3 }), 5),
      [5, 5, 5, 10_000, 10_000],
    ],
    [
      "max-of takes the longest",
      () =>
        whens(
          maxOfRateLimiter(
            fastSlowRateLimiter({ fastMs: 5, slowMs: 3000, maxFastAttempts: 3 }),
            exponentialRateLimiter({ baseMs: 1, maxMs: 1000 }),
          ),
          5,
        ),
      [5, 5, 5, 3000, 3000],
    ],
    [
      "max-wait cuts off",
      () => whens(maxWaitRateLimiter(exponentialRateLimiter({ baseMs: 5, maxMs: 1000 }), 20), 5),
      [5, 10, 20, 20, 20],
    ],
    ["item-based begins at 1 ms", () => whens(defaultItemBasedRateLimiter(), 3), [1, 2, 4]],
  ])("%s", (_, draw, expected) => {
    expect(draw()).toEqual(expected);
  });

  test("forgetting reaches every limiter of a combination", () => {
    const limiter = maxOfRateLimiter<string>(
      exponentialRateLimiter(),
      fastSlowRateLimiter({ fastMs: 1, slowMs: 9, maxFastAttempts: 1 }),
    );
    whens(limiter, 4);
    expect(limiter.numRequeues("one")).toBe(4);
    limiter.forget("one");
    expect([limiter.numRequeues("one"), limiter.when("one")]).toEqual([0, 5]);
  });

  test("keys do not count for each other", () => {
    const limiter = exponentialRateLimiter<string>();
    expect([limiter.when("a"), limiter.when("b"), limiter.when("a")]).toEqual([5, 5, 10]);
  });

  test("a bucket lets a burst through, then spreads the rest, all keys together", async () => {
    const clock = new FakeClock();
    const limiter = bucketRateLimiter<string>({ qps: 10, burst: 2 }, clock);
    expect(["a", "b", "c", "d"].map((key) => limiter.when(key))).toEqual([0, 0, 100, 200]);
    await clock.advance(300);
    expect(limiter.when("e")).toBe(0);
    expect(() => bucketRateLimiter({ qps: 0, burst: 1 }, clock)).toThrow("qps must be above 0");
  });

  test("the default waits for the longer of a key's own delay and the common bucket", () => {
    const limiter = defaultControllerRateLimiter<string>(new FakeClock());
    for (let i = 0; i < 100; i++) expect(limiter.when(`key-${i}`)).toBe(5);
    expect(limiter.when("one more")).toBe(100);
  });
});

function whens(limiter: { when(key: string): number }, times: number): readonly number[] {
  return Array.from({ length: times }, () => limiter.when("one"));
}

function nth(limiter: { when(key: string): number }, n: number): number {
  return whens(limiter, n).at(-1) ?? Number.NaN;
}

describe("metrics", () => {
  const text = (registry: MetricsRegistry, name: string) =>
    registry
      .print()
      .split("\n")
      .filter((line) => line.startsWith(name));

  test("are upstream's: depth, adds, waiting, work, what is unfinished, retries", async () => {
    const registry = new MetricsRegistry();
    const { queue, clock } = newQueue({ name: "test", metrics: registry });
    queue.add("a");
    queue.add("a");
    queue.add("b");
    expect(text(registry, "workqueue_depth{")).toEqual(['workqueue_depth{name="test"} 2']);
    expect(text(registry, "workqueue_adds_total{")).toEqual(['workqueue_adds_total{name="test"} 2']);
    await clock.advance(50);
    queue.take();
    expect(text(registry, "workqueue_queue_duration_seconds_sum")).toEqual([
      'workqueue_queue_duration_seconds_sum{name="test"} 0.05',
    ]);
    await clock.advance(25);
    expect(text(registry, "workqueue_unfinished_work_seconds{")).toEqual([
      'workqueue_unfinished_work_seconds{name="test"} 0.025',
    ]);
    expect(text(registry, "workqueue_longest_running_processor_seconds{")).toEqual([
      'workqueue_longest_running_processor_seconds{name="test"} 0.025',
    ]);
    queue.done("a");
    expect(text(registry, "workqueue_work_duration_seconds_sum")).toEqual([
      'workqueue_work_duration_seconds_sum{name="test"} 0.025',
    ]);
    expect(text(registry, "workqueue_unfinished_work_seconds{")).toEqual([
      'workqueue_unfinished_work_seconds{name="test"} 0',
    ]);
    queue.addRateLimited("a");
    queue.addAfter("c", 0);
    expect(text(registry, "workqueue_retries_total{")).toEqual(['workqueue_retries_total{name="test"} 2']);
  });

  test("count a key that is added while it is worked on at once, and its waiting from then on", async () => {
    const registry = new MetricsRegistry();
    const { queue, clock } = newQueue({ name: "test", metrics: registry });
    queue.add("a");
    await clock.advance(50);
    queue.take();
    for (let i = 0; i < 5; i++) queue.add("a");
    expect(text(registry, "workqueue_adds_total{")).toEqual(['workqueue_adds_total{name="test"} 2']);
    expect(text(registry, "workqueue_depth{")).toEqual(['workqueue_depth{name="test"} 1']);
    await clock.advance(25);
    queue.done("a");
    expect(text(registry, "workqueue_depth{")).toEqual(['workqueue_depth{name="test"} 1']);
    await clock.advance(5);
    queue.take();
    expect(text(registry, "workqueue_depth{")).toEqual(['workqueue_depth{name="test"} 0']);
    expect(text(registry, "workqueue_queue_duration_seconds_sum")).toEqual([
      'workqueue_queue_duration_seconds_sum{name="test"} 0.08',
    ]);
    expect(text(registry, "workqueue_adds_total{")).toEqual(['workqueue_adds_total{name="test"} 2']);
  });

  test("of a queue that is gone are gone", () => {
    const registry = new MetricsRegistry();
    const { queue } = newQueue({ name: "test", metrics: registry });
    queue.add("a");
    queue[Symbol.dispose]();
    expect(text(registry, "workqueue_").join("\n")).not.toContain('name="test"');
  });

  test("are not counted without a name", () => {
    const registry = new MetricsRegistry();
    newQueue({ metrics: registry }).queue.add("a");
    expect(registry.print()).not.toContain("workqueue_");
  });
});
