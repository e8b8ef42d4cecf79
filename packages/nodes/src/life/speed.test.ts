import { expect, test } from "vitest";
import { atSpeed, defaultTimings } from "./pod-life.ts";

test("only what the node does itself is faster", () => {
  expect(atSpeed(defaultTimings, 10)).toEqual({ sandboxMs: 20, pullMs: 50, startMs: 10, relistMs: 1000, stopMs: 100 });
});

test.each([0, -1, Number.NaN])("a speed of %d is refused", (speed) => {
  expect(() => atSpeed(defaultTimings, speed)).toThrow("speed must be more than 0");
});
