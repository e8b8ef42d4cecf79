// Keeps long work from holding up the event loop: the worker asks after each small piece, and when its few milliseconds
// are used up lets everyone else have a turn. Time that passed while waiting counts too, which costs a turn at most.
import type { Clock } from "../../base/clock.ts";

export const defaultSliceMs = 4;

export class TimeSlice {
  readonly #clock: Clock;
  readonly #sliceMs: number;
  #startedMs: number;

  constructor(clock: Clock, sliceMs: number = defaultSliceMs) {
    this.#clock = clock;
    this.#sliceMs = sliceMs;
    this.#startedMs = clock.monotonic();
  }

  isUsedUp(): boolean {
    return this.#clock.monotonic() - this.#startedMs >= this.#sliceMs;
  }

  /** Lets others have a turn; then a new slice begins. */
  async rest(): Promise<void> {
    await this.#clock.yield();
    this.#startedMs = this.#clock.monotonic();
  }
}
