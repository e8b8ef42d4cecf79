// The condition DisruptionTarget: a pod is about to be deleted because of something that is not its own fault. Jobs may treat such a pod's end
// otherwise than a failure of its program.
import { type corev1, findCondition, printTime } from "@kubeloop/core/api";

export interface Disruption {
  readonly reason: string;
  readonly message: string;
}

/** For a strategic patch of the pod's status: its time moves only with its status. */
export function disruptionTarget(pod: corev1.Pod, { reason, message }: Disruption, nowMs: number): object {
  const { generation } = pod.metadata;
  const isTrue = findCondition(pod.status?.conditions, "DisruptionTarget")?.status === "True";
  return {
    type: "DisruptionTarget",
    status: "True",
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    reason,
    message,
    ...(isTrue ? {} : { lastTransitionTime: printTime(nowMs) }),
  };
}
