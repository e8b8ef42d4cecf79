// Errors of one kind are tried again for a while, counted from the first of them, and then no more. After a quiet time the
// count begins anew. A value and two functions: times are arguments.

export interface RetryWindow {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** One more such error at `nowMs`; after `quietMs` without one it counts as the first. */
export function noteError(window: RetryWindow | undefined, nowMs: number, quietMs: number): RetryWindow {
  const isFirst = window === undefined || nowMs - window.lastMs >= quietMs;
  return { firstMs: isFirst ? nowMs : window.firstMs, lastMs: nowMs };
}

/** Whether to try again at `nowMs`. Never, when there is no time for it. */
export function isWithin(window: RetryWindow, nowMs: number, limitMs: number): boolean {
  return limitMs > 0 && nowMs - window.firstMs <= limitMs;
}
