// Lets any number of takers wait until something has come. Being told is no promise that anything is left: whoever wakes
// up looks again, those who came first looking first.
import { type Deferred, deferred, untilAborted } from "../../base/index.ts";

export class Arrivals {
  #next: Deferred<void> | undefined;

  /** Until the next `tell`. Rejects with the signal's reason. */
  wait(signal: AbortSignal): Promise<void> {
    this.#next ??= deferred();
    return untilAborted(this.#next.promise, signal);
  }

  tell(): void {
    this.#next?.resolve();
    this.#next = undefined;
  }
}
