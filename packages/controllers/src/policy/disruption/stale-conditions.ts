// Pods that were to be disrupted and never were: their condition DisruptionTarget is reset after two minutes. And pods that several budgets
// select, of which an event tells: the eviction subresource refuses those.
import { type corev1, findCondition, parseTime, printTime } from "@kubeloop/core/api";
import { type DecideContext, editStatus, type Plan, plan, recordEvent, type View } from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";
import { isPodTerminal } from "@kubeloop/core/rules";
import { findBudgets } from "./budgets.ts";

/** Upstream's stalePodDisruptionTimeout. */
export const staleAfterMs = 120_000;

const disruptionTarget = "DisruptionTarget";

export interface ObservedPod {
  readonly pod: corev1.Pod;
  /** The names of the budgets that select it. */
  readonly budgets: readonly string[];
}

export function observePod(key: string, { snapshot }: View): ObservedPod | undefined {
  const pod = snapshot.get(pods, key);
  return pod && { pod, budgets: findBudgets(pod.metadata, snapshot).map(({ metadata }) => metadata.name ?? "") };
}

/** Returns the condition of a pod that is to be disrupted and is not being deleted. The kubelet takes as long as it needs. */
export function disruptionOf(pod: corev1.Pod): corev1.PodCondition | undefined {
  if (pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod)) return undefined;
  const condition = findCondition(pod.status?.conditions, disruptionTarget);
  return condition?.status === "True" && condition.reason !== "TerminationByKubelet" ? condition : undefined;
}

export function decidePod({ pod, budgets }: ObservedPod, { nowMs }: DecideContext): Plan<undefined> {
  const event = budgets.length > 1 ? severalBudgets(pod, budgets) : undefined;
  const condition = disruptionOf(pod);
  if (condition === undefined) return plan("is not to be disrupted", [[event]]);
  const sinceMs = condition.lastTransitionTime === undefined ? 0 : parseTime(condition.lastTransitionTime);
  const leftMs = sinceMs + staleAfterMs - nowMs;
  if (leftMs > 0) return plan("may still be deleted", [[event]], { requeueAfterMs: leftMs });
  return plan("was not disrupted", [[event, editStatus(pods, pod, withoutDisruption(pod, nowMs))]]);
}

/** A new condition in place of the old one, without its reason. */
function withoutDisruption(pod: corev1.Pod, nowMs: number): corev1.Pod {
  const { generation } = pod.metadata;
  const condition: corev1.PodCondition = {
    type: disruptionTarget,
    status: "False",
    lastTransitionTime: printTime(nowMs),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const conditions = pod.status?.conditions?.map((each) => (each.type === disruptionTarget ? condition : each)) ?? [];
  return { ...pod, status: { ...pod.status, conditions } };
}

function severalBudgets(pod: corev1.Pod, [first = ""]: readonly string[]) {
  const { namespace = "", name = "" } = pod.metadata;
  return recordEvent(pod, {
    type: "Warning",
    reason: "MultiplePodDisruptionBudgets",
    message: `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first}" arbitrarily.`,
  });
}
