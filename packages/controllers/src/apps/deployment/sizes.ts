// The numbers of a deployment: how many pods it wants, how many more and how many fewer there may be during an update, and how many its sets
// have.
import { type appsv1, IntOrStringError, type metav1, scaledValue } from "@kubeloop/core/api";

/** How many pods are wanted. */
export const replicasOf = ({ spec }: appsv1.Deployment | appsv1.ReplicaSet): number => spec?.replicas ?? 1;

export const isRollingUpdate = ({ spec }: appsv1.Deployment): boolean => spec?.strategy?.type === "RollingUpdate";

/** How many pods there may be beyond those that are wanted. */
export function maxSurgeOf(deployment: appsv1.Deployment): number {
  return isRollingUpdate(deployment) ? fencepostsOf(deployment).surge : 0;
}

/** How many of the wanted pods may be unavailable. */
export function maxUnavailableOf(deployment: appsv1.Deployment): number {
  if (!isRollingUpdate(deployment)) return 0;
  return Math.min(fencepostsOf(deployment).unavailable, replicasOf(deployment));
}

/** Both at once: shares round to pods so that at least one of them lets the update go on. */
function fencepostsOf(deployment: appsv1.Deployment): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge, maxUnavailable } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const total = replicasOf(deployment);
  const surge = amountOf(maxSurge, total, "up");
  const unavailable = amountOf(maxUnavailable, total, "down");
  // Rather fewer pods for a while than more: a quota may not allow more.
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

/** What cannot be read is none: validation is the API server's. */
function amountOf(value: metav1.IntOrString | undefined, total: number, round: "up" | "down"): number {
  try {
    return scaledValue(value ?? 0, total, { round });
  } catch (error) {
    if (error instanceof IntOrStringError) return 0;
    throw error;
  }
}

type Sets = readonly (appsv1.ReplicaSet | undefined)[];
type Count = "replicas" | "readyReplicas" | "availableReplicas";

/** How many pods these sets want together. */
export function wantedBy(sets: Sets): number {
  return sets.reduce((sum, set) => sum + (set === undefined ? 0 : replicasOf(set)), 0);
}

/** How many pods these sets say they have. */
export function countedBy(sets: Sets, count: Count): number {
  return sets.reduce((sum, set) => sum + (set?.status?.[count] ?? 0), 0);
}

/**
 * How many pods of these sets are being deleted. A set that nobody has worked on yet has none; one that was, and does not say, makes the sum
 * unknown.
 */
export function terminatingOf(sets: Sets): number | undefined {
  let sum = 0;
  for (const set of sets) {
    const { terminatingReplicas, observedGeneration = 0 } = set?.status ?? {};
    if (terminatingReplicas === undefined && observedGeneration > 0) return undefined;
    sum += terminatingReplicas ?? 0;
  }
  return sum;
}

export const isActive = (set: appsv1.ReplicaSet): boolean => replicasOf(set) > 0;

/** Whether all pods are of the newest template and available, as this status says. */
export function isComplete(deployment: appsv1.Deployment, status: appsv1.DeploymentStatus | undefined): boolean {
  const wanted = replicasOf(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status ?? {};
  const isAll = updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted;
  return isAll && observedGeneration >= (deployment.metadata.generation ?? 0);
}
