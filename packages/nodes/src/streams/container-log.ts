// The log of one attempt of a container: which attempt a client means, and what that attempt has printed until a time. Nothing is stored: the lines
// follow from the pod and from when the attempt ran. Faults that clients see are thrown as the API's errors.
import { type corev1, newBadRequest } from "@kubeloop/core/api";
import type { ContainerLife, Ended, PodLife, SpecContainer } from "../life/pod-life.ts";
import { AttemptOutput, LineAssembler, type Printed } from "../script/attempt-output.ts";
import type { Environment } from "../script/environment.ts";
import type { Files } from "../script/mounted-files.ts";
import type { TimedLine } from "./log-options.ts";

export interface Attempt {
  readonly number: number;
  readonly startedAtMs: number;
  /** Undefined while it runs. */
  readonly finishedAtMs: number | undefined;
  readonly env: Environment | undefined;
}

/** Throws BadRequest, in a kubelet's words, if there is no such attempt. */
export function findAttempt(
  container: ContainerLife,
  which: "current" | "previous",
  { pod, shownReason }: { readonly pod: corev1.Pod; readonly shownReason: string },
): Attempt {
  const { name, state, finished, attempts } = container;
  const running: Attempt[] =
    state.at === "running"
      ? [{ number: attempts - 1, startedAtMs: state.startedAtMs, finishedAtMs: undefined, env: state.env }]
      : [];
  const ended = finished.map(toAttempt);
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

function toAttempt({ attempt, startedAtMs, finishedAtMs, env }: Ended): Attempt {
  return { number: attempt, startedAtMs, finishedAtMs, env };
}

/** What the attempt has printed until `nowMs` and was not read before, with wall times. */
export class AttemptLog {
  readonly #attempt: Attempt;
  readonly #output: AttemptOutput;
  readonly #lines = new LineAssembler();

  /** `files` is what is in the container's volumes now. */
  constructor(
    attempt: Attempt,
    { pod, spec, files }: { readonly pod: corev1.Pod; readonly spec: SpecContainer; readonly files: Files },
  ) {
    this.#attempt = attempt;
    this.#output = new AttemptOutput({ pod, container: spec.container, env: attempt.env, files });
  }

  /** Pieces of output, for who follows it live. `finishedAtMs`: when the attempt has ended. */
  readPieces(nowMs: number, finishedAtMs: number | undefined): readonly Printed[] {
    return this.#output.advance(Math.min(nowMs, finishedAtMs ?? Number.POSITIVE_INFINITY) - this.#attempt.startedAtMs);
  }

  /** Whole lines; a line that was begun only when the attempt has ended. */
  readLines(nowMs: number, finishedAtMs: number | undefined): readonly TimedLine[] {
    const whole = this.#lines.add(this.readPieces(nowMs, finishedAtMs));
    const lines = finishedAtMs === undefined ? whole : [...whole, ...this.#lines.rest()];
    return lines.map(({ atMs, text }) => ({ atMs: this.#attempt.startedAtMs + atMs, text }));
  }

  /** The line that was begun and is not complete. */
  readRest(): readonly TimedLine[] {
    return this.#lines.rest().map(({ atMs, text }) => ({ atMs: this.#attempt.startedAtMs + atMs, text }));
  }

  /** When a running attempt may print next; Infinity if it does not. */
  get nextMs(): number {
    return this.#attempt.startedAtMs + this.#output.nextMs;
  }
}

/** The same attempt as it is now; undefined if it is not remembered any more. */
export function refreshAttempt({ number }: Attempt, life: PodLife | undefined, name: string): Attempt | undefined {
  const container = life?.containers.find((one) => one.name === name);
  const ended = container?.finished.find(({ attempt }) => attempt === number);
  if (ended !== undefined) return toAttempt(ended);
  if (container?.state.at !== "running" || container.attempts - 1 !== number) return undefined;
  const { startedAtMs, env } = container.state;
  return { number, startedAtMs, finishedAtMs: undefined, env };
}
