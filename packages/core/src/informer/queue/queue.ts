// What stands between a reflector, which fills it, and one consumer, which empties it. `take` and `done` come in pairs and
// are synchronous: the consumer decides when to let others have a turn.
//
//   while (await queue.ready(signal)) {
//     for (let batch = queue.take(); batch !== undefined; batch = queue.take()) {
//       try { process(batch); } finally { queue.done(batch); }
//     }
//   }
import type { ReflectorStore } from "../store/reflector-store.ts";
import type { Delta } from "./deltas.ts";

export interface Batch<T> {
  /** Never empty. In the order they happened. */
  readonly deltas: readonly Delta<T>[];
  /** Part of the first list: until all of those are done, the queue has not synced. */
  readonly isInInitialList: boolean;
}

export interface Queue<T> extends ReflectorStore<T> {
  /** How many items wait. */
  readonly size: number;
  readonly isClosed: boolean;
  /** True as soon as there is something to take; false once closed and empty. Rejects when the signal aborts. */
  ready(signal: AbortSignal): Promise<boolean>;
  take(): Batch<T> | undefined;
  /** After `take`, whether processing worked or not. */
  done(batch: Batch<T>): void;
  /** The first list has come and all of it is done. Stays true. */
  hasSynced(): boolean;
  /** Called once, when `hasSynced` turns true; at once if it has. */
  onSynced(callback: () => void): Disposable;
  /** Nothing more is accepted (writes are ignored); what waits may still be taken. */
  close(): void;
}
