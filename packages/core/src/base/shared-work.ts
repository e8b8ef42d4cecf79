// Work that many ask for and that is done once at a time: whoever comes while it is under way gets the same answer.
//
// Promises: giving up rejects at once and disturbs no other waiter; when the last waiter has given up the work is aborted,
// and that last one is let go only when the work has ended, so nothing runs on unseen; two runs never overlap.
import { untilAborted } from "./signal.ts";

interface Flight<T> {
  readonly controller: AbortController;
  readonly result: Promise<T>;
  waiters: number;
}

export class SharedWork<T> {
  readonly #work: (signal: AbortSignal) => Promise<T>;
  #flight: Flight<T> | undefined;

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#work = work;
  }

  /** The answer of the run under way, or of a new one. */
  async join(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    // Given up by everyone and not yet gone: its answer will be an abort that is not ours.
    while (this.#flight?.controller.signal.aborted === true) {
      await untilAborted(ended(this.#flight), signal);
    }
    const flight = this.#flight ?? this.#begin();
    flight.waiters++;
    try {
      return await untilAborted(flight.result, signal);
    } finally {
      flight.waiters--;
      if (flight.waiters === 0 && this.#flight === flight) {
        flight.controller.abort(signal.reason);
        await ended(flight);
      }
    }
  }

  #begin(): Flight<T> {
    const controller = new AbortController();
    const run = async () => {
      try {
        return await this.#work(controller.signal);
      } finally {
        this.#flight = undefined;
      }
    };
    // Begins a step later, so that `flight` stands before the work can end.
    const flight: Flight<T> = { controller, result: Promise.resolve().then(run), waiters: 0 };
    this.#flight = flight;
    return flight;
  }
}

function ended(flight: Flight<unknown>): Promise<void> {
  return flight.result.then(
    () => {},
    () => {},
  );
}
