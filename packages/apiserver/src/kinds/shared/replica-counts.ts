// The numbers a controller tells about its pods: never negative, and no part more than the whole.
import { checkNonNegative } from "./checks.ts";
import type { FaultPlace } from "./fault-place.ts";

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
export function checkReplicaCounts(counts: ReplicaCounts, place: FaultPlace): void {
  for (const field of ["replicas", ...parts, "observedGeneration", "terminatingReplicas"] as const) {
    checkNonNegative(counts[field], place.at(field));
  }
  checkParts(counts, place, parts);
  checkAvailable(counts, place, "cannot be greater than readyReplicas");
}

export function checkParts<Name extends string>(
  counts: { readonly [name in Name | "replicas"]?: number },
  place: FaultPlace,
  names: readonly Name[],
): void {
  const all = counts.replicas ?? 0;
  for (const name of names) {
    const part = counts[name] ?? 0;
    if (part > all) place.at(name).invalid(part, "cannot be greater than status.replicas");
  }
}

export function checkAvailable(
  { availableReplicas = 0, readyReplicas = 0 }: ReplicaCounts,
  place: FaultPlace,
  why: string,
): void {
  if (availableReplicas > readyReplicas) place.at("availableReplicas").invalid(availableReplicas, why);
}

/** It counts collisions of names, and never forgets one. */
export function checkCollisionCount(count: number | undefined, place: FaultPlace, old: number | undefined): void {
  if (old !== undefined && (count ?? Number.NEGATIVE_INFINITY) < old)
    place.invalid(count ?? 0, "cannot be decremented");
}
