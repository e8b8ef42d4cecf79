// Allows retries of one class of errors for a limited time, counted from the first error. After a quiet time the
// count starts anew. A value and two functions; times are arguments.

export interface RetryWindow {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Counts an error at `nowMs`; after `quietMs` without an error it counts as the first. */
export function noteError(window: RetryWindow | undefined, nowMs: number, quietMs: number): RetryWindow {
  const isFirst = window === undefined || nowMs - window.lastMs >= quietMs;
  return { firstMs: isFirst ? nowMs : window.firstMs, lastMs: nowMs };
}

/** Whether to retry at `nowMs`. Never, if `limitMs` is 0. */
export function isWithin(window: RetryWindow, nowMs: number, limitMs: number): boolean {
  return limitMs > 0 && nowMs - window.firstMs <= limitMs;
}
