import { describe, expect, test } from "vitest";
import { isWithin, noteError, type RetryWindow } from "./retry-window.ts";

const second = 1000;

/** Whether each error, this long after the one before, is tried again. */
function tries(limitMs: number, gapsMs: readonly number[]): readonly boolean[] {
  let window: RetryWindow | undefined;
  let nowMs = 0;
  return gapsMs.map((gapMs) => {
    nowMs += gapMs;
    window = noteError(window, nowMs, 30 * second);
    return isWithin(window, nowMs, limitMs);
  });
}

describe("errors of one kind", () => {
  test.each([
    ["are never tried again where there is no time for it", 0, [second, 0, second], [false, false, false]],
    ["are tried again while the first is not too long ago", second, [second, second, second], [true, true, false]],
    [
      "are tried again after all when it was quiet in between",
      second,
      [second, 2 * second, 30 * second],
      [true, false, true],
    ],
    [
      "stay one row while none is far from the one before",
      60 * second,
      [0, 29 * second, 29 * second, 29 * second],
      [true, true, true, false],
    ],
  ])("%s", (_, limitMs, gapsMs, expected) => {
    expect(tries(limitMs, gapsMs)).toEqual(expected);
  });
});
