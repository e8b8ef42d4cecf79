// How long a lease lasts, how long its holder goes on without a renewal, and how often either side looks. The three belong
// together: whoever stops renewing must have stopped working before anybody else may begin.
import { KubeloopError } from "../base/index.ts";

export interface ElectionTimings {
  /** How long others wait after they last saw the lease change. 15 s unless given; leases hold whole seconds. */
  readonly leaseDurationMs: number;
  /** How long a leader goes on after its last renewal that worked. 10 s unless given. */
  readonly renewDeadlineMs: number;
  /** Between two tries. 2 s unless given. */
  readonly retryPeriodMs: number;
}

export const defaultTimings: ElectionTimings = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2000,
};

/** Contenders wait between once and this much more than once the retry period, so that they do not run in step. */
export const retryJitter = 1.2;

/** Throws for timings with which two could lead at once, or nobody for long. */
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
