// Keeps a long computation from holding up the event loop: it asks after each small piece whether its few milliseconds are used up, and
// yields when they are, so that timers and I/O run.
//
// Looking at the clock costs as much as a small piece of work, so where pieces are small it looks only at every few of them.
import type { Clock } from "./clock.ts";

const budgetMs = 4;
const mostUnseen = 16;
const smallMs = 0.1;

export class YieldBudget {
  readonly #clock: Clock;
  #startedMs: number;
  #lastLookMs: number;
  #stride = 1;
  #untilLook = 1;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.monotonic();
    this.#lastLookMs = this.#startedMs;
  }

  /** To be asked once after each piece. */
  isUsedUp(): boolean {
    if (--this.#untilLook > 0) return false;
    const nowMs = this.#clock.monotonic();
    this.#stride = nowMs - this.#lastLookMs < smallMs ? Math.min(this.#stride * 2, mostUnseen) : 1;
    this.#untilLook = this.#stride;
    this.#lastLookMs = nowMs;
    return nowMs - this.#startedMs >= budgetMs;
  }

  /** Lets everything else that is ready run; then a new budget begins. */
  async yield(): Promise<void> {
    await this.#clock.yield();
    this.#startedMs = this.#clock.monotonic();
    this.#lastLookMs = this.#startedMs;
  }
}
