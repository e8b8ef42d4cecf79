// What a run is told as, line by line: the specs that did not pass, what changed against the table, and the counts of each class.
import type { SuiteReport } from "./ginkgo.ts";
import { type Comparison, classes, type SpecClass, type SpecRow } from "./spec-table.ts";

export interface FinishedRun {
  readonly rows: readonly SpecRow[];
  readonly report: SuiteReport;
  readonly comparison: Comparison;
  /** Whether the table has been written with it. */
  readonly isUpdated: boolean;
}

export function printRun({ rows, report, comparison, isUpdated }: FinishedRun): readonly string[] {
  const { outcomes, seconds, flaky, suiteFailure } = report;
  const didNotPass = rows.flatMap(({ spec }) => {
    const outcome = outcomes.get(spec);
    if (outcome === undefined || outcome.result === "pass") return [];
    return [`${outcome.result}  ${spec} (${Math.round(seconds.get(spec) ?? 0)} s): ${outcome.message}`];
  });
  return [
    ...didNotPass,
    ...comparison.missing.map((spec) => `no result  ${spec}`),
    ...flaky.map((spec) => `passed at the second try  ${spec}`),
    ...comparison.won.map((spec) => `passes now  ${spec}`),
    ...comparison.lost.map((spec) => `LOST  ${spec}: it passes in the table`),
    ...(suiteFailure === undefined ? [] : [`the suite itself failed: ${suiteFailure}`]),
    ...(comparison.won.length > 0 && !isUpdated ? ["--update writes down what passes now"] : []),
    ...countLines(rows, report),
  ];
}

function countLines(rows: readonly SpecRow[], { outcomes }: SuiteReport): readonly string[] {
  return (Object.keys(classes) as SpecClass[]).flatMap((letter) => {
    const some = rows.filter((row) => row.class === letter);
    if (some.length === 0) return [];
    const passed = some.filter(({ spec }) => outcomes.get(spec)?.result === "pass").length;
    return [`class ${letter}: ${passed} of ${some.length} passed`];
  });
}
