// How long a lease is valid, how long its holder continues without a successful renewal, and how often the holder and the contenders retry.
// The three depend on each other: a leader that cannot renew must have stopped its work before another replica may start.
import { KubeloopError } from "../base/index.ts";

export interface ElectionTimings {
  /** How long contenders wait after they last saw the lease change. 15 s unless given; a Lease stores whole seconds. */
  readonly leaseDurationMs: number;
  /** How long a leader continues after its last successful renewal. 10 s unless given. */
  readonly renewDeadlineMs: number;
  /** The time between two attempts. 2 s unless given. */
  readonly retryPeriodMs: number;
}

export const defaultTimings: ElectionTimings = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2000,
};

/** Contenders wait for the retry period plus a random part of up to this many retry periods, so that they do not all retry at the same time. */
export const retryJitter = 1.2;

/** Throws for timings with which two processes could lead at the same time, or none for a long time. */
export function checkTimings(timings: ElectionTimings): ElectionTimings {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = timings;
  for (const [name, valueMs] of Object.entries(timings)) {
    if (!(valueMs > 0) || !Number.isFinite(valueMs)) throw invalid(`${name} must be greater than zero, not ${valueMs}`);
  }
  if (leaseDurationMs % 1000 !== 0) throw invalid(`leaseDurationMs must be whole seconds, not ${leaseDurationMs} ms`);
  if (leaseDurationMs <= renewDeadlineMs) {
    throw invalid(`leaseDurationMs (${leaseDurationMs}) must be greater than renewDeadlineMs (${renewDeadlineMs})`);
  }
  if (renewDeadlineMs <= retryJitter * retryPeriodMs) {
    throw invalid(
      `renewDeadlineMs (${renewDeadlineMs}) must be greater than retryPeriodMs × ${retryJitter} (${retryJitter * retryPeriodMs})`,
    );
  }
  return timings;
}

function invalid(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
