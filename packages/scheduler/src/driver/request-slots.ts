// Lets only so many requests out at once; the others wait in their order. A server that gets thousands of requests at the same moment answers each of
// them late, and some not at all before their time is over.
//
// Promise: a slot is free again when its request has ended, in whatever way. Who is told to stop while it waits has no slot.
import { type Deferred, deferred, untilAborted, WaitingLine } from "@kubeloop/core/base";

export class RequestSlots {
  #free: number;
  readonly #waiting = new WaitingLine<Deferred<void>>();

  constructor(count: number) {
    this.#free = count;
  }

  async use<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      return await request();
    } finally {
      this.#release();
    }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const turn = deferred();
    const entry = this.#waiting.join(turn);
    try {
      await untilAborted(turn.promise, signal);
    } catch (error) {
      // The slot may have been given to us at the same moment.
      if (entry.hasLeft) this.#release();
      else this.#waiting.leave(entry);
      throw error;
    }
  }

  /** Whoever has waited longest takes over the slot. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next.resolve();
  }
}
