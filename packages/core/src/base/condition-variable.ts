// A condition variable: any number of waiters sleep until somebody notifies them, and then each looks for itself whether there is something
// left for it. A waiter leaves with its signal's reason; either way nothing of the wait is left behind, on the signal or here.
import { onAbort } from "./signal.ts";

export class ConditionVariable {
  readonly #sleepers = new Set<() => void>();

  /** Wakes all who wait, those who came first looking first. */
  notifyAll(): void {
    if (this.#sleepers.size === 0) return;
    for (const wake of this.#sleepers) wake();
    this.#sleepers.clear();
  }

  /** Resolves at the next `notifyAll`. Rejects with the signal's reason. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = () => {
        watch[Symbol.dispose]();
        resolve();
      };
      const watch = onAbort(signal, (reason) => {
        this.#sleepers.delete(wake);
        reject(reason);
      });
      if (!signal.aborted) this.#sleepers.add(wake);
    });
  }
}
