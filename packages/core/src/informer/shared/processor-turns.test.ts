import { describe, expect, test } from "vitest";
import { type Clock, deferred, FakeClock, systemClock } from "../../base/index.ts";
import { added, deleted, recorder, updated } from "./notifications.fixture.ts";
import { type PodProcessor, setUp } from "./processor.fixture.ts";

describe("what only repeats what is known", () => {
  const periods = { never: 0, "every 2 s": 2000, "every 3 s": 3000 };
  const resync = (processor: PodProcessor) => processor.distribute(updated("a", 1, 1, "resync"));
  const relist = (processor: PodProcessor) => processor.distribute(updated("a", 1, 1, "relist"));
  const nobody = { never: 0, "every 2 s": 0, "every 3 s": 0 };

  async function afterSeconds(
    seconds: number,
    repeat: (processor: PodProcessor) => void,
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
    const resyncThenRelist = (processor: PodProcessor) => {
      resync(processor);
      processor.resyncEnded();
      relist(processor);
    };
    expect(await afterSeconds(2, resyncThenRelist)).toEqual({ ...nobody, "every 2 s": 1 });
  });

  test("a resync that is still to come is not over", async () => {
    const idleThenResync = (processor: PodProcessor) => {
      processor.resyncEnded();
      resync(processor);
    };
    expect(await afterSeconds(2, idleThenResync)).toEqual({ ...nobody, "every 2 s": 1 });
  });

  test("a relist with another version tells everyone", async () => {
    const change = (processor: PodProcessor) => processor.distribute(updated("a", 1, 2, "relist"));
    expect(await afterSeconds(1, change)).toEqual({ never: 1, "every 2 s": 1, "every 3 s": 1 });
  });

  test("without versions nothing is known to be the same", async () => {
    const bare = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
    const change = (processor: PodProcessor) =>
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
