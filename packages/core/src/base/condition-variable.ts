// A condition variable: any number of waiters sleep until `notifyAll`, and then each of them checks its own condition again. A waiter whose
// signal aborts rejects with the signal's reason. In both cases nothing of the wait is left on the signal or here.
import { onAbort } from "./signal.ts";

export class ConditionVariable {
  readonly #sleepers = new Set<() => void>();

  /** Wakes all waiters, in the order in which they began to wait. */
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
