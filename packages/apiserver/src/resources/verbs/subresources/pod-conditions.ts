// One condition of a pod, set as upstream sets it: the time of transition moves only when the status does.
import { type corev1, printTime } from "@kubeloop/core/api";

export function withCondition(
  status: corev1.PodStatus,
  condition: Pick<corev1.PodCondition, "type" | "status" | "reason" | "message">,
  nowMs: number,
): corev1.PodStatus {
  const held = status.conditions ?? [];
  const old = held.find(({ type }) => type === condition.type);
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : printTime(nowMs);
  const { type, status: value, ...words } = condition;
  const next = {
    type,
    status: value,
    // Never set, and yet always there: what is stored is what a server prints.
    lastProbeTime: (old?.lastProbeTime ?? null) as never,
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
    ...words,
  };
  const conditions =
    old === undefined ? [...held, next] : held.map((each) => (each === old ? { ...old, ...next } : each));
  return { ...status, conditions };
}

export const isPodReady = ({ status }: corev1.Pod): boolean =>
  (status?.conditions ?? []).some(({ type, status: value }) => type === "Ready" && value === "True");
