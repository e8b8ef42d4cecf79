import { EventEmitter, once } from "node:events";
import { describe, expect, test } from "vitest";
import { deferred, FakeClock, systemClock } from "../../base/index.ts";
import { added, pod, recorder, updated } from "./notifications.fixture.ts";
import { setUp, tellAll } from "./processor.fixture.ts";

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

  test("in the middle of a callback that fails afterwards hides nothing: the failure is reported", async () => {
    const clock = new FakeClock();
    const { processor, stop, join, failures } = setUp(clock);
    const gate = deferred();
    const registration = join(recorder(() => gate.promise).handler, { name: "leaver" });
    const running = processor.run(stop.signal);
    processor.distribute(added("a"));
    await clock.settle();
    registration.remove();
    gate.reject(new Error("too late"));
    await clock.settle();
    expect(failures).toEqual(["leaver: add: too late"]);
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

async function emitted(): Promise<void> {
  const emitter = new EventEmitter();
  void systemClock.after(0, () => emitter.emit("done"));
  await once(emitter, "done");
}

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
    ["after a timer", () => new Promise<void>((resolve) => void systemClock.after(0, resolve))],
    ["after an emitter", () => emitted()],
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

  for (const [where, call] of [
    ["by its chain of promises", (work: () => void) => void systemClock.yield().then(work)],
    ["by a timer", (work: () => void) => void systemClock.after(0, work)],
    ["by an emitter", (work: () => void) => void emitted().then(work)],
  ] as const) {
    test(`from inside the first callback that returns a promise, a plain function, ${where}, waits for nothing`, async () => {
      const { processor, stop, join } = setUp();
      const ended = deferred();
      const shutDownLater = () => {
        call(() => void processor.shutDown(registration).then(() => ended.resolve()));
        return ended.promise;
      };
      const registration = join({ onAdd: () => {}, onUpdate: () => shutDownLater() });
      const running = processor.run(stop.signal);
      tellAll(processor, [added("a"), updated("a", 1, 2)]);
      await ended.promise;
      stop.abort();
      await running;
    });
  }

  test("from inside its own callback, where somebody else prepares stacks, waits for nothing", async () => {
    const { processor, stop, join } = setUp();
    const ended = deferred();
    const registration = join({
      onAdd: async () => {
        await systemClock.yield();
        await processor.shutDown(registration);
        ended.resolve();
      },
    });
    const before = Error.prepareStackTrace;
    Error.prepareStackTrace = (_error, frames) => frames;
    try {
      const running = processor.run(stop.signal);
      processor.distribute(added("a"));
      await ended.promise;
      stop.abort();
      await running;
    } finally {
      Error.prepareStackTrace = before;
    }
  });

  test("from what an earlier callback left running, waits for the one that runs", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const [gate, leftRunning] = [deferred(), deferred()];
    const events: string[] = [];
    const registration = join({
      onAdd: () => {
        void leftRunning.promise.then(() => processor.shutDown(registration)).then(() => events.push("down"));
      },
      onUpdate: () => gate.promise.then(() => void events.push("callback ended")),
    });
    const running = processor.run(stop.signal);
    tellAll(processor, [added("a"), updated("a", 1, 2)]);
    await clock.settle();
    leftRunning.resolve();
    await clock.settle();
    expect(events).toEqual([]);
    gate.resolve();
    await clock.settle();
    expect(events).toEqual(["callback ended", "down"]);
    stop.abort();
    await running;
  });

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
