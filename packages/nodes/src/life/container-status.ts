// What the API shows of a container: its entry in containerStatuses, initContainerStatuses or ephemeralContainerStatuses.
import { createHash } from "node:crypto";
import { type corev1, printTime } from "@kubeloop/core/api";
import { fullImageName, imageId } from "../script/image-name.ts";
import type { ContainerLife, Ended, PodLife, SpecContainer } from "./pod-life.ts";
import { hasBackedOff, restartDelayMs } from "./restart.ts";
import { pullError } from "./step-container.ts";

export function toContainerStatus(
  container: ContainerLife,
  {
    spec,
    life,
    pod,
    nowMs,
  }: { readonly spec: SpecContainer; readonly life: PodLife; readonly pod: corev1.Pod; readonly nowMs: number },
): corev1.ContainerStatus {
  const { state, attempts, kind, image } = container;
  const uid = pod.metadata.uid ?? "";
  const running = state.at === "running" ? state : undefined;
  const isStarted = running !== undefined && nowMs >= running.outlook.startedMs;
  const shown = toStates(container, life, pod);
  const created = attempts > 0;
  const { resources, volumeMounts = [] } = spec.container;
  return {
    name: container.name,
    image: created ? fullImageName(image) : image,
    imageID: created ? imageId(image) : "",
    ...(created ? { containerID: containerId(uid, container.name, attempts - 1) } : {}),
    restartCount: Math.max(0, attempts - 1),
    ready: isReady(container, nowMs),
    ...(kind === "ephemeral" ? {} : { started: kind === "init" ? running !== undefined : isStarted }),
    state: shown.state,
    lastState: shown.lastState,
    ...(created && resources !== undefined ? { resources } : {}),
    ...(created && resources?.requests !== undefined ? { allocatedResources: resources.requests } : {}),
    ...(volumeMounts.length > 0 ? { volumeMounts: volumeMounts.map(toMountStatus) } : {}),
    ...(created ? { user: { linux: userOf(spec, pod) } } : {}),
  };
}

function isReady({ kind, state, finished }: ContainerLife, nowMs: number): boolean {
  if (kind === "ephemeral") return false;
  if (kind === "init") return state.at === "ended" && finished.at(-1)?.exitCode === 0;
  if (state.at !== "running") return false;
  return state.outlook.readiness.filter(({ atMs }) => atMs <= nowMs).at(-1)?.isReady === true;
}

interface ShownStates {
  readonly state: corev1.ContainerState;
  readonly lastState: corev1.ContainerState;
}

function toStates(container: ContainerLife, life: PodLife, pod: corev1.Pod): ShownStates {
  const { state, finished, name, image, pullFailures } = container;
  const last = finished.at(-1);
  const ended = (which: Ended | undefined): corev1.ContainerState =>
    which === undefined ? {} : { terminated: toTerminated(which, pod, name) };
  if (state.at === "running") {
    return { state: { running: { startedAt: printTime(state.startedAtMs) } }, lastState: ended(last) };
  }
  const waiting = (reason: string, message?: string): ShownStates => ({
    state: { waiting: { reason, ...(message === undefined ? {} : { message }) } },
    lastState: ended(last),
  });
  if (container.configFault !== undefined && life.end === undefined) {
    return waiting("CreateContainerConfigError", container.configFault);
  }
  if (state.at === "pullFailed" && !state.isBackingOff) return waiting("ErrImagePull", pullError(image));
  // While an image is pulled again, the last failure is still shown.
  if (pullFailures > 0 && last === undefined && life.end === undefined) {
    return waiting("ImagePullBackOff", `Back-off pulling image "${image}": ErrImagePull: ${pullError(image)}`);
  }
  if (last === undefined) return toNeverStarted(container, life, pod, waiting);
  const isBetween = state.at === "pulling" || state.at === "starting";
  if (state.at === "backoff" || (isBetween && hasBackedOff(container.backoff))) {
    const delaySeconds = restartDelayMs(container.backoff, last.finishedAtMs) / 1000;
    const shownSeconds = state.at === "backoff" ? delaySeconds : delaySeconds / 2;
    const { name: podName, namespace, uid } = pod.metadata;
    const message = `back-off ${printSeconds(shownSeconds)} restarting failed container=${name} pod=${podName}_${namespace}(${uid})`;
    return waiting("CrashLoopBackOff", message);
  }
  return { state: ended(last), lastState: ended(finished.length > 1 ? finished[0] : undefined) };
}

/** As Go prints durations: 10s, 1m20s, 5m0s. */
function printSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

function toNeverStarted(
  { kind }: ContainerLife,
  life: PodLife,
  pod: corev1.Pod,
  waiting: (reason: string) => ShownStates,
): ShownStates {
  const hasInit = (pod.spec?.initContainers ?? []).length > 0;
  const hasInitialized = !hasInit || life.containers.some((other) => other.kind === "app" && other.attempts > 0);
  if (life.end !== undefined && kind === "app" && hasInitialized) {
    const terminated = {
      exitCode: 137,
      reason: "ContainerStatusUnknown",
      message: "The container could not be located when the pod was terminated",
    };
    return { state: { terminated }, lastState: {} };
  }
  return waiting(hasInit ? "PodInitializing" : "ContainerCreating");
}

/** The sum over a pod's containers is limited, and each has its share of it. */
const longestMessages = 12 * 1024;
const longestMessage = 4096;

function toTerminated(ended: Ended, pod: corev1.Pod, name: string): corev1.ContainerStateTerminated {
  const count = (pod.spec?.containers.length ?? 0) + (pod.spec?.initContainers?.length ?? 0);
  const message = ended.message.slice(0, Math.min(longestMessage, Math.floor(longestMessages / Math.max(1, count))));
  return {
    exitCode: ended.exitCode,
    reason: ended.reason,
    ...(message === "" ? {} : { message }),
    startedAt: printTime(ended.startedAtMs),
    finishedAt: printTime(ended.finishedAtMs),
    containerID: containerId(pod.metadata.uid ?? "", name, ended.attempt),
  };
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

/** The same for the same attempt, so that a hollow node that starts again does not rename its containers. */
export function containerId(uid: string, name: string, attempt: number): string {
  return `containerd://${hash(`${uid}/${name}/${attempt}`)}`;
}

function toMountStatus({ name, mountPath, readOnly }: corev1.VolumeMount): corev1.VolumeMountStatus {
  return { name, mountPath, ...(readOnly === true ? { readOnly, recursiveReadOnly: "Disabled" } : {}) };
}

function userOf({ container }: SpecContainer, { spec }: corev1.Pod): corev1.LinuxContainerUser {
  const uid = container.securityContext?.runAsUser ?? spec?.securityContext?.runAsUser ?? 0;
  const gid = container.securityContext?.runAsGroup ?? spec?.securityContext?.runAsGroup ?? 0;
  const { fsGroup, supplementalGroups = [] } = spec?.securityContext ?? {};
  const groups = [...new Set([gid, ...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])])];
  return { uid, gid, supplementalGroups: groups };
}
