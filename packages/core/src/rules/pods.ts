// What follows from a pod's phase, conditions, deletion timestamp, priority and deletion cost. Times are milliseconds.
import { findCondition, isConditionTrue } from "../api/conditions.ts";
import type { Pod } from "../api/generated/types/core/v1.ts";
import { parseTime } from "../api/time.ts";

export function isPodReady(pod: Pod): boolean {
  return isConditionTrue(pod.status?.conditions, "Ready");
}

/** Ready for at least `minReadySeconds`. */
export function isPodAvailable(
  pod: Pod,
  { minReadySeconds, nowMs }: { readonly minReadySeconds: number; readonly nowMs: number },
): boolean {
  const availableAtMs = podAvailableAtMs(pod, minReadySeconds);
  return availableAtMs !== undefined && availableAtMs <= nowMs;
}

/**
 * Returns when a ready pod is or will be available; undefined if it is not ready, or has no transition time. With
 * `minReadySeconds` 0 a ready pod is available at once (-Infinity), with or without a transition time.
 */
export function podAvailableAtMs(pod: Pod, minReadySeconds: number): number | undefined {
  const ready = findCondition(pod.status?.conditions, "Ready");
  if (ready?.status !== "True") return undefined;
  if (minReadySeconds === 0) return Number.NEGATIVE_INFINITY;
  if (ready.lastTransitionTime === undefined || ready.lastTransitionTime === null) return undefined;
  return parseTime(ready.lastTransitionTime) + minReadySeconds * 1000;
}

/** The pod has ended, successfully or not. */
export function isPodTerminal(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** Counts towards a controller's replicas: neither ended nor terminating. */
export function isPodActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && !isDeleted(pod);
}

/** The pod has a deletion timestamp and has not ended. */
export function isPodTerminating(pod: Pod): boolean {
  return !isPodTerminal(pod) && isDeleted(pod);
}

export function podPriority(pod: Pod): number {
  return pod.spec.priority ?? 0;
}

/** The annotation that orders the deletion of a set's pods: those with the lowest cost are deleted first. */
export const podDeletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";

/** 0 if the annotation is absent; undefined if it is not a 32-bit number, or begins with a plus sign or a needless zero. */
export function podDeletionCost(annotations: Readonly<Record<string, string>> | undefined): number | undefined {
  const text = annotations?.[podDeletionCostAnnotation];
  if (text === undefined) return 0;
  if (!/^(0|-[0-9]+|[1-9][0-9]*)$/.test(text)) return undefined;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : undefined;
}

function isDeleted(pod: Pod): boolean {
  const { deletionTimestamp } = pod.metadata;
  return deletionTimestamp !== undefined && deletionTimestamp !== null;
}
