// Whether two parts of objects mean the same, and what is wrong when a part that may not change did.
import { schemaNamed, semanticEqual } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import type { ValidationPath } from "./validation-path.ts";

/**
 * By meaning: quantities by their amount, empty as absent. `schemaName` is the part's ("io.k8s.api.core.v1.PodSpec"); without it
 * the parts must be the same data, which is enough where they hold no quantities.
 */
export function isSame(a: unknown, b: unknown, schemaName?: string): boolean {
  if (deepEqual(a, b)) return true;
  return schemaName !== undefined && semanticEqual(a, b, schemaNamed(schemaName));
}

/** A part that stays as it was when the object was created. An absent one is reported as null. */
export function checkImmutable(value: unknown, old: unknown, fldPath: ValidationPath, schemaName?: string): void {
  if (!isSame(value, old, schemaName)) fldPath.invalid(value ?? null, "field is immutable");
}
