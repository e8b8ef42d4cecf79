// The closing line of a test run: how many tests passed, failed and were skipped, added up over the runs that vitest
// reported in .cache/test-results. A run that left no report is an error, not a zero.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./repository.ts";

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What one report of vitest's JSON reporter counts. */
export function countTests(report: string): TestCounts {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(report) as Record<
    string,
    number
  >;
  if (numPassedTests === undefined || numFailedTests === undefined) throw new Error("not a report of vitest's");
  return { passed: numPassedTests, failed: numFailedTests, skipped: (numPendingTests ?? 0) + (numTodoTests ?? 0) };
}

export function addCounts(counts: readonly TestCounts[]): TestCounts {
  const sum = (pick: (one: TestCounts) => number) => counts.reduce((total, one) => total + pick(one), 0);
  return { passed: sum((one) => one.passed), failed: sum((one) => one.failed), skipped: sum((one) => one.skipped) };
}

export function printCounts(runs: readonly string[]): void {
  const counts = runs.map((run) =>
    countTests(readFileSync(join(repositoryRoot, ".cache/test-results", `${run}.json`), "utf8")),
  );
  for (const [i, run] of runs.entries()) console.log(`${run.padEnd(22)} ${sentence(counts[i])}`);
  console.log(sentence(addCounts(counts)));
}

function sentence(counts: TestCounts = { passed: 0, failed: 0, skipped: 0 }): string {
  return `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""}`;
}
