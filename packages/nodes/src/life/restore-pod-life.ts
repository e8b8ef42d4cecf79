// Rebuilds a pod's life from its status, for a hollow node that starts again while its pods "run on". As with a kubelet, crash-loop backoff is
// forgotten, and what ended or became due meanwhile happens at once. Times in a status are whole seconds, so a restored life may be up to a
// second early.
import { type corev1, parseTime } from "@kubeloop/core/api";
import { attemptEnd, containerScript } from "../script/container-script.ts";
import {
  type ContainerLife,
  type ContainerState,
  type Ended,
  newContainerLife,
  type PodLife,
  type SpecContainer,
  specContainers,
} from "./pod-life.ts";
import { isRestarted, toProbeOutlook } from "./step-container.ts";

/** Undefined if no node has begun with the pod yet. */
export function restorePodLife(pod: corev1.Pod): PodLife | undefined {
  const { startTime, podIPs = [] } = pod.status ?? {};
  if (startTime === undefined || startTime === null) return undefined;
  const startedMs = parseTime(startTime);
  const hasSandbox = podIPs.length > 0;
  return {
    startedMs,
    podIPs: hasSandbox ? podIPs.map(({ ip }) => ip) : undefined,
    sandboxMs: hasSandbox ? startedMs : Number.POSITIVE_INFINITY,
    containers: specContainers(pod).map((spec) => restoreContainer(spec, pod)),
    stopping: undefined,
    end: undefined,
  };
}

function restoreContainer(spec: SpecContainer, pod: corev1.Pod): ContainerLife {
  const fresh = newContainerLife(spec.container, spec.kind);
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  const status = all.find(({ name }) => name === spec.container.name);
  const { running, terminated } = status?.state ?? {};
  const last = toEnded(status?.lastState?.terminated, (status?.restartCount ?? 0) - 1);
  const attempts = (status?.restartCount ?? 0) + 1;
  if (running?.startedAt) {
    const startedAtMs = parseTime(running.startedAt);
    const { runForMs, exitCode } = attemptEnd(pod, spec.container, attempts - 1);
    const outlook = toProbeOutlook(spec, containerScript(pod, spec.container), startedAtMs);
    const endsAtMs = startedAtMs + runForMs;
    const state: ContainerState = {
      at: "running",
      startedAtMs,
      endsAtMs,
      exitCode,
      outlook,
      reportedMs: startedAtMs - 1,
      stop: undefined,
    };
    return { ...fresh, attempts, finished: last, state, wasStarted: status?.started === true };
  }
  const ended = terminated === undefined ? last : [...last, ...toEnded(terminated, attempts - 1)];
  const latest = ended.at(-1);
  if (latest === undefined) return fresh;
  const restartMs = isRestarted(spec, pod, latest.exitCode) ? latest.finishedAtMs : undefined;
  return { ...fresh, attempts, finished: ended, state: { at: "ended", restartMs }, wasStarted: true };
}

function toEnded(terminated: corev1.ContainerStateTerminated | undefined, attempt: number): readonly Ended[] {
  if (!terminated?.startedAt || !terminated.finishedAt) return [];
  const { exitCode, message = "" } = terminated;
  return [
    {
      attempt,
      startedAtMs: parseTime(terminated.startedAt),
      finishedAtMs: parseTime(terminated.finishedAt),
      exitCode,
      reason: exitCode === 0 ? "Completed" : "Error",
      message,
    },
  ];
}
