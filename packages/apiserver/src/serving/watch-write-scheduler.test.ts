import { type Clock, FakeClock, systemClock } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { WatchWriteScheduler } from "./watch-write-scheduler.ts";

/** Time passes when the test says so; turns are the event loop's own. */
function newTurns() {
  const fake = new FakeClock();
  let spentMs = 0;
  const clock: Clock = {
    ...systemClock,
    monotonic: () => fake.monotonic() + spentMs,
    after: (ms, callback) => fake.after(ms, callback),
    labelled: () => clock,
  };
  const work = (ms: number) => {
    spentMs += ms;
  };
  return { turns: new WatchWriteScheduler(clock), fake, work };
}

async function isOver(promise: Promise<void>): Promise<boolean> {
  let isSettled = false;
  void promise.then(() => {
    isSettled = true;
  });
  await systemClock.yield();
  await systemClock.yield();
  return isSettled;
}

describe("after a write", () => {
  test("a few watchers wait for a turn", async () => {
    const { turns, work } = newTurns();
    const next = turns.next();
    work(0.9);
    expect(await isOver(next)).toBe(true);
  });

  for (const [fact, tookMs, waitMs] of [
    ["many wait as long as it took to write to them", 4, 4],
    ["so many that it takes longer still do not wait for ever", 50, 10],
  ] as const) {
    test(fact, async () => {
      const { turns, fake, work } = newTurns();
      const next = turns.next();
      work(tookMs);
      expect(await isOver(next)).toBe(false);
      await fake.advance(waitMs - 0.1);
      expect(await isOver(next)).toBe(false);
      await fake.advance(0.1);
      expect(await isOver(next)).toBe(true);
    });
  }

  test("all wait for the same moment, and then anew", async () => {
    const { turns, fake, work } = newTurns();
    const first = turns.next();
    expect(turns.next()).toBe(first);
    work(3);
    expect(await isOver(first)).toBe(false);
    expect(turns.next()).toBe(first);
    await fake.advance(3);
    expect(await isOver(first)).toBe(true);
    expect(turns.next()).not.toBe(first);
  });
});
