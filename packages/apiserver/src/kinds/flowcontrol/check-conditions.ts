// Conditions of flow schemas and priority levels: each type once, and never without one.
import { isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

interface Condition {
  readonly type?: string;
}

export function checkFlowConditions(conditions: readonly Condition[] | undefined, fldPath: ValidationPath): void {
  const seen = new Set<string>();
  for (const [i, { type = "" }] of (conditions ?? []).entries()) {
    const typePath = fldPath.item(i).at("type");
    if (seen.has(type)) typePath.duplicate(type);
    seen.add(type);
    if (isAbsent(type)) typePath.required();
  }
}
