// The fail-safe: a budget whose status could not be computed, or not be written, allows nothing until it can. A conflict is no such failure: the
// budget has changed, and is looked at again.
import { isConflict } from "@kubeloop/core/api";
import { type DecideContext, editStatus, type Outcome, type Plan, plan } from "@kubeloop/core/contract";
import { podDisruptionBudgets } from "@kubeloop/core/resources";
import type { Notes } from "./decide.ts";
import type { Observed } from "./observe.ts";
import { withFailure } from "./status.ts";

export function report({ budget }: Observed, outcome: Outcome<Notes>, { nowMs }: DecideContext): Plan | undefined {
  const error = outcome.notes?.failure ?? outcome.error;
  if (error === undefined || isConflict(error)) return undefined;
  return plan("nothing is allowed", [[editStatus(podDisruptionBudgets, budget, withFailure(budget, error, nowMs))]]);
}
