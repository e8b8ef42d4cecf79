// The system clock against a stand-in for the platform's timers: what it asks of them is the fact under test. One test uses
// the real ones.
import { getEventListeners } from "node:events";
import { afterEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "./clock.ts";

afterEach(() => {
  vi.useRealTimers();
});

const days = 24 * 3600 * 1000;

describe("system timers", () => {
  test("beyond 24.8 days fire when due and not before", () => {
    vi.useFakeTimers();
    let fired = 0;
    systemClock.after(60 * days, () => fired++);
    vi.advanceTimersByTime(60 * days - 1);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(2);
    expect(fired).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("disposed of between two hops they are gone", () => {
    vi.useFakeTimers();
    let fired = 0;
    const timer = systemClock.after(60 * days, () => fired++);
    vi.advanceTimersByTime(30 * days);
    timer[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(60 * days);
    expect(fired).toBe(0);
  });

  test("at Infinity no platform timer is made", () => {
    vi.useFakeTimers();
    systemClock.after(Number.POSITIVE_INFINITY, () => {});
    expect(vi.getTimerCount()).toBe(0);
  });

  test("are never early by the monotonic clock", async () => {
    for (let i = 0; i < 20; i++) {
      const start = systemClock.monotonic();
      await new Promise<void>((resolve) => {
        systemClock.after(1.5, resolve);
      });
      expect(systemClock.monotonic() - start).toBeGreaterThanOrEqual(1.5);
    }
  });
});

describe("system sleep", () => {
  test("has let go of its signal when it wakes", async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const woken = systemClock.sleep(10, controller.signal);
    vi.advanceTimersByTime(11);
    await woken;
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  test("leaves neither listener nor timer behind, woken or aborted", async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const woken = systemClock.sleep(10, controller.signal);
    const aborted = systemClock.sleep(1000, controller.signal);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    vi.advanceTimersByTime(11);
    await woken;
    controller.abort("stop");
    await expect(aborted).rejects.toBe("stop");
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });
});

test("now is the wall clock, monotonic does not follow its jumps", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const before = systemClock.monotonic();
  vi.setSystemTime(0);
  expect(systemClock.now()).toBe(0);
  expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
});

test("yield lets work that is ready on the event loop go first", async () => {
  const order: string[] = [];
  setImmediate(() => order.push("ready"));
  await systemClock.yield();
  order.push("after the yield");
  expect(order).toEqual(["ready", "after the yield"]);
});
