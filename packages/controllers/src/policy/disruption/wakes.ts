// What a change of a pod wakes: the budgets that select it, and the pod itself, if something is to be done about it. And what a controller
// wakes that wants another number of pods: the budgets that select those. Upstream waits for the next change of a pod there, which may
// have been seen before the change of its controller.
import { controllerOf, type corev1, type KubernetesObject, keyOf } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import type { Change, Snapshot, Wake } from "@kubeloop/core/contract";
import { findBudgets } from "./budgets.ts";
import { disruptionOf } from "./stale-conditions.ts";

export const budgetsQueue = "budgets";
export const recheckQueue = "recheck";
export const podsQueue = "pods";

/** The keys of the budgets that select the pod. As it was before an update, only if its labels have changed: else they are the same. */
export function budgetsOf(pod: corev1.Pod, snapshot: Snapshot, change: Change<corev1.Pod>): readonly Wake[] {
  if (pod !== change.object && deepEqual(pod.metadata.labels, change.object.metadata.labels)) return [];
  return findBudgets(pod.metadata, snapshot).map(keyOf);
}

/** The pod's own key if it is to be disrupted, or if several budgets select it. What it was before an update does not matter. */
export function needsLook(pod: corev1.Pod, snapshot: Snapshot, change: Change<corev1.Pod>): readonly Wake[] {
  if (pod !== change.object) return [];
  const isDisrupted = disruptionOf(pod) !== undefined;
  return isDisrupted || findBudgets(pod.metadata, snapshot).length > 1 ? [keyOf(pod)] : [];
}

/** A controller of pods. */
interface Replicated extends KubernetesObject {
  readonly spec?: { readonly replicas?: number; readonly template?: corev1.PodTemplateSpec };
}

export function wantsOtherNumber(change: Change<Replicated>): boolean {
  return change.type === "update" && change.before.spec?.replicas !== change.object.spec?.replicas;
}

/** The keys of the budgets that select the controller's pods. How many of them a set of a Deployment has, the Deployment says. */
export function budgetsOfController(controller: Replicated, snapshot: Snapshot): readonly Wake[] {
  if (controllerOf(controller)?.kind === "Deployment") return [];
  const { namespace = "" } = controller.metadata;
  const { labels = {} } = controller.spec?.template?.metadata ?? {};
  return findBudgets({ namespace, labels }, snapshot).map(keyOf);
}
