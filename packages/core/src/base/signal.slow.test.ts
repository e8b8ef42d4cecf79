// A million children on one signal, and what they leave behind: nothing.
import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { FakeClock } from "./fake-clock.ts";
import { childSignal, timeoutSignal } from "./signal.ts";

const listenersOn = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function heapGrowthBytes(work: () => void): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  work();
  collectGarbage();
  return process.memoryUsage().heapUsed - before;
}

describe("a long-lived parent", () => {
  const million = 1_000_000;
  const megabyte = 1024 * 1024;

  test("keeps nothing of a million children", () => {
    const parent = new AbortController();
    const growth = heapGrowthBytes(() => {
      for (let i = 0; i < million; i++) childSignal(parent.signal)[Symbol.dispose]();
    });
    expect(growth).toBeLessThan(2 * megabyte);
    expect(listenersOn(parent.signal)).toBe(0);
  });

  test("keeps nothing of a million timeouts, and neither does the clock", () => {
    const parent = new AbortController();
    const clock = new FakeClock();
    const growth = heapGrowthBytes(() => {
      for (let i = 0; i < million; i++) {
        timeoutSignal(parent.signal, 1000, { clock, what: "a call" })[Symbol.dispose]();
      }
    });
    expect(growth).toBeLessThan(2 * megabyte);
    expect(listenersOn(parent.signal)).toBe(0);
    expect(clock.pending()).toEqual([]);
  });

  test("shows in this measure when children are not let go of", () => {
    const parent = new AbortController();
    const growth = heapGrowthBytes(() => {
      for (let i = 0; i < 20_000; i++) childSignal(parent.signal);
    });
    expect(growth).toBeGreaterThan(2 * megabyte);
    expect(listenersOn(parent.signal)).toBe(1);
  });
});
