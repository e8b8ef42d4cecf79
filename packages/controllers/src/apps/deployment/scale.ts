// Scaling outside of a rollout: a deployment whose size was changed in the midst of an update, or that is paused. Sets grow and shrink in
// proportion, so that the share of the new template stays what it was.
import type { appsv1 } from "@kubeloop/core/api";
import { compareAge, desiredReplicasAnnotation, maxReplicasAnnotation, sizeAnnotationOf } from "./revisions.ts";
import { isActive, isRollingUpdate, maxSurgeOf, replicasOf, wantedBy } from "./sizes.ts";

type Set = appsv1.ReplicaSet;

/** What becomes of a set's size. */
export interface Resize {
  readonly set: Set;
  readonly replicas: number;
  /** The annotations about its size are written even if the size stays; otherwise only with the size. */
  readonly isRefreshed?: boolean;
}

/** Whether an active set was scaled for another size of the deployment. */
export function isScaled(deployment: appsv1.Deployment, sets: readonly Set[]): boolean {
  return sets.filter(isActive).some((set) => {
    const desired = sizeAnnotationOf(set, desiredReplicasAnnotation);
    return desired !== undefined && desired !== replicasOf(deployment);
  });
}

export function scaleSets(
  deployment: appsv1.Deployment,
  newSet: Set | undefined,
  oldSets: readonly Set[],
): readonly Resize[] {
  const replicas = replicasOf(deployment);
  const all = [...oldSets, ...(newSet === undefined ? [] : [newSet])];
  const active = all.filter(isActive);
  const newestOld = oldSets.toSorted(compareAge).at(-1);
  const only = active.length === 0 ? (newSet ?? newestOld) : active.length === 1 ? active[0] : undefined;
  if (only !== undefined) return [{ set: only, replicas }];
  // With several active sets of which the newest has all pods already, an old one was adopted meanwhile.
  if (newSet !== undefined && isSaturated(deployment, newSet)) {
    return oldSets.filter(isActive).map((set) => ({ set, replicas: 0 }));
  }
  return isRollingUpdate(deployment) ? inProportion(deployment, active) : [];
}

/** Whether the set has all pods of the deployment, says so itself, and all are available. */
function isSaturated(deployment: appsv1.Deployment, set: Set): boolean {
  const replicas = replicasOf(deployment);
  const desired = sizeAnnotationOf(set, desiredReplicasAnnotation);
  return replicasOf(set) === replicas && desired === replicas && (set.status?.availableReplicas ?? 0) === replicas;
}

function inProportion(deployment: appsv1.Deployment, active: readonly Set[]): readonly Resize[] {
  const replicas = replicasOf(deployment);
  const allowed = replicas > 0 ? replicas + maxSurgeOf(deployment) : 0;
  const missing = allowed - wantedBy(active);
  // Larger sets first; of equal ones the newer grow, the older shrink.
  const ordered = active.toSorted(
    (a, b) => replicasOf(b) - replicasOf(a) || (missing > 0 ? compareAge(b, a) : compareAge(a, b)),
  );
  let added = 0;
  const sizes = ordered.map((set) => {
    const share = missing === 0 ? 0 : shareOf(deployment, set, { missing, added });
    added += share;
    return replicasOf(set) + share;
  });
  return ordered.map((set, i) => {
    // What rounding leaves goes to the largest.
    const size = (sizes[i] ?? 0) + (i === 0 ? missing - added : 0);
    return { set, replicas: Math.max(size, 0), isRefreshed: true };
  });
}

interface Distribution {
  /** How many pods all sets together gain; negative if they lose some. */
  readonly missing: number;
  /** How many of these have been given to others. */
  readonly added: number;
}

function shareOf(deployment: appsv1.Deployment, set: Set, { missing, added }: Distribution): number {
  if (missing === added) return 0;
  const fraction = fractionOf(deployment, set);
  return missing > 0 ? Math.min(fraction, missing - added) : Math.max(fraction, missing - added);
}

function fractionOf(deployment: appsv1.Deployment, set: Set): number {
  const size = replicasOf(set);
  if (replicasOf(deployment) === 0) return -size;
  const max = replicasOf(deployment) + maxSurgeOf(deployment);
  // Without the annotation the share is not exact, but within the limits.
  const before = sizeAnnotationOf(set, maxReplicasAnnotation) || (deployment.status?.replicas ?? 0);
  return before === 0 ? 0 : roundAwayFromZero((size * max) / before) - size;
}

/** Halves go away from zero. */
const roundAwayFromZero = (value: number) => Math.trunc(value < 0 ? value - 0.5 : value + 0.5);
