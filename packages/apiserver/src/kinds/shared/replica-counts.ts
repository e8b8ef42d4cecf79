// The numbers a controller tells about its pods: never negative, and no part more than the whole.
import { checkNonNegative } from "./checks.ts";
import type { ValidationPath } from "./validation-path.ts";

interface ReplicaCounts {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
  readonly terminatingReplicas?: number;
}

const parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const;

/** Of ReplicaSets and ReplicationControllers. */
export function checkReplicaCounts(counts: ReplicaCounts, fldPath: ValidationPath): void {
  for (const field of ["replicas", ...parts, "observedGeneration", "terminatingReplicas"] as const) {
    checkNonNegative(counts[field], fldPath.at(field));
  }
  checkParts(counts, fldPath, parts);
  checkAvailable(counts, fldPath, "cannot be greater than readyReplicas");
}

export function checkParts<Name extends string>(
  counts: { readonly [name in Name | "replicas"]?: number },
  fldPath: ValidationPath,
  names: readonly Name[],
): void {
  const all = counts.replicas ?? 0;
  for (const name of names) {
    const part = counts[name] ?? 0;
    if (part > all) fldPath.at(name).invalid(part, "cannot be greater than status.replicas");
  }
}

export function checkAvailable(
  { availableReplicas = 0, readyReplicas = 0 }: ReplicaCounts,
  fldPath: ValidationPath,
  why: string,
): void {
  if (availableReplicas > readyReplicas) fldPath.at("availableReplicas").invalid(availableReplicas, why);
}

/** It counts collisions of names, and never forgets one. */
export function checkCollisionCount(count: number | undefined, fldPath: ValidationPath, old: number | undefined): void {
  if (old !== undefined && (count ?? Number.NEGATIVE_INFINITY) < old)
    fldPath.invalid(count ?? 0, "cannot be decremented");
}
