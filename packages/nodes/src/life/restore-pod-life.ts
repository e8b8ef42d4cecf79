// Rebuilds a pod's life from its status, for a hollow node that starts again while its pods "run on". As with a kubelet, crash-loop backoff is
// forgotten, and what ended or became due meanwhile happens at once. Times in a status are whole seconds, so a restored life may be up to a
// second early.
import { type corev1, parseTime } from "@kubeloop/core/api";
import { attemptEnd } from "../script/attempt-run.ts";
import { containerScript } from "../script/container-script.ts";
import { type ConfigSource, type Environment, hasConfigReferences, resolveEnvironment } from "../script/environment.ts";
import { mountedFiles } from "../script/mounted-files.ts";
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
export function restorePodLife(pod: corev1.Pod, config: ConfigSource, nowMs: number): PodLife | undefined {
  const { startTime, podIPs = [] } = pod.status ?? {};
  if (startTime === undefined || startTime === null) return undefined;
  const startedMs = parseTime(startTime);
  const hasSandbox = podIPs.length > 0;
  return {
    startedMs,
    podIPs: hasSandbox ? podIPs.map(({ ip }) => ip) : undefined,
    sandboxMs: hasSandbox ? startedMs : Number.POSITIVE_INFINITY,
    mountWait: undefined,
    containers: specContainers(pod).map((spec) => restoreContainer(spec, pod, config, nowMs)),
    stopping: undefined,
    end: undefined,
  };
}

function restoreContainer(spec: SpecContainer, pod: corev1.Pod, config: ConfigSource, nowMs: number): ContainerLife {
  const fresh = newContainerLife(spec.container, spec.kind);
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  const status = all.find(({ name }) => name === spec.container.name);
  const { running, terminated } = status?.state ?? {};
  const resolved = hasConfigReferences(spec.container) ? resolveEnvironment(pod, spec.container, config) : undefined;
  // The values of today stand for those of then.
  const env = resolved !== undefined && "env" in resolved ? resolved.env : undefined;
  const last = toEnded(status?.lastState?.terminated, (status?.restartCount ?? 0) - 1, env);
  const attempts = (status?.restartCount ?? 0) + 1;
  if (running?.startedAt) {
    const startedAtMs = parseTime(running.startedAt);
    const { container } = spec;
    const files = mountedFiles(pod, container, config);
    const { runForMs, exitCode, terminationMessage } = attemptEnd({ pod, container, env, files }, attempts - 1);
    const outlook = toProbeOutlook(spec, containerScript(pod, spec.container), startedAtMs);
    const endsAtMs = startedAtMs + runForMs;
    const state: ContainerState = {
      at: "running",
      startedAtMs,
      endsAtMs,
      exitCode,
      message: terminationMessage,
      env,
      outlook,
      // The process before has reported what its probes found.
      reportedMs: nowMs - 1,
      stop: undefined,
    };
    return { ...fresh, attempts, finished: last, state, wasStarted: status?.started === true };
  }
  const ended = terminated === undefined ? last : [...last, ...toEnded(terminated, attempts - 1, env)];
  const latest = ended.at(-1);
  if (latest === undefined) return fresh;
  const restartMs = isRestarted(spec, pod, latest.exitCode) ? latest.finishedAtMs : undefined;
  return { ...fresh, attempts, finished: ended, state: { at: "ended", restartMs }, wasStarted: true };
}

function toEnded(
  terminated: corev1.ContainerStateTerminated | undefined,
  attempt: number,
  env: Environment | undefined,
): readonly Ended[] {
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
      env,
    },
  ];
}
