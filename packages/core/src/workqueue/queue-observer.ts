// Whoever wants to know what a queue does: its metrics. Called at each step; costs nothing when nobody watches.
import type { QueueKey } from "./ready-order.ts";

export interface QueueObserver<K extends QueueKey> {
  /** Whether it looks at times at all. */
  readonly isWatching: boolean;
  /** A key began to wait, for its worker to finish with it first, if it has one. */
  added(key: K, nowMs: number): void;
  /** A worker has it now. */
  taken(key: K, nowMs: number): void;
  /** The worker has finished. */
  done(key: K, startedMs: number): void;
  /** Somebody asked for it later. */
  retried(): void;
}

export const noQueueObserver: QueueObserver<never> & QueueObserver<QueueKey> = {
  isWatching: false,
  added() {},
  taken() {},
  done() {},
  retried() {},
};
