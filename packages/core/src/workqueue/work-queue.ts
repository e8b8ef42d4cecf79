// A queue of keys for any number of workers: client-go's workqueue.
//
// Promises
// - No two workers have the same key at once. A key that is added while a worker has it is handed out again after `done`; a key that is
//   added while it waits is handed out once. So no key is lost.
// - Keys that wait when the queue is shut down are still handed out. `get` returns undefined only when no key is left, including keys
//   that were added while a worker had them.
// - Keys are handed out in the order of `order`. Default: first in, first out.
//
//   for (let key = await queue.get(signal); key !== undefined; key = await queue.get(signal)) {
//     try { await work(key); } finally { queue.done(key); }
//   }
import { type Clock, onAbort, untilAborted, type WaitingEntry, WaitingLine } from "../base/index.ts";
import { noQueueObserver, type QueueObserver } from "./queue-observer.ts";
import { FifoOrder, type QueueKey, type ReadyOrder } from "./ready-order.ts";

export interface WorkQueueOptions<K extends QueueKey> {
  readonly clock: Clock;
  readonly order?: ReadyOrder<K> | undefined;
  readonly observer?: QueueObserver<K> | undefined;
}

export interface AddOptions {
  /** Keys with a higher priority go first. Default: 0, or the priority with which a worker took the key, if a worker has it. */
  readonly priority?: number | undefined;
}

/** A key that a worker has taken and not finished. */
export interface KeyInFlight<K> {
  readonly key: K;
  /** How long the worker has had the key. */
  readonly forMs: number;
  readonly priority: number;
  /** The key was added again meanwhile, so it will be handed out once more. */
  readonly isDirty: boolean;
}

/** A key in the queue: it waits, or a worker has it. */
interface QueuedKey {
  /** The priority with which the key waits, or with which it was taken. */
  priority: number;
  /** When a worker took the key; undefined while the key waits. */
  startedMs: number | undefined;
  /** The priority with which the key was added again while a worker has it; undefined if it was not. */
  dirtyPriority: number | undefined;
}

type Waiter<K> = (key: K | undefined) => void;

export class WorkQueue<K extends QueueKey> {
  readonly #clock: Clock;
  readonly #order: ReadyOrder<K>;
  readonly #observer: QueueObserver<K>;
  readonly #keys = new Map<K, QueuedKey>();
  readonly #waiters = new WaitingLine<Waiter<K>>();
  readonly #onEmpty = new Set<() => void>();
  #waitingCount = 0;
  /** How many of the keys that workers have were added again. */
  #dirtyCount = 0;
  #isShutDown = false;

  constructor(options: WorkQueueOptions<K>) {
    this.#clock = options.clock;
    this.#order = options.order ?? new FifoOrder<K>();
    this.#observer = options.observer ?? noQueueObserver;
  }

  /** The number of waiting keys, without keys that workers have. */
  get size(): number {
    return this.#waitingCount;
  }

  get isShutDown(): boolean {
    return this.#isShutDown;
  }

  /** Does nothing after shutdown. */
  add(key: K, options?: AddOptions): void {
    if (this.#isShutDown) return;
    const priority = options?.priority;
    const known = this.#keys.get(key);
    if (known === undefined) {
      const added: QueuedKey = { priority: priority ?? 0, startedMs: undefined, dirtyPriority: undefined };
      this.#keys.set(key, added);
      this.#enqueue(key, added, true);
    } else if (known.startedMs === undefined) {
      if (priority === undefined || priority <= known.priority) return;
      known.priority = priority;
      this.#order.raise(key, priority);
    } else {
      if (known.dirtyPriority === undefined) {
        this.#dirtyCount++;
        // The wait is measured from now on, although the key cannot be taken before `done`.
        this.#observer.added(key, this.#observer.isWatching ? this.#clock.monotonic() : 0);
      }
      known.dirtyPriority = Math.max(known.dirtyPriority ?? Number.NEGATIVE_INFINITY, priority ?? known.priority);
    }
  }

  /** Takes the next key without waiting. Undefined if no key may be taken now. */
  take(): K | undefined {
    if (this.#waitingCount === 0) return undefined;
    const nowMs = this.#clock.monotonic();
    const key = this.#order.pop(nowMs);
    if (key === undefined) return undefined;
    const known = this.#keys.get(key);
    if (known !== undefined) known.startedMs = nowMs;
    this.#waitingCount--;
    this.#observer.taken(key, nowMs);
    return key;
  }

  /** Waits for a key. Returns undefined once the queue is shut down and no key is left. */
  get(signal: AbortSignal): Promise<K | undefined> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const key = this.take();
    if (key !== undefined || this.#isOver) return Promise.resolve(key);
    return new Promise((resolve, reject) => {
      const entry: WaitingEntry<Waiter<K>> = this.#waiters.join((found) => {
        watch[Symbol.dispose]();
        resolve(found);
      });
      const watch = onAbort(signal, (reason) => {
        this.#waiters.leave(entry);
        reject(reason);
      });
    });
  }

  /** The worker has finished with the key, successfully or not. Does nothing for a key that no worker has. */
  done(key: K): void {
    const known = this.#keys.get(key);
    if (known?.startedMs === undefined) return;
    this.#order.release(key);
    this.#observer.done(key, known.startedMs);
    if (known.dirtyPriority !== undefined) {
      this.#dirtyCount--;
      known.priority = known.dirtyPriority;
      known.startedMs = undefined;
      known.dirtyPriority = undefined;
      this.#enqueue(key, known, false);
    } else {
      this.#keys.delete(key);
      if (this.#waiters.size > 0) this.#serve();
    }
    if (this.#isOver) this.#end();
  }

  /** Accepts no further keys. Waiting keys are still handed out. */
  shutDown(): void {
    this.#isShutDown = true;
    if (this.#isOver) this.#end();
  }

  /** Shuts down and waits until every key has been handed out and is done. Aborting the signal ends only the wait. */
  async drain(signal: AbortSignal): Promise<void> {
    this.shutDown();
    if (this.#keys.size === 0) return;
    let onEmpty = () => {};
    const empty = new Promise<void>((resolve) => {
      onEmpty = resolve;
    });
    this.#onEmpty.add(onEmpty);
    try {
      await untilAborted(empty, signal);
    } finally {
      this.#onEmpty.delete(onEmpty);
    }
  }

  /** Returns the keys that workers have at this moment. */
  inFlight(): readonly KeyInFlight<K>[] {
    const nowMs = this.#clock.monotonic();
    const found: KeyInFlight<K>[] = [];
    for (const [key, { startedMs, priority, dirtyPriority }] of this.#keys) {
      if (startedMs !== undefined)
        found.push({ key, forMs: nowMs - startedMs, priority, isDirty: dirtyPriority !== undefined });
    }
    return found;
  }

  /** Returns the priority of a key that a worker has, for adding it again with the same priority. */
  priorityInFlight(key: K): number | undefined {
    const known = this.#keys.get(key);
    return known?.startedMs === undefined ? undefined : known.priority;
  }

  get #isOver(): boolean {
    return this.#isShutDown && this.#waitingCount === 0 && this.#dirtyCount === 0;
  }

  #enqueue(key: K, { priority }: QueuedKey, isNew: boolean): void {
    const nowMs = this.#observer.isWatching || this.#order.needsTime ? this.#clock.monotonic() : 0;
    this.#order.push(key, priority, nowMs);
    this.#waitingCount++;
    if (isNew) this.#observer.added(key, nowMs);
    if (this.#waiters.size > 0) this.#serve();
  }

  /** Hands out keys to waiting workers as long as a key may be taken. */
  #serve(): void {
    while (this.#waiters.size > 0) {
      const key = this.take();
      if (key === undefined) return;
      this.#waiters.shift()?.(key);
    }
  }

  #end(): void {
    while (this.#waiters.size > 0) this.#waiters.shift()?.(undefined);
    if (this.#keys.size > 0) return;
    for (const tell of this.#onEmpty) tell();
  }
}
