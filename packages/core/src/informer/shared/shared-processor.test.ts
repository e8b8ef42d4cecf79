import { describe, expect, test } from "vitest";
import { deferred, FakeClock } from "../../base/index.ts";
import { added, deleted, pod, recorder, updated } from "./notifications.fixture.ts";
import { setUp, tellAll } from "./processor.fixture.ts";

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

  test("what is told before it runs is not lost", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const { heard, handler } = recorder();
    join(handler);
    tellAll(processor, [added("a"), added("b")]);
    await clock.advance(1000);
    expect(heard).toEqual([]);
    const running = processor.run(stop.signal);
    await clock.settle();
    expect(heard).toEqual(["add a@1", "add b@1"]);
    stop.abort();
    await running;
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

describe("a list that is told of in one go", () => {
  const details = { cause: "initial", isInInitialList: true } as const;

  test("comes before what happens later, and behind what was to be told before", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const { heard, handler } = recorder();
    join(handler);
    processor.distributeAdds([pod("a"), pod("b")], details);
    processor.distribute(updated("a", 1, 2));
    processor.distributeAdds([pod("c")], { cause: "relist", isInInitialList: false });
    processor.distribute(deleted("c"));
    const running = processor.run(stop.signal);
    await clock.settle();
    expect(heard).toEqual([
      "add a@1 (initial)",
      "add b@1 (initial)",
      "update a@1 to a@2",
      "add c@1 (relist)",
      "delete c@1",
    ]);
    stop.abort();
    await running;
  });

  test("counts as one thing to tell for each of its objects, and for the sync", async () => {
    const clock = new FakeClock();
    const { processor, stop, join } = setUp(clock);
    const registration = join({});
    processor.distributeAdds([pod("a"), pod("b")], details);
    processor.upstreamHasSynced();
    expect([registration.pending, registration.hasSynced()]).toEqual([2, false]);
    const running = processor.run(stop.signal);
    await clock.settle();
    expect([registration.pending, registration.hasSynced()]).toEqual([0, true]);
    stop.abort();
    await running;
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
