// When watchers are written to again. The first message of a quiet watch goes out at once; who was written to waits for the next turn of the
// event loop, so that what happens meanwhile goes out together. Where there are many watchers, handing each its messages takes a while:
// then all wait as long again, so that those who write, and everybody else, have at least half of the time.
import { type Clock, deferred } from "@kubeloop/core/base";

/** Below this nobody waits for more than a turn. */
const shortMs = 1;
/** Nobody waits longer. */
const longestMs = 10;

export class WatchWriteScheduler {
  readonly #clock: Clock;
  #rest: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock.labelled({ kind: "background", name: "next write to watchers" });
  }

  /** To be waited for after each write. It never rejects. */
  next(): Promise<void> {
    this.#rest ??= this.#untilNext();
    return this.#rest;
  }

  async #untilNext(): Promise<void> {
    const begunMs = this.#clock.monotonic();
    await this.#clock.yield();
    const tookMs = this.#clock.monotonic() - begunMs;
    if (tookMs > shortMs) await this.#after(Math.min(tookMs, longestMs));
    this.#rest = undefined;
  }

  #after(ms: number): Promise<void> {
    const { promise, resolve } = deferred();
    this.#clock.after(ms, resolve);
    return promise;
  }
}
