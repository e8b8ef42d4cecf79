// The strategy RollingUpdate: the newest set grows while there is room above the wanted number of pods, the old ones shrink while enough
// pods are available. One of the two in each plan, the newest set first.
import type { appsv1 } from "@kubeloop/core/api";
import { compareAge } from "./revisions.ts";
import type { Resize } from "./scale.ts";
import { countedBy, isActive, maxSurgeOf, maxUnavailableOf, replicasOf, wantedBy } from "./sizes.ts";

type Set = appsv1.ReplicaSet;

/** How large the newest set may be now. `others` are all sets but this one. */
export function newSetSize(deployment: appsv1.Deployment, size: number, others: readonly Set[]): number {
  const replicas = replicasOf(deployment);
  const room = replicas + maxSurgeOf(deployment) - wantedBy(others) - size;
  return room <= 0 ? size : size + Math.min(room, replicas - size);
}

export function rollSets(deployment: appsv1.Deployment, newSet: Set, oldSets: readonly Set[]): readonly Resize[] {
  const replicas = replicasOf(deployment);
  const size = replicasOf(newSet);
  const wanted = size > replicas ? replicas : newSetSize(deployment, size, oldSets);
  return wanted === size ? shrink(deployment, newSet, oldSets) : [{ set: newSet, replicas: wanted }];
}

function shrink(deployment: appsv1.Deployment, newSet: Set, oldSets: readonly Set[]): readonly Resize[] {
  const active = oldSets.filter(isActive).toSorted(compareAge);
  if (active.length === 0) return [];
  const minAvailable = replicasOf(deployment) - maxUnavailableOf(deployment);
  // Pods of the newest set that are not available yet must not make room for fewer old ones.
  const newUnavailable = replicasOf(newSet) - (newSet.status?.availableReplicas ?? 0);
  const mayGo = wantedBy([...active, newSet]) - minAvailable - newUnavailable;
  if (mayGo <= 0) return [];

  const { unhealthy, isUncertain } = removeUnhealthy(active, mayGo);
  if (isUncertain) return unhealthy;
  const left = active.map((set) => sizedAs(set, unhealthy));
  const available = countedBy([...left, newSet], "availableReplicas");
  return [...unhealthy, ...removeAny(left, available - minAvailable)];
}

interface Unhealthy {
  readonly unhealthy: readonly Resize[];
  /** A set has more pods than it wants: they are available, but will be gone soon, so nobody knows how many are available then. */
  readonly isUncertain: boolean;
}

/** First those pods that are not available: without them nobody is worse off, and they would hold the update up. */
function removeUnhealthy(sets: readonly Set[], atMost: number): Unhealthy {
  const unhealthy: Resize[] = [];
  let room = atMost;
  for (const set of sets) {
    if (room <= 0) break;
    const size = replicasOf(set);
    const removed = Math.min(room, size - (set.status?.availableReplicas ?? 0));
    if (removed < 0) return { unhealthy, isUncertain: true };
    room -= removed;
    if (removed > 0) unhealthy.push({ set, replicas: size - removed });
  }
  return { unhealthy, isUncertain: false };
}

function removeAny(sets: readonly Set[], atMost: number): readonly Resize[] {
  let room = atMost;
  return sets.flatMap((set) => {
    const size = replicasOf(set);
    const removed = Math.min(size, room);
    if (removed <= 0) return [];
    room -= removed;
    return [{ set, replicas: size - removed }];
  });
}

function sizedAs(set: Set, resizes: readonly Resize[]): Set {
  const replicas = resizes.find((resize) => resize.set === set)?.replicas;
  return replicas === undefined || set.spec === undefined ? set : { ...set, spec: { ...set.spec, replicas } };
}
