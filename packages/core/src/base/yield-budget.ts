// Keeps a long computation from holding up the event loop: it asks after each small piece whether its few milliseconds are used up, and
// yields when they are, so that timers and I/O run.
//
// A loop that also waits, for its next item or for a callback, waits through `pause`. The promise may be settled already, within the same
// turn of the event loop, so only a wait of a whole budget counts as having yielded. The time that others work meanwhile is not counted:
// two loops that pass items to each other should not yield in turns, with ever more items between them.
//
// Looking at the clock costs as much as a small piece of work, so where pieces are small it looks only at every few of them.
import type { Clock } from "./clock.ts";

const defaultBudgetMs = 4;
const mostUnseen = 16;
const smallMs = 0.1;

export class YieldBudget {
  readonly #clock: Clock;
  readonly #budgetMs: number;
  /** Work done since the last yield, up to the last pause. */
  #usedMs = 0;
  #resumedMs: number;
  #lastLookMs: number;
  #stride = 1;
  #untilLook = 1;

  constructor(clock: Clock, budgetMs: number = defaultBudgetMs) {
    this.#clock = clock;
    this.#budgetMs = budgetMs;
    this.#resumedMs = clock.monotonic();
    this.#lastLookMs = this.#resumedMs;
  }

  /** To be asked once after each piece. */
  isUsedUp(): boolean {
    if (--this.#untilLook > 0) return false;
    const nowMs = this.#clock.monotonic();
    const isUsedUp = this.#usedMs + nowMs - this.#resumedMs >= this.#budgetMs;
    const isSmall = nowMs - this.#lastLookMs < smallMs && !isUsedUp;
    this.#stride = isSmall ? Math.min(this.#stride * 2, mostUnseen) : 1;
    this.#untilLook = this.#stride;
    this.#lastLookMs = nowMs;
    return isUsedUp;
  }

  /** Lets everything else that is ready run; then a new budget begins. */
  async yield(): Promise<void> {
    await this.#clock.yield();
    this.#resume(0);
  }

  /** Waits for `work`, and returns or throws what it does. */
  async pause<T>(work: Promise<T>): Promise<T> {
    const pausedMs = this.#clock.monotonic();
    try {
      return await work;
    } finally {
      const hasYielded = this.#clock.monotonic() - pausedMs >= this.#budgetMs;
      this.#resume(hasYielded ? 0 : this.#usedMs + pausedMs - this.#resumedMs);
    }
  }

  #resume(usedMs: number): void {
    this.#usedMs = usedMs;
    this.#resumedMs = this.#clock.monotonic();
    this.#lastLookMs = this.#resumedMs;
  }
}
