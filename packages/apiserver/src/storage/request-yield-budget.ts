// Keeps the work of one request from blocking the event loop: after each piece of work the request checks whether its budget of a few
// milliseconds is used up, and then yields. Unlike core's YieldBudget it ends with the request's signal, and large pieces always read the clock.
import type { Clock } from "@kubeloop/core/base";

const budgetMs = 4;
/** Reading the clock costs as much as a small piece of work. */
const piecesPerClockRead = 16;

export class RequestYieldBudget {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #piecesUntilClockRead = piecesPerClockRead;
  #startMs: number;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#startMs = clock.monotonic();
  }

  /** Returns whether the request should yield now. Call it after each small piece of work: it reads the clock once every few calls. */
  isUsedUp(): boolean {
    if (--this.#piecesUntilClockRead > 0) return false;
    this.#piecesUntilClockRead = piecesPerClockRead;
    return this.isUsedUpNow();
  }

  /** The same, for after a large piece of work: it always reads the clock. */
  isUsedUpNow(): boolean {
    return this.#clock.monotonic() - this.#startMs >= budgetMs;
  }

  /** Starts a new budget. For after a wait, which is not work. */
  restart(): void {
    this.#startMs = this.#clock.monotonic();
  }

  /** Lets everything else that is ready run, and then starts a new budget. Throws when the request was aborted meanwhile. */
  async yield(): Promise<void> {
    await this.#clock.yield();
    this.#signal.throwIfAborted();
    this.restart();
  }
}
