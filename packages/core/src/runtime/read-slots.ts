// A semaphore: at most `slots` pieces of work run at the same time. The others wait in FIFO order; an aborted one stops waiting.
import { type Deferred, deferred, untilAborted, WaitingLine } from "../base/index.ts";

export class ReadSlots {
  #free: number;
  readonly #line = new WaitingLine<Deferred<void>>();

  constructor(slots: number) {
    this.#free = slots;
  }

  async run<R>(work: () => Promise<R>, signal: AbortSignal): Promise<R> {
    await this.#take(signal);
    try {
      return await work();
    } finally {
      this.#give();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const turn = deferred();
    const place = this.#line.join(turn);
    try {
      await untilAborted(turn.promise, signal);
    } catch (error) {
      // Aborted after the slot was already assigned to this work: the slot is passed on.
      if (place.hasLeft) this.#give();
      this.#line.leave(place);
      throw error;
    }
  }

  #give(): void {
    const next = this.#line.shift();
    if (next === undefined) this.#free++;
    else next.resolve();
  }
}
