// Lets consumers of a queue sleep until something arrives. Whoever waits is woken by the next ring, or leaves with the signal's
// reason; either way nothing of the wait is left behind, on the signal or here.
import { onAbort } from "../../base/index.ts";

/** What a consumer waits for. */
interface Awaited {
  readonly size: number;
  readonly isClosed: boolean;
}

export class Doorbell {
  readonly #sleepers = new Set<() => void>();

  /** Wakes everyone: they look for themselves whether there is something left for them. */
  ring(): void {
    if (this.#sleepers.size === 0) return;
    for (const wake of this.#sleepers) wake();
    this.#sleepers.clear();
  }

  /** True as soon as there is something to take; false once closed and empty. Rejects when the signal aborts. */
  async untilReady(queue: Awaited, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted();
      if (queue.size > 0) return true;
      if (queue.isClosed) return false;
      await this.#sleep(signal);
    }
  }

  #sleep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = () => {
        watch[Symbol.dispose]();
        resolve();
      };
      const watch = onAbort(signal, (reason) => {
        this.#sleepers.delete(wake);
        reject(reason);
      });
      this.#sleepers.add(wake);
    });
  }
}
