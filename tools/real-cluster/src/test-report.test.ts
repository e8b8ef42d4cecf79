import { expect, test } from "vitest";
import { countRun } from "./test-report.ts";

for (const [name, report, expected] of [
  ["counts passed and failed tests", { numPassedTests: 3, numFailedTests: 1, numPendingTests: 5 }, 4],
  ["does not count skipped tests", { numPassedTests: 0, numFailedTests: 0, numPendingTests: 5 }, 0],
  ["counts nothing where there is no report", undefined, 0],
] as const) {
  test(name, () => expect(countRun(report)).toBe(expected));
}
