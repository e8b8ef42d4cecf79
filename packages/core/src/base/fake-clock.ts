// Virtual time, strictly deterministic.
//
// Invariants:
//  1. Time moves only inside `advance`, `drive` and `runUntilIdle`, one of them at a time, and never past a due timer.
//  2. Timers fire one by one: by due time, then in the order they were made.
//  3. Before each timer fires, and before a call returns, everything that can run without the clock has run: all promise
//     reactions have settled and no in-flight token is held. Work that waits for anything but promises (a request, a lazy
//     import, crypto, setImmediate) must hold a token, or the clock does not see it.
//  4. A timer made while another fires, due now, fires in the same call.
//  5. The monotonic time never goes back. The wall time follows it, unless `setWallTime` says otherwise.
//
// A token that is never given back would hang a test for ever; after `stuckAfterMs` of real time the call fails and names
// the tokens.
import { type Clock, checkDelay, sleepOn, systemClock, type TimerLabel } from "./clock.ts";
import { KubeloopError } from "./errors.ts";
import { KeyedHeap } from "./keyed-heap.ts";

export interface FakeClockOptions {
  /** Wall time at the start; 2030-01-01T00:00:00Z unless given, so that a forgotten real clock shows. */
  readonly wallMs?: number;
  /** Real milliseconds to wait for an in-flight token before giving up; 30 s unless given. */
  readonly stuckAfterMs?: number;
}

export interface PendingTimer extends TimerLabel {
  readonly dueInMs: number;
}

interface FakeTimer extends TimerLabel {
  readonly order: number;
  readonly dueMs: number;
  readonly callback: () => void;
}

const unlabelled: TimerLabel = { kind: "work", name: "" };
const defaultWallMs = 1_893_456_000_000;
const defaultLimitMs = 24 * 3600 * 1000;

export class FakeClock implements Clock {
  readonly #stuckAfterMs: number;
  readonly #timers = new KeyedHeap<number, FakeTimer>({
    keyOf: (timer) => timer.order,
    compare: (a, b) => a.dueMs - b.dueMs || a.order - b.order,
  });
  readonly #tokens = new Map<number, string>();
  #wallOffsetMs: number;
  #elapsedMs = 0;
  #made = 0;
  #workTimers = 0;
  readonly #releaseWaiters = new Set<() => void>();
  #driver: string | undefined;

  constructor(options: FakeClockOptions = {}) {
    this.#wallOffsetMs = options.wallMs ?? defaultWallMs;
    this.#stuckAfterMs = options.stuckAfterMs ?? 30_000;
  }

  now(): number {
    return this.#wallOffsetMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
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
    const order = this.#made++;
    this.#tokens.set(order, name);
    return {
      [Symbol.dispose]: () => {
        if (!this.#tokens.delete(order)) return;
        for (const wake of this.#releaseWaiters) wake();
      },
    };
  }

  labelled(label: TimerLabel): Clock {
    const after = (delayMs: number, callback: () => void) => this.#startTimer(label, delayMs, callback);
    return {
      now: () => this.now(),
      monotonic: () => this.monotonic(),
      after,
      sleep: (delayMs, signal) => sleepOn({ after }, delayMs, signal),
      yield: () => this.yield(),
      hold: (name) => this.hold(name),
      labelled: (other) => this.labelled(other),
    };
  }

  /** Timers that have not fired, in the order they will. */
  pending(): readonly PendingTimer[] {
    return [...this.#timers.values()]
      .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order)
      .map(({ kind, name, dueMs }) => ({ kind, name, dueInMs: dueMs - this.#elapsedMs }));
  }

  /** The names of the tokens that keep time from moving. */
  inFlight(): readonly string[] {
    return [...this.#tokens.values()];
  }

  /** Makes the wall clock jump, as an operator or NTP would. Timers do not notice. */
  setWallTime(wallMs: number): void {
    this.#wallOffsetMs = wallMs - this.#elapsedMs;
  }

  /** Lets everything run that needs no time. */
  async settle(): Promise<void> {
    for (;;) {
      await systemClock.yield();
      if (this.#tokens.size === 0) return;
      await this.#nextRelease();
    }
  }

  /** Moves time by `byMs`, firing what comes due on the way. */
  async advance(byMs: number): Promise<void> {
    const targetMs = this.#elapsedMs + checkDelay(byMs);
    if (targetMs === Number.POSITIVE_INFINITY) throw this.#complaint("advance needs an end");
    await this.#driveAs("advance", async () => {
      for (;;) {
        await this.settle();
        if (this.#fireNext(targetMs)) continue;
        if (this.#elapsedMs === targetMs) return;
        this.#elapsedMs = targetMs;
      }
    });
  }

  /**
   * Moves time as far as `work` needs, and settles as it does. Fails when nothing is left that could end it, or when it has
   * not ended within `limitMs` of virtual time (a day unless given).
   */
  async drive<T>(work: Promise<T>, options: { readonly limitMs?: number } = {}): Promise<T> {
    let ended = false;
    const end = () => {
      ended = true;
    };
    work.then(end, end);
    await this.#driveWhile("drive", options.limitMs, () => {
      if (!ended && this.#timers.size === 0) throw this.#complaint("the work has not ended and no timer is left");
      return !ended;
    });
    return await work;
  }

  /** Moves time until only background timers are left; returns the milliseconds it took. */
  async runUntilIdle(options: { readonly limitMs?: number } = {}): Promise<number> {
    const startMs = this.#elapsedMs;
    await this.#driveWhile("runUntilIdle", options.limitMs, () => this.#workTimers > 0);
    return this.#elapsedMs - startMs;
  }

  async #driveWhile(driver: string, limitMs = defaultLimitMs, isNeeded: () => boolean): Promise<void> {
    const lastMs = this.#elapsedMs + limitMs;
    await this.#driveAs(driver, async () => {
      for (;;) {
        await this.settle();
        if (!isNeeded()) return;
        if (!this.#fireNext(lastMs)) throw this.#complaint(`not done after ${limitMs} ms of virtual time`);
      }
    });
  }

  async #driveAs(driver: string, loop: () => Promise<void>): Promise<void> {
    if (this.#driver !== undefined) throw this.#complaint(`${driver} called while ${this.#driver} moves the clock`);
    this.#driver = driver;
    try {
      await loop();
    } finally {
      this.#driver = undefined;
    }
  }

  #startTimer(label: TimerLabel, delayMs: number, callback: () => void): Disposable {
    const order = this.#made++;
    const { kind, name } = label;
    this.#timers.set({ kind, name, order, dueMs: this.#elapsedMs + checkDelay(delayMs), callback });
    if (kind === "work") this.#workTimers++;
    return {
      [Symbol.dispose]: () => {
        if (this.#timers.remove(order) !== undefined && kind === "work") this.#workTimers--;
      },
    };
  }

  #fireNext(latestMs: number): boolean {
    const timer = this.#timers.peek();
    // A timer at Infinity never fires, not even for someone who is ready to wait that long.
    if (timer === undefined || timer.dueMs > latestMs || timer.dueMs === Number.POSITIVE_INFINITY) return false;
    this.#timers.pop();
    if (timer.kind === "work") this.#workTimers--;
    this.#elapsedMs = Math.max(this.#elapsedMs, timer.dueMs);
    timer.callback();
    return true;
  }

  #nextRelease(): Promise<void> {
    return new Promise((resolve, reject) => {
      const guard = systemClock.after(this.#stuckAfterMs, () => {
        this.#releaseWaiters.delete(wake);
        reject(this.#complaint(`in-flight work has not ended after ${this.#stuckAfterMs} ms of real time`));
      });
      const wake = () => {
        this.#releaseWaiters.delete(wake);
        guard[Symbol.dispose]();
        resolve();
      };
      this.#releaseWaiters.add(wake);
    });
  }

  #complaint(what: string): KubeloopError {
    const timers = this.pending().slice(0, 10);
    const lines = timers.map((timer) => `${timer.kind} timer ${timer.name || "(unnamed)"} in ${timer.dueInMs} ms`);
    const more = this.#timers.size > timers.length ? [`${this.#timers.size - timers.length} more timers`] : [];
    const waiting = [...this.inFlight().map((name) => `in flight: ${name}`), ...lines, ...more];
    return new KubeloopError(`fake clock: ${what} (${waiting.join("; ") || "nothing pending"})`, {
      reason: "VirtualTime",
      retry: "never",
    });
  }
}
