// What is told of a namespace that is not let go yet: its conditions, after a look at what a deletion has left.
import { type DecideContext, editStatus, type Outcome, type Plan, plan } from "@kubeloop/core/contract";
import { namespaces } from "@kubeloop/core/resources";
import { idOf, withConditions } from "./conditions.ts";
import type { Looked } from "./decide.ts";
import type { Observed } from "./observe.ts";

export function report(_observed: Observed, outcome: Outcome<Looked>, { nowMs }: DecideContext): Plan | undefined {
  const looked = outcome.notes;
  if (looked === undefined) return undefined;
  const failed = failedRemovals(outcome);
  // Deleted just now: what is left is seen at the next look, at once.
  if (looked.remaining === undefined && failed.size === 0) return undefined;
  const { namespace } = looked;
  const edit = editStatus(namespaces, namespace, withConditions(looked, failed, nowMs), { tolerates: ["NotFound"] });
  return plan("says how far it is", [[edit]]);
}

/** By resource, the first failure to delete something of it. */
function failedRemovals(outcome: Outcome<Looked>): ReadonlyMap<string, Error> {
  const failed = new Map<string, Error>();
  for (const { action, result } of outcome.all) {
    if (action.type !== "delete" && action.type !== "deletecollection") continue;
    const id = idOf(action.resource);
    if (result.status === "failed" && !failed.has(id)) failed.set(id, result.error);
  }
  return failed;
}
