import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock, systemClock } from "../base/index.ts";
import { PriorityOrder } from "./priority-order.ts";
import { WorkQueue } from "./work-queue.ts";

const never = new AbortController().signal;

function newQueue(): { readonly queue: WorkQueue<string>; readonly clock: FakeClock } {
  const clock = new FakeClock();
  return { queue: new WorkQueue<string>({ clock }), clock };
}

/** What a promise has come to once everything that can run has run. */
async function peek<T>(promise: Promise<T>): Promise<T | "waits"> {
  await systemClock.yield();
  return await Promise.race([promise, Promise.resolve("waits" as const)]);
}

describe("a queue", () => {
  test("hands out every key of several producers to several workers, once", async () => {
    const { queue } = newQueue();
    const seen: string[] = [];
    const worker = async () => {
      for (let key = await queue.get(never); key !== undefined; key = await queue.get(never)) {
        expect(seen).not.toContain(key);
        seen.push(key);
        await Promise.resolve();
        queue.done(key);
      }
    };
    const workers = [worker(), worker(), worker()];
    for (let producer = 0; producer < 5; producer++) {
      for (let i = 0; i < 20; i++) queue.add(`${producer}/${i}`);
      await Promise.resolve();
    }
    queue.shutDown();
    queue.add("late");
    await Promise.all(workers);
    expect(seen).toHaveLength(100);
    expect(queue.size).toBe(0);
  });

  test("hands a key out again when it was added while being worked on, and not before it is done", async () => {
    const { queue } = newQueue();
    queue.add("a");
    expect(queue.take()).toBe("a");
    queue.add("a");
    expect(queue.size).toBe(0);
    expect(queue.take()).toBeUndefined();
    queue.done("a");
    expect(queue.take()).toBe("a");
    queue.done("a");
    expect(queue.take()).toBeUndefined();
  });

  test.each<[string, (queue: WorkQueue<string>) => unknown, number]>([
    ["counts a key that waits", (queue) => queue.add("a"), 1],
    ["counts two keys", (queue) => ["a", "b"].map((key) => queue.add(key)), 2],
    ["counts a key added twice once", (queue) => ["a", "a"].map((key) => queue.add(key)), 1],
    ["does not count one being worked on", (queue) => [queue.add("a"), queue.take()], 0],
  ])("%s", (_, prepare, size) => {
    const { queue } = newQueue();
    prepare(queue);
    expect(queue.size).toBe(size);
  });

  test("collapses adds of a key being worked on into one", () => {
    const { queue } = newQueue();
    queue.add("a");
    queue.take();
    for (let i = 0; i < 3; i++) queue.add("a");
    queue.done("a");
    expect([queue.take(), queue.take()]).toEqual(["a", undefined]);
  });

  test("hands out what waits when it is shut down, then says that it is over", async () => {
    const { queue } = newQueue();
    queue.add("a");
    queue.shutDown();
    queue.add("b");
    expect(await queue.get(never)).toBe("a");
    expect(await queue.get(never)).toBeUndefined();
  });

  test("wakes those who wait when it is shut down", async () => {
    const { queue } = newQueue();
    const waiting = [queue.get(never), queue.get(never)];
    queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  test("is not over while a key being worked on was added again", async () => {
    const { queue } = newQueue();
    queue.add("a");
    queue.take();
    queue.add("a");
    queue.shutDown();
    const next = queue.get(never);
    expect(await peek(next)).toBe("waits");
    queue.done("a");
    expect(await next).toBe("a");
    queue.done("a");
    expect(await queue.get(never)).toBeUndefined();
  });

  test("serves those who wait in the order they came, and forgets who gave up", async () => {
    const { queue } = newQueue();
    const tired = new AbortController();
    const gaveUp = queue.get(tired.signal);
    const patient = queue.get(never);
    tired.abort(new Error("tired"));
    queue.add("a");
    await expect(gaveUp).rejects.toThrow("tired");
    expect(await patient).toBe("a");
    await expect(queue.get(tired.signal)).rejects.toThrow("tired");
    expect(queue.inFlight().map(({ key }) => key)).toEqual(["a"]);
  });

  test("shows what is being worked on, for how long, and what was added again", async () => {
    const { queue, clock } = newQueue();
    queue.add("a");
    queue.take();
    await clock.advance(250);
    queue.add("b", { priority: 3 });
    queue.take();
    queue.add("a");
    expect(queue.inFlight()).toEqual([
      { key: "a", forMs: 250, priority: 0, isDirty: true },
      { key: "b", forMs: 0, priority: 3, isDirty: false },
    ]);
  });

  test("takes done for a key nobody has as nothing", () => {
    const { queue } = newQueue();
    queue.add("a");
    queue.done("a");
    expect(queue.take()).toBe("a");
  });
});

describe("a drain", () => {
  test("waits for what waits and for what is being worked on", async () => {
    const { queue } = newQueue();
    queue.add("a");
    queue.add("b");
    queue.take();
    const drained = queue.drain(never).then(() => "drained");
    queue.done("a");
    expect(await peek(drained)).toBe("waits");
    expect(await queue.get(never)).toBe("b");
    expect(await peek(drained)).toBe("waits");
    queue.done("b");
    expect(await drained).toBe("drained");
  });

  test("of an idle queue is over at once", async () => {
    const { queue } = newQueue();
    expect(await peek(queue.drain(never).then(() => "drained"))).toBe("drained");
  });

  test("also waits for a key that was added again while being worked on", async () => {
    const { queue } = newQueue();
    queue.add("a");
    queue.take();
    queue.add("a");
    const drained = queue.drain(never).then(() => "drained");
    queue.done("a");
    expect(await peek(drained)).toBe("waits");
    expect(queue.take()).toBe("a");
    queue.done("a");
    expect(await drained).toBe("drained");
  });

  test("gives up when told to, and the queue stays shut down", async () => {
    const { queue } = newQueue();
    const stop = new AbortController();
    queue.add("a");
    queue.take();
    const drained = queue.drain(stop.signal);
    stop.abort(new Error("enough"));
    await expect(drained).rejects.toThrow("enough");
    expect(queue.isShutDown).toBe(true);
    expect(await queue.get(never)).toBeUndefined();
  });

  test("is not waited for by a plain shutdown", async () => {
    const { queue } = newQueue();
    queue.add("a");
    queue.take();
    queue.shutDown();
    expect(await queue.get(never)).toBeUndefined();
  });
});

type Step = { readonly act: "add" | "take" | "done"; readonly key: string };

/** The simplest queue there is: what waits, in order; who works; who is to come again. */
class Model {
  readonly waiting: string[] = [];
  readonly working = new Set<string>();
  readonly again = new Set<string>();

  add(key: string): void {
    if (this.waiting.includes(key)) return;
    if (this.working.has(key)) this.again.add(key);
    else this.waiting.push(key);
  }

  take(): string | undefined {
    const key = this.waiting.shift();
    if (key !== undefined) this.working.add(key);
    return key;
  }

  done(key: string): void {
    if (this.working.delete(key) && this.again.delete(key)) this.waiting.push(key);
  }
}

const steps = fc.array(
  fc.record<Step>({ act: fc.constantFrom("add", "take", "done"), key: fc.constantFrom("a", "b", "c", "d") }),
  { maxLength: 60 },
);

test("does as the model does, step by step", () => {
  fc.assert(
    fc.property(steps, (script) => {
      const { queue } = newQueue();
      const model = new Model();
      for (const { act, key } of script) {
        if (act === "take") expect(queue.take()).toBe(model.take());
        else {
          queue[act](key);
          model[act](key);
        }
        expect(queue.size).toBe(model.waiting.length);
        expect(new Set(queue.inFlight().map((one) => one.key))).toEqual(model.working);
      }
    }),
    { numRuns: 300 },
  );
});

test("with priorities and groups loses no key, gives none to two, and respects the cap", () => {
  const withPriority = fc.array(
    fc.record({
      act: fc.constantFrom("add", "take", "done", "wait"),
      key: fc.constantFrom("x/1", "x/2", "x/3", "y/1", "y/2", "z/1"),
      priority: fc.constantFrom(-100, 0, 5),
    }),
    { maxLength: 80 },
  );
  fc.assert(
    fc.asyncProperty(withPriority, async (script) => {
      const clock = new FakeClock();
      const groupOf = (key: string) => key.slice(0, 1);
      const order = new PriorityOrder<string>({ agingMs: 100, groupOf, maxPerGroup: 2 });
      const queue = new WorkQueue<string>({ clock, order });
      const model = new Model();
      for (const { act, key, priority } of script) {
        if (act === "add") {
          queue.add(key, { priority });
          model.add(key);
        } else if (act === "done") {
          queue.done(key);
          model.done(key);
        } else if (act === "wait") await clock.advance(60);
        else {
          const taken = queue.take();
          const mayGo = model.waiting.filter(
            (one) => [...model.working].filter((w) => groupOf(w) === groupOf(one)).length < 2,
          );
          if (taken === undefined) expect(mayGo).toEqual([]);
          else {
            expect(mayGo).toContain(taken);
            model.waiting.splice(model.waiting.indexOf(taken), 1);
            model.working.add(taken);
          }
        }
        expect(queue.size).toBe(model.waiting.length);
      }
    }),
    { numRuns: 200 },
  );
});

test("lets go of a key that was handed out", async () => {
  const order = new PriorityOrder<string>();
  const queue = new WorkQueue<string>({ clock: new FakeClock(), order });
  for (let i = 0; i < 1000; i++) queue.add(`key-${i}`);
  for (let key = queue.take(); key !== undefined; key = queue.take()) queue.done(key);
  expect([queue.size, order.size, queue.inFlight().length]).toEqual([0, 0, 0]);
});
