// How long to wait before the next try, as pure functions: the state is a value; the random source and the time are arguments.

import type { Random } from "./random.ts";

export interface BackoffPolicy {
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** Each delay is lengthened by a random share of itself, up to this factor: with 1, to between once and twice the delay. */
  readonly jitter: number;
  /** After this long without a failure, the next failure counts as the first. Without it, the count never resets. */
  readonly resetAfterMs?: number;
}

export interface BackoffState {
  readonly failures: number;
  readonly lastFailureMs: number;
}

export const noFailures: BackoffState = { failures: 0, lastFailureMs: Number.NEGATIVE_INFINITY };

/** Returns the delay after the n-th failure in a row (the first is 1), without jitter. Never overflows. */
export function backoffDelayMs(policy: BackoffPolicy, failures: number): number {
  if (failures < 1 || policy.initialMs <= 0) return 0;
  return Math.min(policy.maxMs, policy.initialMs * policy.factor ** (failures - 1));
}

export function jittered(delayMs: number, jitter: number, random: Random): number {
  return jitter > 0 ? delayMs * (1 + random.next() * jitter) : delayMs;
}

/** Counts one more failure at `nowMs` (monotonic). Returns the new state and how long to wait. */
export function afterFailure(
  state: BackoffState,
  policy: BackoffPolicy,
  seen: { readonly nowMs: number; readonly random: Random },
): { readonly delayMs: number; readonly state: BackoffState } {
  const isFresh = seen.nowMs - state.lastFailureMs >= (policy.resetAfterMs ?? Number.POSITIVE_INFINITY);
  const failures = isFresh ? 1 : state.failures + 1;
  return {
    delayMs: jittered(backoffDelayMs(policy, failures), policy.jitter, seen.random),
    state: { failures, lastFailureMs: seen.nowMs },
  };
}
