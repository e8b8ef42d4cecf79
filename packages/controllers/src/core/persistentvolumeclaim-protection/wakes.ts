// Which changes make a claim worth a look: its own, and those of pods after which it may be used no longer. Without the condition Unused a pod
// that runs changes nothing, so that the many updates of pods cost nothing here.
import { type corev1, findCondition } from "@kubeloop/core/api";
import type { Change, Snapshot } from "@kubeloop/core/contract";
import { claimKeysOf } from "../../domain/claims-of-pod.ts";
import { needsProtectionWork } from "../../domain/protection.ts";
import { claimFinalizer, unusedCondition } from "./decide.ts";
import { hasStopped, isScheduled } from "./use.ts";

export interface WakeOptions {
  readonly reportsUnused: boolean;
}

export const newNeedsLook =
  ({ reportsUnused }: WakeOptions) =>
  (change: Change<corev1.PersistentVolumeClaim>): boolean => {
    if (needsProtectionWork(change, claimFinalizer)) return true;
    // Once it is there, only pods change it.
    return (
      reportsUnused &&
      change.type !== "delete" &&
      findCondition(change.object.status?.conditions, unusedCondition) === undefined
    );
  };

/** Claims that the pod, in this state of it, may use no longer. */
export const newClaimsFreedBy =
  ({ reportsUnused }: WakeOptions) =>
  (pod: corev1.Pod, _snapshot: Snapshot, change: Change<corev1.Pod>): readonly string[] => {
    const isCurrent = pod === change.object;
    // A deletion and a creation under the same name can arrive as one update: then the pod before is gone.
    const isGone = isCurrent ? change.type === "delete" : pod.metadata.uid !== change.object.metadata.uid;
    const mayFree = isCurrent && (reportsUnused || hasStopped(pod) || !isScheduled(pod));
    return isGone || mayFree ? claimKeysOf(pod) : [];
  };
