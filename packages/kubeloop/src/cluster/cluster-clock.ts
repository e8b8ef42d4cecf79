// The two kinds of time that a cluster in a test can run in, and what each means by waiting. Virtual time moves only while somebody waits, and jumps from
// timer to timer; in real time waiting is waiting.
import {
  type Clock,
  childSignal,
  type FakeClock,
  KubeloopError,
  systemClock,
  type TrackedClock,
  toError,
  untilAborted,
} from "@kubeloop/core/base";
import { type EventuallyOptions, eventually } from "@kubeloop/core/testing";

export interface ClusterClock {
  readonly clock: Clock;
  readonly isReal: boolean;
  /** How long settling may take, in this time, unless told otherwise. */
  readonly patienceMs: number;
  /** Settles as `work` does. In virtual time it moves the clock meanwhile. */
  waitFor<T>(work: Promise<T>): Promise<T>;
  /** Whether only background timers are left, when everything that can run at this moment has run. */
  isIdle(): Promise<boolean>;
  /** Until only background timers are left. */
  settle(withinMs: number, signal: AbortSignal): Promise<void>;
  eventually<T>(look: () => T | Promise<T>, options: EventuallyOptions<T>, signal: AbortSignal): Promise<T>;
}

export function virtualTime(clock: FakeClock): ClusterClock {
  return {
    clock,
    isReal: false,
    patienceMs: 3_600_000,
    waitFor: (work) => clock.drive(work),
    async isIdle() {
      await clock.settle();
      return clock.isIdle;
    },
    async settle(withinMs) {
      await clock.runUntilIdle({ limitMs: withinMs });
    },
    eventually: (look, options) => eventually(clock, look, { until: Boolean, ...options }),
  };
}

export function realTime(clock: TrackedClock): ClusterClock {
  return {
    clock,
    isReal: true,
    patienceMs: 60_000,
    waitFor: (work) => work,
    isIdle: () => clock.isIdle(),
    async settle(withinMs, signal) {
      using waiting = childSignal(signal);
      using _timer = systemClock.after(withinMs, () => waiting.abort(notSettled(withinMs, clock.underWay())));
      await clock.whenIdle(waiting.signal);
    },
    eventually: (look, options, signal) => lookAgain(look, options, signal),
  };
}

function notSettled(withinMs: number, underWay: readonly string[]): KubeloopError {
  const shown = underWay.slice(0, 10).join("; ");
  const more = underWay.length > 10 ? `; ${underWay.length - 10} more` : "";
  return new KubeloopError(`not settled after ${withinMs} ms: ${shown}${more}`, { reason: "Timeout" });
}

const lookEveryMs = 10;

async function lookAgain<T>(
  look: () => T | Promise<T>,
  { until = Boolean, withinMs = 60_000, what = "it", tell = () => "" }: EventuallyOptions<T>,
  signal: AbortSignal,
): Promise<T> {
  const lastMs = systemClock.monotonic() + withinMs;
  let seen: string;
  do {
    try {
      const value = await untilAborted(Promise.resolve(look()), signal);
      if (until(value)) return value;
      seen = `last seen: ${JSON.stringify(value)?.slice(0, 500)}`;
    } catch (error) {
      if (signal.aborted) throw error;
      // What cannot be looked at yet does not hold yet.
      seen = `last time it threw: ${toError(error).message}`;
    }
    await systemClock.sleep(lookEveryMs, signal);
  } while (systemClock.monotonic() < lastMs);
  throw new KubeloopError(`${what} does not hold after ${withinMs} ms; ${seen}${tell()}`, { reason: "Timeout" });
}
