// Receives every step of a queue; the queue's metrics implement it. If `isWatching` is false, the clock is not read for it.
import type { QueueKey } from "./ready-order.ts";

export interface QueueObserver<K extends QueueKey> {
  /** Whether the observer needs times at all. */
  readonly isWatching: boolean;
  /** A key was added and waits, possibly for the worker that still has it. */
  added(key: K, nowMs: number): void;
  /** A worker took the key. */
  taken(key: K, nowMs: number): void;
  /** The worker called `done`. */
  done(key: K, startedMs: number): void;
  /** A key was added with `addAfter`, whatever the delay. */
  retried(): void;
}

export const noQueueObserver: QueueObserver<never> & QueueObserver<QueueKey> = {
  isWatching: false,
  added() {},
  taken() {},
  done() {},
  retried() {},
};
