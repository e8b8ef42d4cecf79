import { expect, test } from "vitest";
import { judgeMemory } from "./verdict.ts";

test.each([
  ["the same all the time", [50, 50, 50, 50, 50, 50], "flat"],
  ["a warm-up", [10, 20, 50, 50, 50, 50], "flat"],
  ["less in the end", [50, 50, 50, 50, 40, 30], "flat"],
  ["a tenth more", [50, 50, 100, 100, 110, 110], "flat"],
  ["more than a tenth more", [50, 50, 100, 100, 111, 111], "growing"],
  ["one high sample", [50, 50, 50, 50, 50, 50, 50, 90, 50], "flat"],
  ["a rise that goes on", [50, 55, 60, 65, 70, 75, 80, 85, 90], "growing"],
  ["too few", [50, 50, 50, 50, 50], "too short"],
])("%s", (_, samples, kind) => {
  expect(judgeMemory(samples).kind).toBe(kind);
});
