import { expect, test } from "vitest";
import { addCounts, countTests } from "./test-counts.ts";

test("reports add up", () => {
  const report = (passed: number, failed: number, pending: number) =>
    JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numPendingTests: pending, numTodoTests: 1 });
  expect(addCounts([report(3, 0, 0), report(4, 2, 1)].map(countTests))).toEqual({ passed: 7, failed: 2, skipped: 3 });
});

test("what is no report is an error, not a zero", () => {
  expect(() => countTests("{}")).toThrow("not a report");
});
