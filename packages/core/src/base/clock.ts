// Time comes in through this door. A Clock tells the wall time and a monotonic time, wakes people up, and lets the fake
// one know about work it cannot see. `systemClock` is the only place in the project that touches the platform's timers.
//
// Promises: `after` and `sleep` never fire early by the monotonic clock, work for any delay (the platform's own limit of
// 24.8 days included; Infinity never fires), and leave nothing behind once disposed of, fired or aborted.
// Not promised: that they fire on time. An event loop that is busy is late.
import { KubeloopError } from "./errors.ts";
import { onAbort } from "./signal.ts";

/**
 * `work` is something the user waits for (a back-off, a delayed key). `background` repeats or guards for ever (a resync, a
 * renewal, a watch's timeout): a simulation is idle when only such timers are left.
 */
export type TimerKind = "work" | "background";

export interface TimerLabel {
  readonly kind: TimerKind;
  readonly name: string;
}

export interface Clock {
  /** Wall time in milliseconds since 1970. May jump. For stamps that people or servers read. */
  now(): number;
  /** Milliseconds since some point in the past. Never goes back. For measuring and waiting. */
  monotonic(): number;
  /** Calls back once, after at least `delayMs`; disposing of the result takes it back. */
  after(delayMs: number, callback: () => void): Disposable;
  /** Resolves after `delayMs`; rejects with the signal's reason as soon as it aborts. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
  /** Lets everything else that is ready on the event loop have a turn. */
  yield(): Promise<void>;
  /**
   * An in-flight token: "something is going on that is not a timer of yours" (a request, a lazy import, crypto). A fake
   * clock does not move until it is disposed of; on the system clock it costs nothing.
   */
  hold(name: string): Disposable;
  /** The same clock, whose timers carry this label. */
  labelled(label: TimerLabel): Clock;
}

/** Runs `work` while holding a token on `clock`. */
export async function inFlight<T>(clock: Clock, name: string, work: () => Promise<T>): Promise<T> {
  using _token = clock.hold(name);
  return await work();
}

/** Milliseconds a timer may be given: never negative, Infinity allowed. NaN is a bug at the caller. */
export function checkDelay(delayMs: number): number {
  if (Number.isNaN(delayMs)) throw new KubeloopError("delay is not a number", { reason: "Invalid", retry: "never" });
  return Math.max(delayMs, 0);
}

/** `sleep` for any clock, by way of its `after`. */
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

// The platform stores delays in 31 bits and fires a longer one at once.
const longestPlatformDelayMs = 2 ** 31 - 1;

function startSystemTimer(delayMs: number, callback: () => void): Disposable {
  const dueMs = performance.now() + checkDelay(delayMs);
  if (dueMs === Number.POSITIVE_INFINITY) return nothingHeld;
  let handle: NodeJS.Timeout | undefined;
  const wait = (remainingMs: number) => {
    handle = setTimeout(check, Math.min(Math.ceil(remainingMs), longestPlatformDelayMs));
  };
  const check = () => {
    // The platform rounds, so it may be early by a fraction: look again before believing it.
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
