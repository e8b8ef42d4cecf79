// How often a write is tried again because somebody else was quicker. As upstream, a request tries until its deadline; between the attempts it
// lets the event loop run, so that the deadline can come, and where time stands still it gives up after many attempts.
import { newTimeout } from "@kubeloop/core/api";
import type { WriteContext } from "./write-context.ts";

const mostAttempts = 10_000;
const attemptsPerTurn = 16;

export class RetryBudget {
  readonly #context: WriteContext;
  #attempts = 0;

  constructor(context: WriteContext) {
    this.#context = context;
  }

  /** To be called before each attempt. Throws when nobody waits for the answer any more, and 504 after too many. */
  async next(): Promise<void> {
    const { signal, server } = this.#context;
    signal.throwIfAborted();
    this.#attempts++;
    if (this.#attempts > mostAttempts) throw newTimeout("the object is written to by others all the time");
    if (this.#attempts % attemptsPerTurn !== 0) return;
    await server.clock.yield();
    signal.throwIfAborted();
  }
}
