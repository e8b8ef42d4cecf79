// Singleflight: many callers ask for the same work, and only one run of it is in progress at a time. Callers that join during a run share
// its result.
//
// Promises: while others still wait, an aborted caller rejects immediately and does not affect them. When the last caller is aborted, the run
// is aborted too, and that caller rejects only when the run has ended, so that no work continues unobserved. Two runs never overlap.
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

  /** Returns the result of the run in progress, or starts a run. */
  async join(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    // This run was aborted because all its callers left. Its result is their abort, not ours, so wait for its end and start a new run.
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
    // The work starts one microtask later, so that `this.#flight` is set before the work can end.
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
