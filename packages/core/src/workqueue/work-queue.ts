// Keys to work on, for any number of workers.
//
// Promises
// - A key is with one worker at a time. Added while it is being worked on, it is handed out again after `done`; added while it
//   waits, it waits once. So a key is never lost and never worked on twice at once.
// - What waits when the queue is shut down is still handed out. `get` gives undefined only when nothing is left, keys that were
//   added while being worked on included.
// - Keys come in the order of the queue's `order`: first in, first out unless given.
//
//   for (let key = await queue.get(signal); key !== undefined; key = await queue.get(signal)) {
//     try { await work(key); } finally { queue.done(key); }
//   }
import { type Clock, onAbort, type Place, untilAborted, WaitingLine } from "../base/index.ts";
import { noQueueObserver, type QueueObserver } from "./queue-observer.ts";
import { FifoOrder, type QueueKey, type ReadyOrder } from "./ready-order.ts";

export interface WorkQueueOptions<K extends QueueKey> {
  readonly clock: Clock;
  readonly order?: ReadyOrder<K> | undefined;
  readonly observer?: QueueObserver<K> | undefined;
}

export interface AddOptions {
  /** Higher goes first. Unless given: 0, or for a key being worked on the one it was taken with. */
  readonly priority?: number | undefined;
}

/** A key that a worker has. */
export interface KeyInFlight<K> {
  readonly key: K;
  /** How long so far. */
  readonly forMs: number;
  readonly priority: number;
  /** Added again meanwhile: it will be handed out once more. */
  readonly isDirty: boolean;
}

/** A key the queue knows: it waits, or a worker has it. */
interface Known {
  /** It waits with this, or was taken with it. */
  priority: number;
  /** Since when a worker has it; undefined while it waits. */
  startedMs: number | undefined;
  /** The priority it was added with while a worker has it, if it was. */
  again: number | undefined;
}

type Waiter<K> = (key: K | undefined) => void;

export class WorkQueue<K extends QueueKey> {
  readonly #clock: Clock;
  readonly #order: ReadyOrder<K>;
  readonly #observer: QueueObserver<K>;
  readonly #known = new Map<K, Known>();
  readonly #waiters = new WaitingLine<Waiter<K>>();
  readonly #onEmpty = new Set<() => void>();
  #waitingCount = 0;
  /** How many of those being worked on were added again. */
  #dirtyCount = 0;
  #isShutDown = false;

  constructor(options: WorkQueueOptions<K>) {
    this.#clock = options.clock;
    this.#order = options.order ?? new FifoOrder<K>();
    this.#observer = options.observer ?? noQueueObserver;
  }

  /** How many keys wait; those being worked on do not count. */
  get size(): number {
    return this.#waitingCount;
  }

  get isShutDown(): boolean {
    return this.#isShutDown;
  }

  /** Ignored once shut down. */
  add(key: K, options?: AddOptions): void {
    if (this.#isShutDown) return;
    const priority = options?.priority;
    const known = this.#known.get(key);
    if (known === undefined) {
      const added: Known = { priority: priority ?? 0, startedMs: undefined, again: undefined };
      this.#known.set(key, added);
      this.#enqueue(key, added, true);
    } else if (known.startedMs === undefined) {
      if (priority === undefined || priority <= known.priority) return;
      known.priority = priority;
      this.#order.raise(key, priority);
    } else {
      if (known.again === undefined) {
        this.#dirtyCount++;
        // It waits from now on, although nobody may have it yet.
        this.#observer.added(key, this.#observer.isWatching ? this.#clock.monotonic() : 0);
      }
      known.again = Math.max(known.again ?? Number.NEGATIVE_INFINITY, priority ?? known.priority);
    }
  }

  /** The next key, now; undefined when none may be taken. */
  take(): K | undefined {
    if (this.#waitingCount === 0) return undefined;
    const nowMs = this.#clock.monotonic();
    const key = this.#order.pop(nowMs);
    if (key === undefined) return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) known.startedMs = nowMs;
    this.#waitingCount--;
    this.#observer.taken(key, nowMs);
    return key;
  }

  /** Waits for a key. Undefined once the queue is shut down and nothing is left. */
  get(signal: AbortSignal): Promise<K | undefined> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const key = this.take();
    if (key !== undefined || this.#isOver) return Promise.resolve(key);
    return new Promise((resolve, reject) => {
      const place: Place<Waiter<K>> = this.#waiters.join((found) => {
        watch[Symbol.dispose]();
        resolve(found);
      });
      const watch = onAbort(signal, (reason) => {
        this.#waiters.leave(place);
        reject(reason);
      });
    });
  }

  /** The worker has finished with the key, well or not. For a key nobody has, nothing. */
  done(key: K): void {
    const known = this.#known.get(key);
    if (known?.startedMs === undefined) return;
    this.#order.release(key);
    this.#observer.done(key, known.startedMs);
    if (known.again !== undefined) {
      this.#dirtyCount--;
      known.priority = known.again;
      known.startedMs = undefined;
      known.again = undefined;
      this.#enqueue(key, known, false);
    } else {
      this.#known.delete(key);
      if (this.#waiters.size > 0) this.#serve();
    }
    if (this.#isOver) this.#end();
  }

  /** Takes nothing more. What waits is still handed out. */
  shutDown(): void {
    this.#isShutDown = true;
    if (this.#isOver) this.#end();
  }

  /** Shuts down and waits until every key has been handed out and is done. Aborting stops the waiting. */
  async drain(signal: AbortSignal): Promise<void> {
    this.shutDown();
    if (this.#known.size === 0) return;
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

  /** What workers have at this moment. */
  inFlight(): readonly KeyInFlight<K>[] {
    const nowMs = this.#clock.monotonic();
    const found: KeyInFlight<K>[] = [];
    for (const [key, { startedMs, priority, again }] of this.#known) {
      if (startedMs !== undefined)
        found.push({ key, forMs: nowMs - startedMs, priority, isDirty: again !== undefined });
    }
    return found;
  }

  /** The priority of a key that a worker has: for putting it back with the same. */
  priorityInFlight(key: K): number | undefined {
    const known = this.#known.get(key);
    return known?.startedMs === undefined ? undefined : known.priority;
  }

  get #isOver(): boolean {
    return this.#isShutDown && this.#waitingCount === 0 && this.#dirtyCount === 0;
  }

  #enqueue(key: K, { priority }: Known, isNew: boolean): void {
    const nowMs = this.#observer.isWatching || this.#order.needsTime ? this.#clock.monotonic() : 0;
    this.#order.push(key, priority, nowMs);
    this.#waitingCount++;
    if (isNew) this.#observer.added(key, nowMs);
    if (this.#waiters.size > 0) this.#serve();
  }

  /** Hands out to those who wait, as long as there is something for them. */
  #serve(): void {
    while (this.#waiters.size > 0) {
      const key = this.take();
      if (key === undefined) return;
      this.#waiters.shift()?.(key);
    }
  }

  #end(): void {
    while (this.#waiters.size > 0) this.#waiters.shift()?.(undefined);
    if (this.#known.size > 0) return;
    for (const tell of this.#onEmpty) tell();
  }
}
