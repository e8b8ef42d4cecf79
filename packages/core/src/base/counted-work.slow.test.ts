// What `countWork` counts of work in proportion to n, and of work in its square.
import "./counted-work.fixture.ts";
import { describe, expect, test } from "vitest";
import { expectLinearWork } from "./counted-work.fixture.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

const works: readonly (readonly [string, isLinear: boolean, (count: number) => unknown])[] = [
  ["a map filled", true, (count) => new Map(numbers(count).map((i) => [i, i]))],
  ["a text split", true, (count) => "x,".repeat(count).split(",")],
  ["a list copied once", true, (count) => [...numbers(count)].sort((a, b) => a - b)],
  [
    "a loop in a loop",
    false,
    (count) => {
      let sum = 0;
      for (let i = 0; i < count; i++) for (let j = 0; j < count; j++) sum += j;
      return sum;
    },
  ],
  ["a search in a loop", false, (count) => numbers(count).filter((i, _, all) => all.includes(-i))],
  ["a find in a loop", false, (count) => numbers(count).filter((i, _, all) => all.some((each) => each === -i - 1))],
  [
    "a list copied in a loop",
    false,
    (count) => {
      let all: readonly number[] = [];
      for (let i = 0; i < count; i++) all = [...all, i];
      return all;
    },
  ],
  [
    "an object copied in a loop",
    false,
    (count) => {
      let all: object = {};
      for (let i = 0; i < count; i++) all = { ...all, [`k${i}`]: i };
      return all;
    },
  ],
];

describe("counted", () => {
  for (const [what, isLinear, run] of works) {
    test(`${what} is ${isLinear ? "" : "not "}in proportion`, async () => {
      const comparing = expectLinearWork(500, run);
      await (isLinear ? comparing : expect(comparing).rejects.toThrow("to be less than"));
    });
  }
});
