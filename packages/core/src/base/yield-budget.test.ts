import { describe, expect, test } from "vitest";
import { type Clock, systemClock } from "./clock.ts";
import { YieldBudget } from "./yield-budget.ts";

/** A clock that moves only when told, and counts how often it was looked at and how often others had a turn. */
function handClock() {
  const state = { nowMs: 0, looks: 0, turns: 0 };
  const clock: Clock = {
    ...systemClock,
    monotonic: () => {
      state.looks++;
      return state.nowMs;
    },
    yield: async () => {
      state.turns++;
    },
  };
  return { clock, state };
}

describe("a yield budget", () => {
  test("is used up after a few milliseconds of work, and new after a yield", async () => {
    const { clock, state } = handClock();
    const budget = new YieldBudget(clock);
    state.nowMs = 3;
    expect(budget.isUsedUp()).toBe(false);
    state.nowMs = 4;
    expect(budget.isUsedUp()).toBe(true);
    await budget.yield();
    expect([budget.isUsedUp(), state.turns]).toEqual([false, 1]);
  });

  test("does not count what others do while it waits", async () => {
    const { clock, state } = handClock();
    const budget = new YieldBudget(clock);
    state.nowMs = 3;
    const waiting = budget.pause(Promise.resolve());
    state.nowMs = 6;
    await waiting;
    expect(budget.isUsedUp()).toBe(false);
    state.nowMs = 7;
    expect([budget.isUsedUp(), budget.isUsedUp()]).toContain(true);
  });

  test("adds up over waits for what is there already", async () => {
    const { clock, state } = handClock();
    const budget = new YieldBudget(clock);
    for (let i = 0; i < 4; i++) {
      state.nowMs++;
      await budget.pause(Promise.resolve());
    }
    expect(budget.isUsedUp()).toBe(true);
  });

  test("is new after a long wait, also one that failed", async () => {
    const { clock, state } = handClock();
    const budget = new YieldBudget(clock);
    state.nowMs = 4;
    const failing = budget.pause(Promise.reject(new Error("no")));
    state.nowMs = 10;
    await expect(failing).rejects.toThrow("no");
    expect(budget.isUsedUp()).toBe(false);
  });

  test("looks at the clock only now and then where pieces are small, and each time where they are not", () => {
    const { clock, state } = handClock();
    const budget = new YieldBudget(clock);
    state.looks = 0;
    for (let i = 0; i < 1000; i++) {
      budget.isUsedUp();
      state.nowMs += 0.001;
    }
    expect(state.looks).toBeLessThan(100);
    for (let i = 0; i < 16; i++) {
      budget.isUsedUp();
      state.nowMs += 0.2;
    }
    state.looks = 0;
    for (let i = 0; i < 10; i++) {
      budget.isUsedUp();
      state.nowMs += 0.2;
    }
    expect(state.looks).toBe(10);
  });
});
