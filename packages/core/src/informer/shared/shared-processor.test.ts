import { describe, expect, test } from "vitest";
import { type KubernetesObject, keyOf } from "../../api/index.ts";
import { type Clock, deferred, FakeClock, systemClock } from "../../base/index.ts";
import type { Notification, ResourceEventHandler } from "./handlers.ts";
import { added, deleted, pod, recorder, updated } from "./notifications.fixture.ts";
import { type ListenerOptions, SharedProcessor } from "./shared-processor.ts";

function setUp(clock: Clock = new FakeClock()) {
  const failures: string[] = [];
  const processor = new SharedProcessor<KubernetesObject>({
    clock,
    keyOf,
    onHandlerFailure: (error, told, name) => failures.push(`${name}: ${told.type}: ${(error as Error).message}`),
  });
  const stop = new AbortController();
  const join = (handler: ResourceEventHandler<KubernetesObject>, options: Partial<ListenerOptions> = {}) => {
    const registration = processor.register(handler, { name: "handler", resyncMs: 0, ...options });
    processor.join(registration, { objects: [], isComplete: false });
    return registration;
  };
  return { processor, failures, stop, join };
}

const tellAll = (processor: SharedProcessor<KubernetesObject>, told: readonly Notification<KubernetesObject>[]) => {
  for (const each of told) processor.distribute(each);
};

describe("telling handlers", () => {
  test("all hear the same, in the same order, old and new object of an update included", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const [first, second] = [recorder(), recorder()];
    join(first.handler);
    join(second.handler);
    const running = processor.run(stop.signal);
    tellAll(processor, [added("a", 1), updated("a", 1, 2), added("b", 3), deleted("a", 4)]);
    await clock.settle();
    expect(first.heard).toEqual(["add a@1", "update a@1 to a@2", "add b@3", "delete a@4"]);
    expect(second.heard).toEqual(first.heard);
    stop.abort();
    await running;
  });

  test("the very same values go to everyone", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const seen: unknown[] = [];
    for (let i = 0; i < 2; i++) join({ onAdd: (...told) => void seen.push(...told) });
    const running = processor.run(stop.signal);
    processor.distribute(added("a"));
    await clock.settle();
    expect([seen[0] === seen[2], seen[1] === seen[3]]).toEqual([true, true]);
    stop.abort();
    await running;
  });

  test("nobody is called while the one who tells is at work", () => {
    const { processor, stop, join } = setUp();
    const { heard, handler } = recorder();
    join(handler);
    void processor.run(stop.signal);
    processor.distribute(added("a"));
    expect(heard).toEqual([]);
    stop.abort();
  });

  test("a handler that leaves out a callback misses nothing else", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const heard: string[] = [];
    join({ onDelete: () => void heard.push("delete") });
    const running = processor.run(stop.signal);
    tellAll(processor, [added("a"), updated("a", 1, 2), deleted("a")]);
    await clock.settle();
    expect(heard).toEqual(["delete"]);
    stop.abort();
    await running;
  });

  test("200 updates reach an async handler one after the other, however long each takes", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const events: string[] = [];
    join({
      onUpdate: async (_before, after) => {
        const version = Number(after.metadata.resourceVersion);
        events.push(`start ${version}`);
        await clock.sleep((version * 37) % 11, stop.signal);
        events.push(`end ${version}`);
      },
    });
    const running = processor.run(stop.signal);
    for (let version = 1; version <= 200; version++) processor.distribute(updated("a", version - 1, version));
    await clock.runUntilIdle();
    const inOrder = Array.from({ length: 200 }, (_, i) => [`start ${i + 1}`, `end ${i + 1}`]).flat();
    expect(events).toEqual(inOrder);
    stop.abort();
    await running;
  });

  test("a slow handler holds up no other", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const never = deferred();
    const stuck = recorder(() => never.promise);
    const free = recorder();
    const registration = join(stuck.handler);
    join(free.handler);
    const running = processor.run(stop.signal);
    tellAll(processor, [added("a"), added("b"), added("c")]);
    await clock.settle();
    expect([stuck.heard.length, free.heard.length, registration.pending]).toEqual([1, 3, 2]);
    never.resolve();
    stop.abort();
    await running;
  });
});

describe("a handler that fails", () => {
  const failing: readonly [fact: string, fail: () => void | Promise<void>][] = [
    [
      "by throwing",
      () => {
        throw new Error("no");
      },
    ],
    ["by rejecting", () => Promise.reject(new Error("no"))],
  ];
  for (const [how, fail] of failing) {
    test(`${how} is reported, and hears what comes next; others notice nothing`, async () => {
      const clock = new FakeClock();
      const { processor, stop, join, failures } = setUp(clock);
      const bad = recorder((line) => (line.startsWith("add") ? fail() : undefined));
      const good = recorder();
      join(bad.handler, { name: "bad" });
      join(good.handler);
      const running = processor.run(stop.signal);
      tellAll(processor, [added("a"), updated("a", 1, 2), added("b"), deleted("a")]);
      await clock.settle();
      expect(failures).toEqual(["bad: add: no", "bad: add: no"]);
      expect(bad.heard).toEqual(good.heard);
      expect(bad.heard).toHaveLength(4);
      stop.abort();
      await running;
    });

    test(`${how} on the first list is in sync all the same`, async () => {
      const clock = new FakeClock();
      const { processor, stop, join } = setUp(clock);
      const registration = join(recorder(fail).handler);
      const running = processor.run(stop.signal);
      tellAll(processor, [added("a", 1, "initial"), added("b", 1, "initial")]);
      processor.upstreamHasSynced();
      expect(registration.hasSynced()).toBe(false);
      await clock.settle();
      expect(registration.hasSynced()).toBe(true);
      stop.abort();
      await running;
    });
  }
});

describe("a handler is in sync", () => {
  test("only when the first list is complete and the last of it was handled", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const gate = deferred();
    const slow = join(recorder((line) => (line.includes("b@") ? gate.promise : undefined)).handler);
    const quick = join(recorder().handler);
    const running = processor.run(stop.signal);
    processor.distribute(added("a", 1, "initial"));
    await clock.settle();
    expect([slow.hasSynced(), quick.hasSynced()]).toEqual([false, false]);
    processor.distribute(added("b", 1, "initial"));
    processor.upstreamHasSynced();
    await clock.settle();
    expect([slow.hasSynced(), quick.hasSynced()]).toEqual([false, true]);
    gate.resolve();
    await slow.whenSynced(stop.signal);
    expect(slow.hasSynced()).toBe(true);
    stop.abort();
    await running;
  });

  test("stays so, whatever comes", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const registration = join(recorder().handler);
    const running = processor.run(stop.signal);
    processor.upstreamHasSynced();
    processor.distribute(added("a", 1, "initial"));
    expect(registration.hasSynced()).toBe(true);
    await clock.settle();
    registration.remove();
    expect(registration.hasSynced()).toBe(true);
    stop.abort();
    await running;
  });

  test("never, when removed before: those who wait are told", async () => {
    const { processor, stop, join } = setUp();
    const registration = join(recorder().handler, { name: "early leaver" });
    const waiting = registration.whenSynced(stop.signal);
    registration.remove();
    await expect(waiting).rejects.toThrow('handler "early leaver" was removed before it had synced');
    await expect(registration.whenSynced(stop.signal)).rejects.toThrow("was removed");
    expect(processor.size).toBe(0);
  });
});

describe("a handler that joins late", () => {
  test("hears what is known as adds of an initial list, and then what happens", async () => {
    const clock = new FakeClock();
    const { processor, stop } = setUp(clock);
    const { heard, handler } = recorder();
    const running = processor.run(stop.signal);
    const registration = processor.register(handler, { name: "late", resyncMs: 0 });
    processor.distribute(added("b", 5));
    expect([registration.pending, registration.hasSynced()]).toEqual([0, false]);
    processor.join(registration, { objects: [pod("a", 4), pod("b", 5)], isComplete: true });
    processor.distribute(updated("a", 4, 6));
    expect([registration.pending, registration.hasSynced()]).toEqual([3, false]);
    await clock.settle();
    expect(registration.hasSynced()).toBe(true);
    expect(heard).toEqual(["add a@4 (initial)", "add b@5 (initial)", "update a@4 to a@6"]);
    stop.abort();
    await running;
  });
});

describe("a handler that leaves before it has joined", () => {
  test("hears nothing of it", async () => {
    const clock = new FakeClock();
    const { processor, stop } = setUp(clock);
    const { heard, handler } = recorder();
    const running = processor.run(stop.signal);
    const registration = processor.register(handler, { name: "early leaver", resyncMs: 0 });
    registration.remove();
    processor.join(registration, { objects: [pod("a")], isComplete: true });
    await clock.settle();
    expect([heard, registration.pending, registration.hasSynced()]).toEqual([[], 0, false]);
    stop.abort();
    await running;
  });
});

describe("removing a handler", () => {
  test("drops what waits for it, at once and for ever", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const { heard, handler } = recorder();
    const registration = join(handler);
    const running = processor.run(stop.signal);
    processor.distribute(added("a"));
    registration.remove();
    processor.distribute(added("b"));
    await clock.settle();
    expect([heard, registration.pending, processor.has(registration)]).toEqual([[], 0, false]);
    stop.abort();
    await running;
  });

  test("by itself, in the middle of a callback, is the last it hears", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const { heard, handler } = recorder(() => registration.remove());
    const registration = join(handler);
    const running = processor.run(stop.signal);
    tellAll(processor, [added("a"), added("b")]);
    await clock.settle();
    expect(heard).toEqual(["add a@1"]);
    stop.abort();
    await running;
  });

  test("twice, or by disposing of the registration, does the same", () => {
    const { processor, join } = setUp();
    const registration = join(recorder().handler);
    {
      using _left = registration;
    }
    processor.remove(registration);
    registration.remove();
    expect(processor.size).toBe(0);
  });

  test("of someone else is an error, and removes nothing", () => {
    const { processor, join } = setUp();
    const other = setUp();
    const registration = join(recorder().handler, { name: "stranger" });
    expect(() => other.processor.remove(registration)).toThrow(
      'handler "stranger" is not registered with this informer',
    );
    expect([processor.has(registration), other.processor.has(registration)]).toEqual([true, false]);
  });

  test("the same handler added twice is two: removing one leaves the other", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const { heard, handler } = recorder();
    const first = join(handler);
    const second = join(handler);
    const running = processor.run(stop.signal);
    processor.distribute(added("a"));
    await clock.settle();
    first.remove();
    processor.distribute(added("b"));
    await clock.settle();
    expect(heard).toEqual(["add a@1", "add a@1", "add b@1"]);
    expect([processor.has(first), processor.has(second)]).toEqual([false, true]);
    stop.abort();
    await running;
  });
});

describe("shutting a handler down", () => {
  test("waits for the callback that runs, and no other follows", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const gate = deferred();
    const { heard, handler } = recorder(() => gate.promise);
    const registration = join(handler);
    const running = processor.run(stop.signal);
    tellAll(processor, [added("a"), added("b")]);
    await clock.settle();
    let isDown = false;
    const down = processor.shutDown(registration).then(() => {
      isDown = true;
    });
    await clock.settle();
    expect(isDown).toBe(false);
    gate.resolve();
    await down;
    expect(heard).toEqual(["add a@1"]);
    stop.abort();
    await running;
  });

  test("ends at once when nothing runs, also a second time", async () => {
    const { processor, join } = setUp();
    const registration = join(recorder().handler);
    await processor.shutDown(registration);
    await processor.shutDown(registration);
    expect(processor.size).toBe(0);
  });

  for (const [when, pause] of [
    ["before its first await", undefined],
    ["after an await", () => systemClock.yield()],
  ] as const) {
    test(`from inside its own callback, ${when}, waits for nothing`, async () => {
      const clock = new FakeClock();
      const { processor, stop, join } = setUp(clock);
      const ended = deferred();
      const registration = join({
        onAdd: async () => {
          await pause?.();
          await processor.shutDown(registration);
          ended.resolve();
        },
      });
      const running = processor.run(stop.signal);
      processor.distribute(added("a"));
      await ended.promise;
      expect(processor.has(registration)).toBe(false);
      stop.abort();
      await running;
    });
  }

  test("from inside another handler's callback, waits", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const gate = deferred();
    const busy = join(recorder(() => gate.promise).handler);
    const events: string[] = [];
    join({
      onAdd: async () => {
        await systemClock.yield();
        await processor.shutDown(busy);
        events.push("down");
      },
    });
    const running = processor.run(stop.signal);
    processor.distribute(added("a"));
    await systemClock.yield();
    await clock.settle();
    expect(events).toEqual([]);
    gate.resolve();
    stop.abort();
    await running;
    expect(events).toEqual(["down"]);
  });
});

describe("what only repeats what is known", () => {
  const periods = { never: 0, "every 2 s": 2000, "every 3 s": 3000 };
  const resync = (processor: SharedProcessor<KubernetesObject>) => processor.distribute(updated("a", 1, 1, "resync"));
  const relist = (processor: SharedProcessor<KubernetesObject>) => processor.distribute(updated("a", 1, 1, "relist"));
  const nobody = { never: 0, "every 2 s": 0, "every 3 s": 0 };

  async function afterSeconds(
    seconds: number,
    repeat: (processor: SharedProcessor<KubernetesObject>) => void,
  ): Promise<Record<string, number>> {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const listeners = Object.entries(periods).map(([name, resyncMs]) => {
      const { heard, handler } = recorder();
      join(handler, { name, resyncMs });
      return { name, heard };
    });
    const running = processor.run(stop.signal);
    for (let second = 1; second <= seconds; second++) {
      await clock.advance(1000);
      const isNeeded = processor.shouldResync();
      if (!isNeeded || second === seconds) continue;
      resync(processor);
      processor.resyncEnded();
    }
    await clock.settle();
    for (const { heard } of listeners) heard.length = 0;
    repeat(processor);
    await clock.settle();
    stop.abort();
    await running;
    return Object.fromEntries(listeners.map(({ name, heard }) => [name, heard.length]));
  }

  test("a relist of the same version tells nobody before anyone is due", async () => {
    expect(await afterSeconds(0, relist)).toEqual(nobody);
    expect(await afterSeconds(1, relist)).toEqual(nobody);
  });

  test("a resync tells whoever is due, and nobody else", async () => {
    expect(await afterSeconds(1, resync)).toEqual(nobody);
    expect(await afterSeconds(2, resync)).toEqual({ ...nobody, "every 2 s": 1 });
    expect(await afterSeconds(3, resync)).toEqual({ ...nobody, "every 3 s": 1 });
    expect(await afterSeconds(6, resync)).toEqual({ never: 0, "every 2 s": 1, "every 3 s": 1 });
  });

  test("once the resync is over, a relist tells even them nothing", async () => {
    const resyncThenRelist = (processor: SharedProcessor<KubernetesObject>) => {
      resync(processor);
      processor.resyncEnded();
      relist(processor);
    };
    expect(await afterSeconds(2, resyncThenRelist)).toEqual({ ...nobody, "every 2 s": 1 });
  });

  test("a resync that is still to come is not over", async () => {
    const idleThenResync = (processor: SharedProcessor<KubernetesObject>) => {
      processor.resyncEnded();
      resync(processor);
    };
    expect(await afterSeconds(2, idleThenResync)).toEqual({ ...nobody, "every 2 s": 1 });
  });

  test("a relist with another version tells everyone", async () => {
    const change = (processor: SharedProcessor<KubernetesObject>) => processor.distribute(updated("a", 1, 2, "relist"));
    expect(await afterSeconds(1, change)).toEqual({ never: 1, "every 2 s": 1, "every 3 s": 1 });
  });

  test("without versions nothing is known to be the same", async () => {
    const bare = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
    const change = (processor: SharedProcessor<KubernetesObject>) =>
      processor.distribute({
        type: "update",
        before: bare,
        after: { ...bare },
        details: { cause: "change", isInInitialList: false },
      });
    expect(await afterSeconds(1, change)).toEqual({ never: 1, "every 2 s": 1, "every 3 s": 1 });
  });

  test("one that is due stays so until the resync has come, however many checks that takes", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const { heard, handler } = recorder();
    join(handler, { resyncMs: 2000 });
    const running = processor.run(stop.signal);
    await clock.advance(2000);
    processor.shouldResync();
    await clock.advance(1000);
    processor.shouldResync();
    resync(processor);
    await clock.settle();
    expect(heard).toHaveLength(1);
    stop.abort();
    await running;
  });

  test("says whether anyone is due", async () => {
    const clock = new FakeClock();
    const { processor, join } = setUp(clock);
    join(recorder().handler, { resyncMs: 2000 });
    await clock.advance(1999);
    expect(processor.shouldResync()).toBe(false);
    await clock.advance(1);
    expect([processor.shouldResync(), processor.shouldResync()]).toEqual([true, false]);
  });
});

describe("stopping", () => {
  test("drops what waits and ends when the last callback has", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const gate = deferred();
    const { heard, handler } = recorder(() => gate.promise);
    const registration = join(handler, { name: "slow" });
    let hasEnded = false;
    const running = processor.run(stop.signal).then(() => {
      hasEnded = true;
    });
    tellAll(processor, [added("a"), added("b")]);
    await clock.settle();
    stop.abort();
    await clock.settle();
    expect(hasEnded).toBe(false);
    gate.resolve();
    await running;
    expect([heard, processor.size]).toEqual([["add a@1"], 0]);
    await expect(registration.whenSynced(new AbortController().signal)).rejects.toThrow(
      'handler "slow" stopped with its informer before it had synced',
    );
  });

  test("also waits for the callback of a handler that has been removed", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const gate = deferred();
    const registration = join(recorder(() => gate.promise).handler);
    let hasEnded = false;
    const running = processor.run(stop.signal).then(() => {
      hasEnded = true;
    });
    processor.distribute(added("a"));
    await clock.settle();
    registration.remove();
    stop.abort();
    await clock.settle();
    expect(hasEnded).toBe(false);
    gate.resolve();
    await running;
  });
});

describe("the event loop's turn", () => {
  // Every look at the clock takes a millisecond: time passes as if the callbacks took it.
  function busyClock() {
    let nowMs = 0;
    let turns = 0;
    const clock: Clock = {
      ...systemClock,
      monotonic: () => nowMs++,
      yield: () => {
        turns++;
        return systemClock.yield();
      },
    };
    return { clock, turns: () => turns };
  }

  for (const [kind, callback] of [
    ["synchronous callbacks", () => {}],
    ["callbacks that await what is there already", async () => {}],
  ] as const) {
    test(`comes every few milliseconds among ${kind}`, async () => {
      const { clock, turns } = busyClock();
      const { processor, stop, join } = setUp(clock);
      let heard = 0;
      const all = deferred();
      join({
        onAdd: () => {
          if (++heard === 400) all.resolve();
          return callback();
        },
      });
      const running = processor.run(stop.signal);
      for (let i = 0; i < 400; i++) processor.distribute(added(`pod-${i}`));
      await all.promise;
      expect(turns()).toBeGreaterThan(50);
      stop.abort();
      await running;
    });
  }

  test("a handler with much to hear lets others in between", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const order: string[] = [];
    join({ onAdd: () => void order.push("busy") });
    const running = processor.run(stop.signal);
    for (let i = 0; i < 500; i++) processor.distribute(added(`pod-${i}`));
    join({ onAdd: () => void order.push("late") });
    processor.distribute(added("last"));
    await clock.settle();
    expect(order).toHaveLength(502);
    expect(order.indexOf("late")).toBeLessThan(200);
    stop.abort();
    await running;
  });
});

describe("a bounded handler", () => {
  test("hears of each object's last state and never waits with more than one entry each", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const gate = deferred();
    const { heard, handler } = recorder(() => gate.promise);
    const registration = join(handler, { maxQueued: 2 });
    const running = processor.run(stop.signal);
    processor.distribute(added("a", 1));
    await clock.settle();
    for (let version = 2; version <= 1000; version++) processor.distribute(updated("a", version - 1, version));
    expect(registration.pending).toBe(2);
    gate.resolve();
    await clock.settle();
    expect(heard).toEqual(["add a@1", "update a@1 to a@2", "update a@2 to a@1000"]);
    stop.abort();
    await running;
  });

  test("is in sync although part of the first list came and went unheard", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const gate = deferred();
    const registration = join(recorder(() => gate.promise).handler, { maxQueued: 1 });
    const running = processor.run(stop.signal);
    processor.distribute(added("a", 1, "initial"));
    await clock.settle();
    processor.distribute(added("b", 1, "initial"));
    processor.upstreamHasSynced();
    processor.distribute(deleted("b", 2));
    gate.resolve();
    await clock.settle();
    expect(registration.hasSynced()).toBe(true);
    stop.abort();
    await running;
  });
});
