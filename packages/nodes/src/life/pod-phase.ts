// The phase of a pod, from its containers, by the kubelet's rules.
import type { corev1 } from "@kubeloop/core/api";
import type { ContainerLife, PodLife, StopCause } from "./pod-life.ts";

export const deadlineMessage = "Pod was active on the node longer than the specified deadline";

export function computePhase(life: PodLife): "Pending" | "Running" | "Succeeded" | "Failed" {
  if (life.end !== undefined) return life.end.phase;
  const { containers } = life;
  const apps = containers.filter(({ kind }) => kind === "app");
  const hasAppRun = apps.some(({ attempts }) => attempts > 0);
  const isInitPending = containers.some(
    ({ kind, state, finished, wasStarted }) =>
      (kind === "init" && !(state.at === "ended" && finished.at(-1)?.exitCode === 0)) ||
      (kind === "sidecar" && !wasStarted && !hasAppRun),
  );
  // A container that waits and never ran keeps the pod pending, even if others run.
  if (isInitPending || apps.some(({ attempts }) => attempts === 0)) return "Pending";
  return "Running";
}

/** How a pod ends of which nothing runs any more. */
export function computePodEnd(cause: StopCause, { containers }: PodLife, pod: corev1.Pod): NonNullable<PodLife["end"]> {
  if (cause === "deadline") return { phase: "Failed", reason: "DeadlineExceeded", message: deadlineMessage };
  const apps = containers.filter(({ kind }) => kind === "app");
  const hasSucceeded = (container: ContainerLife) => container.finished.at(-1)?.exitCode === 0;
  const isWhole = apps.length === (pod.spec?.containers.length ?? 0);
  return { phase: isWhole && apps.every(hasSucceeded) ? "Succeeded" : "Failed" };
}
