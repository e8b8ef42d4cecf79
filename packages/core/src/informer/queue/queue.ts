// What stands between a reflector, which fills it, and one consumer, which empties it.
//
// A Queue is client-go's: where a reflector writes, with `pop`. A BatchQueue, which every informer has, can also be emptied without a promise
// for each item. `take` and `done` come in pairs and are synchronous: the consumer decides when to let others have a turn.
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

/** `Item` is what is popped: a batch of deltas, or of a FIFO the object as it was last seen. */
export interface Queue<T, Item = Batch<T>> extends ReflectorStore<T> {
  /** How many items wait. */
  readonly size: number;
  readonly isClosed: boolean;
  /**
   * Waits for an item, takes it out and waits for `work`. Rejects with what `work` throws, with a QueueClosedError once the queue is closed and
   * empty, or with the signal's reason. Meant for one consumer.
   */
  pop(work: (item: Item, isInInitialList: boolean) => unknown, signal: AbortSignal): Promise<unknown>;
  /** The first list has come and all of it is done; or something else came before any list. Stays true. */
  hasSynced(): boolean;
  /** Called once, when `hasSynced` turns true; at once if it has. */
  onSynced(callback: () => void): Disposable;
  /** What waits may still be taken. Queues of deltas ignore writes from now on. */
  close(): void;
}

export interface BatchQueue<T> extends Queue<T> {
  /** True as soon as there is something to take; false once closed and empty. Rejects when the signal aborts. */
  ready(signal: AbortSignal): Promise<boolean>;
  take(): Batch<T> | undefined;
  /** After `take`, whether processing worked or not. */
  done(batch: Batch<T>): void;
}
