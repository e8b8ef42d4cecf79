// Real time, for a cluster in a test that must know when nothing is under way. It is the system's clock, and counts what a fake clock would wait for: timers
// that somebody waits for, and in-flight tokens (requests, lazy imports, crypto). Background timers (heartbeats, resyncs) do not count.
//
// Promise: `whenIdle` resolves at a moment at which everything that could run without the clock has run, and no such timer or token is left. What comes
// from outside the process, such as a request on a socket, may begin right after.
import { type Clock, sleepOn, systemClock, type TimerLabel, withTimers } from "./clock.ts";
import { deferred } from "./deferred.ts";
import { untilAborted } from "./signal.ts";

const unlabelled: TimerLabel = { kind: "work", name: "" };

/** A request to a server in this process is answered within a few. */
const mostRounds = 1_000;

export class TrackedClock implements Clock {
  readonly #underWay = new Map<number, string>();
  #made = 0;
  /** How many of them are timers. */
  #timers = 0;
  #idle = deferred();

  now(): number {
    return systemClock.now();
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  after(delayMs: number, callback: () => void): Disposable {
    return this.#startTimer(unlabelled, delayMs, callback);
  }

  sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  async yield(): Promise<void> {
    using _token = this.hold("yield");
    await systemClock.yield();
  }

  hold(name: string): Disposable {
    return this.#begin(name);
  }

  labelled(label: TimerLabel): Clock {
    return withTimers(this, (delayMs, callback) => this.#startTimer(label, delayMs, callback));
  }

  /** Names of what is under way, oldest first. */
  underWay(): readonly string[] {
    return [...this.#underWay.values()];
  }

  async whenIdle(signal: AbortSignal): Promise<void> {
    while (!(await this.#isIdleNow())) await untilAborted(this.#idle.promise, signal);
  }

  /**
   * Whether nothing is under way. What ends by itself, as the request of a heartbeat, is waited for as long as it takes in this process; a timer that
   * somebody waits for is not.
   */
  async isIdle(): Promise<boolean> {
    for (let round = 0; round < mostRounds; round++) {
      if (await this.#isIdleNow()) return true;
      if (this.#timers > 0) return false;
    }
    return false;
  }

  /** When everything that is ready has run. */
  async #isIdleNow(): Promise<boolean> {
    // Twice, because what was read from a socket is handed on only in the next round.
    await systemClock.yield();
    await systemClock.yield();
    return this.#underWay.size === 0;
  }

  #startTimer({ kind, name }: TimerLabel, delayMs: number, callback: () => void): Disposable {
    if (kind === "background" || delayMs === Number.POSITIVE_INFINITY) return systemClock.after(delayMs, callback);
    const counted = this.#begin(`timer ${name || "(unnamed)"}`, () => this.#timers--);
    this.#timers++;
    const timer = systemClock.after(delayMs, () => {
      counted[Symbol.dispose]();
      callback();
    });
    return {
      [Symbol.dispose]() {
        timer[Symbol.dispose]();
        counted[Symbol.dispose]();
      },
    };
  }

  #begin(name: string, onEnd?: () => void): Disposable {
    const order = this.#made++;
    this.#underWay.set(order, name);
    return {
      [Symbol.dispose]: () => {
        if (!this.#underWay.delete(order)) return;
        onEnd?.();
        if (this.#underWay.size > 0) return;
        this.#idle.resolve();
        this.#idle = deferred();
      },
    };
  }
}
