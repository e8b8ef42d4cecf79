// What failed is counted: one for each pod that could not be marked or deleted.
import { nothing, type Outcome, type Plan } from "@kubeloop/core/contract";
import { type Collected, failedDeletions, labelsOf } from "./decide.ts";
import type { Observed } from "./observe.ts";

export function report(_observed: Observed, outcome: Outcome<Collected>): Plan | undefined {
  const measures = outcome.all.flatMap(({ action, result }) => {
    const collected = outcome.notes?.get(action);
    if (result.status !== "failed" || collected === undefined) return [];
    return [failedDeletions.inc(labelsOf(collected.pod, collected.reason))];
  });
  return measures.length === 0 ? undefined : nothing("failures", { measures });
}
