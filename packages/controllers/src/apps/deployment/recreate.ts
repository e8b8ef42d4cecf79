// The strategy Recreate: all old sets go to zero, and the newest one begins when none of their pods runs any more.
import type { appsv1, corev1 } from "@kubeloop/core/api";
import { isPodTerminal } from "@kubeloop/core/rules";
import type { Resize } from "./scale.ts";
import { countedBy, isActive } from "./sizes.ts";

type Set = appsv1.ReplicaSet;

export function stopOldSets(oldSets: readonly Set[]): readonly Resize[] {
  return oldSets.filter(isActive).map((set) => ({ set, replicas: 0 }));
}

/** Whether old pods run, or may run: a set counts some, or one is there that has not ended. */
export function areOldPodsRunning(oldSets: readonly Set[], podsOf: (set: Set) => readonly corev1.Pod[]): boolean {
  if (countedBy(oldSets, "replicas") > 0) return true;
  return oldSets.some((set) => podsOf(set).some((pod) => !isPodTerminal(pod)));
}
