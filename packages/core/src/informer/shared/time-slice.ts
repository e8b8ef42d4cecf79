// Keeps a loop that never runs out of work from holding up the event loop: it asks after each small piece, and rests when it
// has worked for a few milliseconds. What it waits for may be there already, within the same turn of the event loop, so only
// a real pause counts as a rest. What others do meanwhile does not count as its work: two who pass things to each other
// should not rest in turns, with ever more lying between them.
//
// Looking at the clock costs as much as a small piece of work, so where pieces are small it looks only at every few of them.
import type { Clock } from "../../base/index.ts";

const sliceMs = 4;
const mostUnseen = 16;
const smallMs = 0.1;

export class TimeSlice {
  readonly #clock: Clock;
  /** Work done since the last rest, up to the last pause. */
  #usedMs = 0;
  #resumedMs: number;
  #lastLookMs: number;
  #stride = 1;
  #untilLook = 1;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#resumedMs = clock.monotonic();
    this.#lastLookMs = this.#resumedMs;
  }

  /** To be asked once after each piece. */
  isUsedUp(): boolean {
    if (--this.#untilLook > 0) return false;
    const nowMs = this.#clock.monotonic();
    this.#stride = nowMs - this.#lastLookMs < smallMs ? Math.min(this.#stride * 2, mostUnseen) : 1;
    this.#untilLook = this.#stride;
    this.#lastLookMs = nowMs;
    return this.#usedMs + nowMs - this.#resumedMs >= sliceMs;
  }

  /** Lets everyone else have a turn. */
  async rest(): Promise<void> {
    await this.#clock.yield();
    this.#resume(0);
  }

  /** Waits for `work`. */
  async pause<T>(work: Promise<T>): Promise<T> {
    const pausedMs = this.#clock.monotonic();
    try {
      return await work;
    } finally {
      const isRest = this.#clock.monotonic() - pausedMs >= sliceMs;
      this.#resume(isRest ? 0 : this.#usedMs + pausedMs - this.#resumedMs);
    }
  }

  #resume(usedMs: number): void {
    this.#usedMs = usedMs;
    this.#resumedMs = this.#clock.monotonic();
    this.#lastLookMs = this.#resumedMs;
  }
}
