// The only source of time. A Clock reads the wall time and a monotonic time, starts timers, and lets a fake clock see work that is not a
// timer. `systemClock` is the only place in the project that calls the platform's timers.
//
// Promises: `after` and `sleep` never fire early by the monotonic clock. They work for any delay: longer ones than the platform's limit of
// 24.8 days too, and Infinity never fires. They leave nothing behind after they were disposed of, fired or aborted.
// Not promised: that they fire on time. A busy event loop fires them late.
import { KubeloopError } from "./errors.ts";
import { onAbort } from "./signal.ts";

/**
 * `work` is a timer that the user waits for (a backoff, a delayed key). `background` is a timer that repeats or guards for ever (a resync, a
 * lease renewal, a watch's timeout). A simulation is idle when only background timers are left.
 */
export type TimerKind = "work" | "background";

export interface TimerLabel {
  readonly kind: TimerKind;
  readonly name: string;
}

export interface Clock {
  /** Wall time in milliseconds since 1970. It may jump. For timestamps that people or servers read. */
  now(): number;
  /** Milliseconds since some point in the past. It never goes back. For measuring and waiting. */
  monotonic(): number;
  /** Calls `callback` once, after at least `delayMs`. Disposing of the result cancels the timer. */
  after(delayMs: number, callback: () => void): Disposable;
  /** Resolves after `delayMs`; rejects with the signal's reason as soon as the signal aborts. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
  /** Lets everything else that is ready on the event loop run first. */
  yield(): Promise<void>;
  /**
   * Returns an in-flight token, for work that is not a timer of this clock (a request, a lazy import, crypto). A fake
   * clock does not move until the token is disposed of; on the system clock a token costs nothing.
   */
  hold(name: string): Disposable;
  /** Returns the same clock, with this label on its timers. */
  labelled(label: TimerLabel): Clock;
}

/** Runs `work` while holding a token on `clock`. */
export async function inFlight<T>(clock: Clock, name: string, work: () => Promise<T>): Promise<T> {
  using _token = clock.hold(name);
  return await work();
}

/** Returns the delay to pass to a timer: never negative, Infinity allowed. NaN is a bug in the caller and throws. */
export function checkDelay(delayMs: number): number {
  if (Number.isNaN(delayMs)) throw new KubeloopError("delay is not a number", { reason: "Invalid", retry: "never" });
  return Math.max(delayMs, 0);
}

/** Implements `sleep` for any clock, on top of its `after`. */
export function sleepOn(clock: Pick<Clock, "after">, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const timer = clock.after(delayMs, () => {
      watch[Symbol.dispose]();
      resolve();
    });
    const watch = onAbort(signal, (reason) => {
      timer[Symbol.dispose]();
      reject(reason);
    });
  });
}

/** Returns `clock` with timers of another kind: what `labelled` of a clock with labels returns. */
export function withTimers(clock: Clock, after: Clock["after"]): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after,
    sleep: (delayMs, signal) => sleepOn({ after }, delayMs, signal),
    yield: () => clock.yield(),
    hold: (name) => clock.hold(name),
    labelled: (label) => clock.labelled(label),
  };
}

const nothingHeld: Disposable = { [Symbol.dispose]() {} };

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: startSystemTimer,
  sleep: (delayMs, signal) => sleepOn(systemClock, delayMs, signal),
  yield: () => new Promise((resolve) => setImmediate(resolve)),
  hold: () => nothingHeld,
  labelled: () => systemClock,
};

// The platform stores delays in 31 bits and fires a longer delay immediately.
const longestPlatformDelayMs = 2 ** 31 - 1;

function startSystemTimer(delayMs: number, callback: () => void): Disposable {
  const dueMs = performance.now() + checkDelay(delayMs);
  if (dueMs === Number.POSITIVE_INFINITY) return nothingHeld;
  let handle: NodeJS.Timeout | undefined;
  const wait = (remainingMs: number) => {
    handle = setTimeout(check, Math.min(Math.ceil(remainingMs), longestPlatformDelayMs));
  };
  const check = () => {
    // The platform rounds, so its timer may fire a fraction of a millisecond early: compare with the clock again.
    const remainingMs = dueMs - performance.now();
    if (remainingMs > 0) return wait(remainingMs);
    handle = undefined;
    callback();
  };
  wait(dueMs - performance.now());
  return {
    [Symbol.dispose]() {
      clearTimeout(handle);
      handle = undefined;
    },
  };
}
