// Keeps a long computation from blocking the event loop: after each small piece of work the computation checks whether its budget of a few
// milliseconds is used up, and then yields, so that timers and I/O run.
//
// A loop that also waits, for its next item or for a callback, waits through `pause`. The awaited promise may already be settled, and then the
// wait ends in the same turn of the event loop; so only a wait that lasts a whole budget counts as a yield. Time during a pause is not
// counted as work of this loop: otherwise two loops that pass items to each other would yield alternately, with ever more items between them.
//
// Reading the clock costs as much as a small piece of work, so for small pieces the clock is read only once every few pieces.
import type { Clock } from "./clock.ts";

const defaultBudgetMs = 4;
const maxPiecesPerClockRead = 16;
const smallPieceMs = 0.1;

export class YieldBudget {
  readonly #clock: Clock;
  readonly #budgetMs: number;
  /** Milliseconds of work since the last yield, up to the last pause. */
  #usedMs = 0;
  #resumedMs: number;
  #lastClockReadMs: number;
  #piecesPerClockRead = 1;
  #piecesUntilClockRead = 1;

  constructor(clock: Clock, budgetMs: number = defaultBudgetMs) {
    this.#clock = clock;
    this.#budgetMs = budgetMs;
    this.#resumedMs = clock.monotonic();
    this.#lastClockReadMs = this.#resumedMs;
  }

  /** Whether the computation should yield now. Call it once after each piece of work. */
  isUsedUp(): boolean {
    if (--this.#piecesUntilClockRead > 0) return false;
    const nowMs = this.#clock.monotonic();
    const isUsedUp = this.#usedMs + nowMs - this.#resumedMs >= this.#budgetMs;
    const isSmall = nowMs - this.#lastClockReadMs < smallPieceMs && !isUsedUp;
    this.#piecesPerClockRead = isSmall ? Math.min(this.#piecesPerClockRead * 2, maxPiecesPerClockRead) : 1;
    this.#piecesUntilClockRead = this.#piecesPerClockRead;
    this.#lastClockReadMs = nowMs;
    return isUsedUp;
  }

  /** Lets everything else that is ready run, and then starts a new budget. */
  async yield(): Promise<void> {
    await this.#clock.yield();
    this.#resume(0);
  }

  /** Waits for `work`, and settles as `work` does. */
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
    this.#lastClockReadMs = this.#resumedMs;
  }
}
