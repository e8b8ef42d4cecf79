// Whether and when a container that has ended starts again: restart policies, restart rules, and the crash loop's backoff. Pure rules.
import type { corev1 } from "@kubeloop/core/api";

/** Backoff between restarts, as upstream: 10 s, doubled up to 5 min, forgotten when a container ended 10 min after its last restart or later. */
const firstBackoffMs = 10_000;
export const longestBackoffMs = 300_000;
const forgottenAfterMs = 600_000;

export interface RestartBackoff {
  readonly delayMs: number;
  /** When the container was last restarted. */
  readonly restartedMs: number;
}

type RestartedContainer = Pick<corev1.Container, "restartPolicy" | "restartPolicyRules">;

/** Whether a container with this exit code starts again while its pod lives. */
export function shouldRestart(container: RestartedContainer, podPolicy: string | undefined, exitCode: number): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    if (action !== "Restart" || exitCodes === undefined) continue;
    const isListed = exitCodes.values?.includes(exitCode) === true;
    if (isListed === (exitCodes.operator === "In")) return true;
  }
  switch (container.restartPolicy ?? podPolicy ?? "Always") {
    case "Never":
      return false;
    case "OnFailure":
      return exitCode !== 0;
    default:
      return true;
  }
}

/** How long a container that ended at `finishedMs` waits; 0 for the first restart. */
export function restartDelayMs(backoff: RestartBackoff | undefined, finishedMs: number): number {
  return backoff === undefined || isForgotten(backoff, finishedMs) ? 0 : backoff.delayMs;
}

/** The backoff after a restart at `nowMs` of a container that ended at `finishedMs`. */
export function afterRestart(backoff: RestartBackoff | undefined, finishedMs: number, nowMs: number): RestartBackoff {
  if (backoff === undefined || isForgotten(backoff, finishedMs)) return { delayMs: firstBackoffMs, restartedMs: nowMs };
  return { delayMs: Math.min(backoff.delayMs * 2, longestBackoffMs), restartedMs: nowMs };
}

function isForgotten({ restartedMs }: RestartBackoff, finishedMs: number): boolean {
  return finishedMs - restartedMs > forgottenAfterMs;
}

/** Whether the restart that led to this backoff had to wait. */
export function hasBackedOff(backoff: RestartBackoff | undefined): boolean {
  return backoff !== undefined && backoff.delayMs > firstBackoffMs;
}

/** How long to wait after the nth failed pull of an image: the same series. */
export function pullBackoffMs(failures: number): number {
  return Math.min(firstBackoffMs * 2 ** Math.max(0, failures - 1), longestBackoffMs);
}
