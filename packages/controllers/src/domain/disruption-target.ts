// The condition DisruptionTarget: a pod is about to be deleted because of something that is not its own fault. Jobs may treat such a pod's end
// otherwise than a failure of its program.
import { type corev1, findCondition, printTime } from "@kubeloop/core/api";

export interface Disruption {
  readonly reason: string;
  readonly message: string;
}

const type = "DisruptionTarget";

/**
 * Fields of the status in a strategic patch. The condition's time moves only with its status. It comes after the conditions that the pod has, which
 * has to be said: what a patch adds comes first otherwise.
 */
export function disruptionTarget(pod: corev1.Pod, { reason, message }: Disruption, nowMs: number): object {
  const { generation } = pod.metadata;
  const { conditions = [] } = pod.status ?? {};
  const before = findCondition(conditions, type);
  const condition = {
    type,
    status: "True",
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    reason,
    message,
    ...(before?.status === "True" ? {} : { lastTransitionTime: printTime(nowMs) }),
  };
  const types = conditions.map((each) => ({ type: each.type }));
  const order = before === undefined ? [...types, { type }] : types;
  return { "$setElementOrder/conditions": order, conditions: [condition] };
}
