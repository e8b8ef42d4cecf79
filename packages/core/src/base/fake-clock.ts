// Virtual time, strictly deterministic.
//
// Invariants:
//  1. Time moves only inside `advance`, `drive` and `runUntilIdle`, one of them at a time, and never past a due timer.
//  2. Timers fire one by one: by due time, then in the order in which they were created.
//  3. Before each timer fires, and before a call returns, everything that can run without the clock has run: all promise
//     reactions have settled and no in-flight token is held. Work that waits for anything but promises (a request, a lazy
//     import, crypto, setImmediate) must hold a token, or the clock does not see it.
//  4. A timer that is created while another one fires, and is due now, fires in the same call.
//  5. The monotonic time never goes back. The wall time moves with it; only `setWallTime` makes it jump.
//
// A token that is never disposed of would hang a test for ever. So the call fails after `stuckAfterMs` of real time, with an error that
// names the tokens.
import { type Clock, checkDelay, sleepOn, systemClock, type TimerLabel, withTimers } from "./clock.ts";
import { KubeloopError } from "./errors.ts";
import { KeyedHeap } from "./keyed-heap.ts";

export interface FakeClockOptions {
  /** Wall time at the start. Default: 2030-01-01T00:00:00Z, so that code that reads the real clock by mistake is noticed. */
  readonly wallMs?: number;
  /** Real milliseconds to wait for an in-flight token before the call fails. Default: 30 s. */
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
    return withTimers(this, (delayMs, callback) => this.#startTimer(label, delayMs, callback));
  }

  /** Returns the timers that have not fired, in the order in which they will fire. */
  pending(): readonly PendingTimer[] {
    return [...this.#timers.values()]
      .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order)
      .map(({ kind, name, dueMs }) => ({ kind, name, dueInMs: dueMs - this.#elapsedMs }));
  }

  /** Returns the names of the in-flight tokens, which keep time from moving. */
  inFlight(): readonly string[] {
    return [...this.#tokens.values()];
  }

  /** Whether only background timers are left and no token is held. */
  get isIdle(): boolean {
    return this.#workTimers === 0 && this.#tokens.size === 0;
  }

  /** Makes the wall clock jump, as an operator or NTP would. Timers are not affected. */
  setWallTime(wallMs: number): void {
    this.#wallOffsetMs = wallMs - this.#elapsedMs;
  }

  /** Runs everything that can run without moving time. */
  async settle(): Promise<void> {
    for (;;) {
      await systemClock.yield();
      if (this.#tokens.size === 0) return;
      await this.#nextRelease();
    }
  }

  /** Moves time by `byMs`, and fires every timer that becomes due on the way. */
  async advance(byMs: number): Promise<void> {
    const targetMs = this.#elapsedMs + checkDelay(byMs);
    if (targetMs === Number.POSITIVE_INFINITY) throw this.#error("advance needs a finite number of milliseconds");
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
   * Moves time until `work` settles, and settles as `work` does. Fails if `work` is still pending and no timer is left, or if it has
   * not settled within `limitMs` of virtual time (default: one day).
   */
  async drive<T>(work: Promise<T>, options: { readonly limitMs?: number } = {}): Promise<T> {
    let ended = false;
    const end = () => {
      ended = true;
    };
    work.then(end, end);
    await this.#driveWhile("drive", options.limitMs, () => {
      if (!ended && this.#timers.size === 0) throw this.#error("the work has not ended and no timer is left");
      return !ended;
    });
    return await work;
  }

  /** Moves time until only background timers are left. Returns how many milliseconds that took. */
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
        if (!this.#fireNext(lastMs)) throw this.#error(`not done after ${limitMs} ms of virtual time`);
      }
    });
  }

  async #driveAs(driver: string, loop: () => Promise<void>): Promise<void> {
    if (this.#driver !== undefined) throw this.#error(`${driver} called while ${this.#driver} moves the clock`);
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
    // A timer at Infinity never fires, not even if `limitMs` is Infinity too.
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
        reject(this.#error(`in-flight work has not ended after ${this.#stuckAfterMs} ms of real time`));
      });
      const wake = () => {
        this.#releaseWaiters.delete(wake);
        guard[Symbol.dispose]();
        resolve();
      };
      this.#releaseWaiters.add(wake);
    });
  }

  #error(what: string): KubeloopError {
    // Those that somebody waits for come first: they are what keeps it from being idle.
    const pending = this.pending();
    const ordered = [
      ...pending.filter(({ kind }) => kind === "work"),
      ...pending.filter(({ kind }) => kind !== "work"),
    ];
    const timers = ordered.slice(0, 10);
    const lines = timers.map((timer) => `${timer.kind} timer ${timer.name || "(unnamed)"} in ${timer.dueInMs} ms`);
    const more = this.#timers.size > timers.length ? [`${this.#timers.size - timers.length} more timers`] : [];
    const waiting = [...this.inFlight().map((name) => `in flight: ${name}`), ...lines, ...more];
    return new KubeloopError(`fake clock: ${what} (${waiting.join("; ") || "nothing pending"})`, {
      reason: "VirtualTime",
      retry: "never",
    });
  }
}
