// Conditions of flow schemas and priority levels: each type once, and never without one.
import { isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";

interface Condition {
  readonly type?: string;
}

export function checkFlowConditions(conditions: readonly Condition[] | undefined, place: FaultPlace): void {
  const seen = new Set<string>();
  for (const [i, { type = "" }] of (conditions ?? []).entries()) {
    const typePlace = place.item(i).at("type");
    if (seen.has(type)) typePlace.duplicate(type);
    seen.add(type);
    if (isAbsent(type)) typePlace.required();
  }
}
