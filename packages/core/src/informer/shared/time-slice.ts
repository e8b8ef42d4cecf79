// Keeps a loop that never runs out of work from holding up the event loop: it asks after each small piece, and rests when its
// few milliseconds are used up. What it waits for may be there already, within the same turn of the event loop, so only a
// real pause counts as a rest.
import type { Clock } from "../../base/index.ts";

const sliceMs = 4;

export class TimeSlice {
  readonly #clock: Clock;
  #endMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#endMs = clock.monotonic() + sliceMs;
  }

  isUsedUp(): boolean {
    return this.#clock.monotonic() >= this.#endMs;
  }

  /** Lets everyone else have a turn. */
  async rest(): Promise<void> {
    await this.#clock.yield();
    this.#begin();
  }

  /** Waits for `work`. */
  async pause<T>(work: Promise<T>): Promise<T> {
    const sinceMs = this.#clock.monotonic();
    try {
      return await work;
    } finally {
      if (this.#clock.monotonic() - sinceMs >= sliceMs) this.#begin();
    }
  }

  #begin(): void {
    this.#endMs = this.#clock.monotonic() + sliceMs;
  }
}
