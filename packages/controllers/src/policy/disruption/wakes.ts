// What a change of a pod wakes: the budgets that select it, and the pod itself, if something is to be done about it.
import { type corev1, keyOf } from "@kubeloop/core/api";
import type { Snapshot, Wake } from "@kubeloop/core/contract";
import { findBudgets } from "./budgets.ts";
import { disruptionOf } from "./stale-conditions.ts";

export const budgetsQueue = "budgets";
export const recheckQueue = "recheck";
export const podsQueue = "pods";

/** The keys of the budgets that select the pod. */
export function budgetsOf(pod: corev1.Pod, snapshot: Snapshot): readonly Wake[] {
  return findBudgets(pod, snapshot).map(keyOf);
}

/** The pod's own key if it is to be disrupted, or if several budgets select it. */
export function needsLook(pod: corev1.Pod, snapshot: Snapshot): readonly Wake[] {
  const isDisrupted = disruptionOf(pod) !== undefined;
  return isDisrupted || findBudgets(pod, snapshot).length > 1 ? [keyOf(pod)] : [];
}
