// Those who wait for the storage to reach a revision.
import { type Deferred, deferred, untilAborted } from "@kubeloop/core/base";

interface Waiter {
  readonly revision: number;
  readonly reached: Deferred<void>;
}

export class RevisionWaiters {
  readonly #waiters = new Set<Waiter>();

  get size(): number {
    return this.#waiters.size;
  }

  /** Resolves when `noteRevision` reports this revision or a later one. Rejects with the signal's reason, and with that of `rejectAll`. */
  async wait(revision: number, signal: AbortSignal): Promise<void> {
    const waiter = { revision, reached: deferred() };
    this.#waiters.add(waiter);
    try {
      await untilAborted(waiter.reached.promise, signal);
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  noteRevision(revision: number): void {
    if (this.#waiters.size === 0) return;
    for (const waiter of this.#waiters) if (waiter.revision <= revision) waiter.reached.resolve();
  }

  rejectAll(error: Error): void {
    for (const { reached } of this.#waiters) reached.reject(error);
  }
}
