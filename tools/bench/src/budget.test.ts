import { describe, expect, test } from "vitest";
import { isKept, type Measurement, median, printMeasurement } from "./budget.ts";

const measurement = (measured: number, bound: Measurement["bound"]): Measurement => ({
  what: "import time",
  measured,
  limit: 0.1,
  bound,
  unit: " ×",
  detail: "5 ms of 50 ms",
});

describe("a budget", () => {
  for (const [measured, bound, expected] of [
    [0.05, "at most", true],
    [0.1, "at most", true],
    [0.11, "at most", false],
    [0.05, "at least", false],
    [0.1, "at least", true],
  ] as const) {
    test(`of ${bound} 0.1 is ${expected ? "kept" : "missed"} by ${measured}`, () => {
      expect(isKept(measurement(measured, bound))).toBe(expected);
    });
  }

  test("prints its verdict, the ratio, the limit and the raw numbers", () => {
    expect(printMeasurement(measurement(0.2, "at most"))).toBe(
      "MISSED import time: 0.200 × (at most 0.1 ×); 5 ms of 50 ms",
    );
  });
});

test("the median is the middle one", () => expect(median([5, 1, 100, 2, 3])).toBe(3));
