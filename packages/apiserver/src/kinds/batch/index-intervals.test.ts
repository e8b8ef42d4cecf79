import { describe, expect, test } from "vitest";
import { countIndexes, firstOverlap, parseIndexes } from "./index-intervals.ts";

describe("what indexes are meant", () => {
  for (const [text, expected] of [
    ["", 0],
    ["0", 1],
    ["0,2", 2],
    ["1-3,5", 4],
    ["+1", 1],
    ["9", 'too large index: "9"'],
    ["1-9", 'too large index: "9"'],
    ["a", 'cannot convert string to integer for index: "a"'],
    ["1,", 'cannot convert string to integer for index: ""'],
    ["-1", 'cannot convert string to integer for index: ""'],
    ["1-1", "non-increasing order, previous: 1, current: 1"],
    ["3,1", "non-increasing order, previous: 3, current: 1"],
    ["1-3,3", "non-increasing order, previous: 3, current: 3"],
    [
      "1-2-3",
      "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts separated by '-'",
    ],
  ] as const) {
    test(JSON.stringify(text), () => {
      const parsed = parseIndexes(text, 8);
      expect(typeof parsed === "string" ? parsed : countIndexes(parsed)).toBe(expected);
    });
  }
});

describe("the first index in both", () => {
  for (const [left, right, expected] of [
    ["", "1", undefined],
    ["0,2,4", "1,3,5", undefined],
    ["0-2", "1", 1],
    ["0,5-7", "2-3,6", 6],
    ["1", "a,1", 1],
    ["9", "9", undefined],
  ] as const) {
    test(`of ${JSON.stringify(left)} and ${JSON.stringify(right)}`, () =>
      expect(firstOverlap(left, right, 8)).toBe(expected));
  }
});
