// The log of one attempt of a container: which attempt a client means, and what that attempt has printed until a time. Nothing is stored: the lines
// follow from the pod and from when the attempt ran. Pure; faults that clients see are thrown as the API's errors.
import { type corev1, newBadRequest } from "@kubeloop/core/api";
import type { ContainerLife, PodLife, SpecContainer } from "../life/pod-life.ts";
import { logLines, nextLogLineMs } from "../script/container-script.ts";
import type { TimedLine } from "./log-options.ts";

export interface Attempt {
  readonly number: number;
  readonly startedAtMs: number;
  /** Undefined while it runs. */
  readonly finishedAtMs: number | undefined;
}

/** Throws BadRequest, in a kubelet's words, if there is no such attempt. */
export function findAttempt(
  container: ContainerLife,
  which: "current" | "previous",
  { pod, shownReason }: { readonly pod: corev1.Pod; readonly shownReason: string },
): Attempt {
  const { name, state, finished, attempts } = container;
  const running: Attempt[] =
    state.at === "running" ? [{ number: attempts - 1, startedAtMs: state.startedAtMs, finishedAtMs: undefined }] : [];
  const ended = finished.map(({ attempt, startedAtMs, finishedAtMs }) => ({
    number: attempt,
    startedAtMs,
    finishedAtMs,
  }));
  const all = [...ended, ...running];
  const podName = pod.metadata.name;
  const found = which === "current" ? all.at(-1) : all.at(-2);
  if (found !== undefined) return found;
  if (which === "previous")
    throw newBadRequest(`previous terminated container "${name}" in pod "${podName}" not found`);
  const why =
    shownReason === "ErrImagePull"
      ? "image can't be pulled"
      : shownReason === "ImagePullBackOff"
        ? "trying and failing to pull image"
        : shownReason;
  throw newBadRequest(`container "${name}" in pod "${podName}" is waiting to start: ${why}`);
}

/** What the attempt has printed until `nowMs`, with wall times. */
export function linesUntil(
  attempt: Attempt,
  { pod, spec }: { readonly pod: corev1.Pod; readonly spec: SpecContainer },
  nowMs: number,
): readonly TimedLine[] {
  const untilMs = Math.min(nowMs, attempt.finishedAtMs ?? Number.POSITIVE_INFINITY) - attempt.startedAtMs;
  return logLines(pod, spec.container, untilMs).map(({ atMs, text }) => ({ atMs: attempt.startedAtMs + atMs, text }));
}

/** When a running attempt prints next after `nowMs`; Infinity if it does not. */
export function nextLineMs(
  attempt: Attempt,
  { pod, spec }: { readonly pod: corev1.Pod; readonly spec: SpecContainer },
  nowMs: number,
): number {
  return attempt.startedAtMs + nextLogLineMs(pod, spec.container, nowMs - attempt.startedAtMs);
}

/** The same attempt as it is now; undefined if it is not remembered any more. */
export function refreshAttempt({ number }: Attempt, life: PodLife | undefined, name: string): Attempt | undefined {
  const container = life?.containers.find((one) => one.name === name);
  const ended = container?.finished.find(({ attempt }) => attempt === number);
  if (ended !== undefined) return { number, startedAtMs: ended.startedAtMs, finishedAtMs: ended.finishedAtMs };
  if (container?.state.at !== "running" || container.attempts - 1 !== number) return undefined;
  return { number, startedAtMs: container.state.startedAtMs, finishedAtMs: undefined };
}
