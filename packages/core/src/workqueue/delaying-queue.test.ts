import { describe, expect, test } from "vitest";
import { FakeClock, MetricsRegistry } from "../base/index.ts";
import { DelayingQueue, type DelayingQueueOptions } from "./delaying-queue.ts";

const never = new AbortController().signal;

function newQueue(options: Partial<DelayingQueueOptions<string>> = {}) {
  const clock = new FakeClock();
  return { clock, queue: new DelayingQueue<string>({ clock, ...options }) };
}

function takeAll(queue: DelayingQueue<string>): readonly string[] {
  const taken: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) {
    taken.push(key);
    queue.done(key);
  }
  return taken;
}

describe("routine delays", () => {
  test.each([
    ["the routine one is earlier", 20, 50, 20],
    ["the routine one is later", 50, 20, 20],
    ["both are due together", 20, 20, 20],
  ])("a key with both kinds of delay comes once, at the earlier time: %s", async (_, routineMs, otherMs, dueMs) => {
    const { queue, clock } = newQueue();
    queue.addAfter("a", routineMs, { isRoutine: true });
    queue.addAfter("a", otherMs);
    await clock.advance(dueMs - 1);
    expect(takeAll(queue)).toEqual([]);
    await clock.advance(1);
    expect(takeAll(queue)).toEqual(["a"]);
    await clock.advance(10_000);
    expect([takeAll(queue), queue.delayedSize, clock.pending()]).toEqual([[], 0, []]);
  });

  test("nobody waits for them", async () => {
    const { queue, clock } = newQueue();
    queue.addAfter("often", 50, { isRoutine: true });
    expect(await clock.runUntilIdle()).toBe(0);
    expect(queue.delayedSize).toBe(1);
    queue.addAfter("once", 70);
    expect(await clock.runUntilIdle()).toBe(70);
    expect(takeAll(queue)).toEqual(["often", "once"]);
  });

  test("are dropped when the queue is shut down", async () => {
    const { queue, clock } = newQueue();
    queue.addAfter("a", 50, { isRoutine: true });
    queue.shutDown();
    expect([queue.delayedSize, clock.pending()]).toEqual([0, []]);
  });
});

describe("delays", () => {
  test("a delayed key comes when its time has passed, not before", async () => {
    const { queue, clock } = newQueue();
    queue.addAfter("a", 50);
    await clock.advance(49);
    expect([queue.size, queue.delayedSize]).toEqual([0, 1]);
    await clock.advance(1);
    expect([queue.size, queue.delayedSize, queue.take()]).toEqual([1, 0, "a"]);
    queue.done("a");
    await clock.advance(10_000);
    expect(queue.size).toBe(0);
  });

  test("a key asked for twice comes once, at the earlier time", async () => {
    const { queue, clock } = newQueue();
    queue.addAfter("a", 50);
    queue.addAfter("a", 70);
    await clock.advance(50);
    expect(takeAll(queue)).toEqual(["a"]);
    await clock.advance(20);
    expect(takeAll(queue)).toEqual([]);
    queue.addAfter("a", 50);
    queue.addAfter("a", 30);
    await clock.advance(30);
    expect(takeAll(queue)).toEqual(["a"]);
    await clock.advance(30);
    expect(takeAll(queue)).toEqual([]);
  });

  test("keys come in the order of their times, whatever the order they were asked for in", async () => {
    const { queue, clock } = newQueue();
    for (const [key, delayMs] of [
      ["c", 3000],
      ["a", 1000],
      ["b", 2000],
      ["a2", 1000],
    ] as const)
      queue.addAfter(key, delayMs);
    await clock.advance(3000);
    expect(takeAll(queue)).toEqual(["a", "a2", "b", "c"]);
  });

  test("a short delay is not held up by a longer one asked for before", async () => {
    const { queue, clock } = newQueue();
    queue.addAfter("slow", 1000);
    queue.addAfter("fast", 50);
    await clock.advance(50);
    expect(takeAll(queue)).toEqual(["fast"]);
    await clock.advance(950);
    expect(takeAll(queue)).toEqual(["slow"]);
  });

  test.each([0, -5])("a delay of %i ms is none", (delayMs) => {
    const { queue } = newQueue();
    queue.addAfter("a", delayMs);
    expect(takeAll(queue)).toEqual(["a"]);
  });

  test("a delay that is not a number is refused", () => {
    expect(() => newQueue().queue.addAfter("a", Number.NaN)).toThrow("delay of a is not a number");
  });

  test("a delay of forty days is kept, beyond what the platform's timers hold", async () => {
    const { queue, clock } = newQueue();
    const fortyDaysMs = 40 * 24 * 3600 * 1000;
    queue.addAfter("a", fortyDaysMs);
    await clock.advance(fortyDaysMs - 1);
    expect(queue.size).toBe(0);
    await clock.advance(1);
    expect(queue.size).toBe(1);
  });

  test("a plain add leaves a pending delay in place", async () => {
    const { queue, clock } = newQueue();
    queue.addAfter("a", 100);
    queue.add("a");
    expect(takeAll(queue)).toEqual(["a"]);
    await clock.advance(100);
    expect(takeAll(queue)).toEqual(["a"]);
  });

  test("shutting down drops what is delayed and leaves no timer", async () => {
    const { queue, clock } = newQueue();
    queue.addAfter("a", 100);
    queue.shutDown();
    queue.addAfter("b", 100);
    expect([queue.delayedSize, clock.pending().length]).toEqual([0, 0]);
    expect(await queue.get(never)).toBeUndefined();
  });

  test("a drain ends with what is worked on, not with what is delayed", async () => {
    const { queue, clock } = newQueue();
    queue.add("a");
    queue.take();
    queue.addAfter("b", 1_000_000);
    const drained = queue.drain(never);
    queue.done("a");
    await drained;
    expect(clock.pending()).toEqual([]);
  });
});

describe("a delaying queue", () => {
  test("hands a key that is due to who waits for one", async () => {
    const { queue, clock } = newQueue();
    const waiting = queue.get(never);
    queue.addAfter("a", 50);
    await clock.advance(50);
    expect(await waiting).toBe("a");
  });

  test("keeps a key that becomes due while a worker has it, until that one is done", async () => {
    const { queue, clock } = newQueue();
    queue.add("a");
    queue.take();
    queue.addAfter("a", 50);
    await clock.advance(50);
    expect([queue.size, queue.inFlight().map(({ key, isDirty }) => [key, isDirty])]).toEqual([0, [["a", true]]]);
    queue.done("a");
    expect(takeAll(queue)).toEqual(["a"]);
  });

  test("a key put back while being worked on keeps its priority", async () => {
    const { queue, clock } = newQueue({ priorities: {} });
    queue.add("urgent", { priority: 10 });
    queue.take();
    queue.addAfter("urgent", 5);
    queue.done("urgent");
    queue.add("ordinary");
    await clock.advance(5);
    expect(takeAll(queue)).toEqual(["urgent", "ordinary"]);
  });

  test("counts a delay as a retry, under upstream's name, and takes its metrics away with it", () => {
    const metrics = new MetricsRegistry();
    const { queue } = newQueue({ name: "q", metrics });
    queue.addAfter("a", 50);
    expect(metrics.print()).toContain('workqueue_retries_total{name="q"} 1');
    queue[Symbol.dispose]();
    expect(metrics.print()).not.toContain('name="q"');
  });
});
