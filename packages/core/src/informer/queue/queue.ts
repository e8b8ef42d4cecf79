// The interfaces of the queue between a reflector, which fills it, and one consumer, which empties it.
//
// Queue is client-go's: a reflector's store, with `pop`. BatchQueue, which every informer uses, can also be emptied without a promise
// per item. `take` and `done` come in pairs and are synchronous: the consumer decides when to yield to the event loop.
//
//   while (await queue.ready(signal)) {
//     for (let batch = queue.take(); batch !== undefined; batch = queue.take()) {
//       try { process(batch); } finally { queue.done(batch); }
//     }
//   }
import type { ReflectorStore } from "../store/reflector-store.ts";
import type { Delta } from "./deltas.ts";

export interface Batch<T> {
  /** Never empty. In the order in which they happened. */
  readonly deltas: readonly Delta<T>[];
  /** Part of the first list. The queue has not synced until all such batches are done. */
  readonly isInInitialList: boolean;
}

/** `Item` is what is popped: a batch of deltas, or in a FIFO the newest state of an object. */
export interface Queue<T, Item = Batch<T>> extends ReflectorStore<T> {
  /** How many items wait. */
  readonly size: number;
  readonly isClosed: boolean;
  /**
   * Waits for an item, takes it out and waits for `work`. Rejects with what `work` throws, with a QueueClosedError once the queue is closed and
   * empty, or with the signal's reason. Meant for one consumer.
   */
  pop(work: (item: Item, isInInitialList: boolean) => unknown, signal: AbortSignal): Promise<unknown>;
  /** The first list has been processed, or a change was added before any list. Stays true. */
  hasSynced(): boolean;
  /** Calls back once, when `hasSynced` becomes true; immediately if it is. */
  onSynced(callback: () => void): Disposable;
  /** Waiting items can still be taken. Queues of deltas ignore later writes. */
  close(): void;
}

export interface BatchQueue<T> extends Queue<T> {
  /** Resolves to true as soon as there is a batch to take, to false if closed and empty. Rejects when the signal aborts. */
  ready(signal: AbortSignal): Promise<boolean>;
  take(): Batch<T> | undefined;
  /** Must be called after `take`, whether processing succeeded or not. */
  done(batch: Batch<T>): void;
}
