// How one attempt of a container ends by itself: from annotations, or else from a run of its command in its own time. What it prints until then is in
// attempt-output.ts. Pure: the same pod and environment always give the same.
import type { corev1 } from "@kubeloop/core/api";
import { runContainer } from "./container-command.ts";
import { annotationsOf } from "./container-script.ts";
import { type AnyContainer, type Environment, noConfig, resolveEnvironment } from "./environment.ts";
import type { Files } from "./mounted-files.ts";

/** How one attempt ends by itself; Infinity if it runs until it is stopped. */
export interface AttemptEnd {
  readonly runForMs: number;
  readonly exitCode: number;
  /** What it wrote to the termination message file. */
  readonly terminationMessage: string;
}

/** The subject of all questions here. `env` is what the attempt has started with; by default it follows from the pod alone. */
export interface AttemptSubject {
  readonly pod: corev1.Pod;
  readonly container: AnyContainer;
  readonly env?: Environment | undefined;
  /** What is in its volumes. Default: nothing. */
  readonly files?: Files | undefined;
}

/** `attempt` is 0 for the first start. */
export function attemptEnd(subject: AttemptSubject, attempt: number): AttemptEnd {
  const { script } = annotationsOf(subject.pod, subject.container);
  const { runForMs, exitCodes, terminationMessage = "" } = script;
  const code = exitCodes?.[Math.min(attempt, exitCodes.length - 1)];
  if (runForMs !== undefined) return { runForMs, exitCode: code ?? 0, terminationMessage };
  const byCommand = runToEnd(subject);
  const message = script.terminationMessage ?? byCommand.terminationMessage;
  if (code === undefined) return { ...byCommand, terminationMessage: message };
  // Who only says an exit code means a container that ends, also where its image would run for ever.
  const isEndless = byCommand.runForMs === Number.POSITIVE_INFINITY;
  return { runForMs: isEndless ? 0 : byCommand.runForMs, exitCode: code, terminationMessage: message };
}

/** A script that does so much without ending is taken to run for ever. */
const stepsToEnd = 10_000;
const endless: AttemptEnd = { runForMs: Number.POSITIVE_INFINITY, exitCode: 0, terminationMessage: "" };

function runToEnd(subject: AttemptSubject): AttemptEnd {
  const { container } = subject;
  const files = new Map(subject.files);
  const run = runContainer(container, environmentOf(subject), files);
  let runForMs = 0;
  let printed = "";
  for (let steps = 0; steps < stepsToEnd; steps++) {
    const { value, done } = run.next();
    if (done === true) {
      const written = files.get(container.terminationMessagePath ?? "/dev/termination-log") ?? "";
      const isFallback = container.terminationMessagePolicy === "FallbackToLogsOnError" && value !== 0;
      const terminationMessage = written === "" && isFallback ? tailOf(printed) : written;
      return { runForMs, exitCode: value, terminationMessage };
    }
    if (value.kind === "endless") break;
    if (value.kind === "sleep") runForMs += value.ms;
    if (value.kind === "print") printed = (printed + value.text).slice(-2 * longestTail);
    if (runForMs === Number.POSITIVE_INFINITY) break;
  }
  return endless;
}

/** The end of a log that stands for a termination message. */
const longestTail = 2048;
const mostTailLines = 80;

function tailOf(printed: string): string {
  const lines = printed.split(/(?<=\n)/).slice(-mostTailLines);
  return lines.join("").slice(-longestTail);
}

export function environmentOf({ pod, container, env }: AttemptSubject): Environment {
  if (env !== undefined) return env;
  const resolved = resolveEnvironment(pod, container, noConfig);
  return "env" in resolved ? resolved.env : {};
}
