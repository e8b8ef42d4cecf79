// The notifications that wait for a handler with a bounded queue. Up to the limit everything waits in order. Above it, a
// new notification for an object that already waits is merged with it (coalesce.ts), so the queue grows by at most one entry
// per object. Entries of objects that were added and deleted meanwhile are removed from time to time, because otherwise
// names that never return would make the queue grow for ever.
//
// Not kept above the limit: the order between objects, and the states in between.
import { RingBuffer } from "../../base/index.ts";
import type { Notification } from "../handler/handlers.ts";
import { coalesce, countInitial, type Pending } from "./coalesce.ts";

export interface CoalescingQueueOptions<T> {
  readonly maxQueued: number;
  readonly keyOf: (notification: Notification<T>) => string;
  /** Called with how many notifications of the initial list were merged away, so they will never be taken. */
  readonly onInitialDropped: (count: number) => void;
}

interface Entry<T> {
  readonly key: string;
  /** Empty if the object was added and deleted while it waited: then the entry is skipped or removed. */
  pending: Pending<T>;
}

export class CoalescingQueue<T> {
  readonly #options: CoalescingQueueOptions<T>;
  #entries = new RingBuffer<Entry<T>>();
  readonly #newestByKey = new Map<string, Entry<T>>();
  #size = 0;
  /** The number of entries without notifications. */
  #emptied = 0;

  constructor(options: CoalescingQueueOptions<T>) {
    this.#options = options;
  }

  /** The number of waiting notifications. */
  get size(): number {
    return this.#size;
  }

  /** The number of entries, which the limit applies to. */
  get entries(): number {
    return this.#entries.size;
  }

  push(next: Notification<T>): void {
    const key = this.#options.keyOf(next);
    const newest = this.#newestByKey.get(key);
    if (newest !== undefined && this.#entries.size >= this.#options.maxQueued) {
      this.#merge(newest, next);
      return;
    }
    const entry = { key, pending: [next] };
    this.#entries.push(entry);
    this.#newestByKey.set(key, entry);
    this.#size++;
  }

  shift(): Notification<T> | undefined {
    for (let entry = this.#entries.peek(); entry !== undefined; entry = this.#entries.peek()) {
      const [first, ...rest] = entry.pending;
      if (rest.length > 0) entry.pending = rest;
      else this.#leave(entry);
      if (first === undefined) continue;
      this.#size--;
      return first;
    }
    return undefined;
  }

  clear(): void {
    this.#entries.clear();
    this.#newestByKey.clear();
    this.#size = 0;
    this.#emptied = 0;
  }

  #merge(entry: Entry<T>, next: Notification<T>): void {
    const merged = coalesce(entry.pending, next);
    const dropped = countInitial(entry.pending) + countInitial([next]) - countInitial(merged);
    this.#size += merged.length - entry.pending.length;
    this.#emptied += emptiness(merged) - emptiness(entry.pending);
    entry.pending = merged;
    if (this.#emptied * 2 > this.#entries.size) this.#removeEmptied();
    if (dropped > 0) this.#options.onInitialDropped(dropped);
  }

  /** Runs when more than half of the entries are empty, so the amortized cost per entry is constant. An object that comes again gets a new entry. */
  #removeEmptied(): void {
    const all = this.#entries;
    this.#entries = new RingBuffer();
    for (const entry of all) {
      if (emptiness(entry.pending) === 0) this.#entries.push(entry);
      else this.#dismiss(entry);
    }
    this.#emptied = 0;
  }

  #leave(entry: Entry<T>): void {
    this.#entries.shift();
    this.#emptied -= emptiness(entry.pending);
    this.#dismiss(entry);
  }

  #dismiss(entry: Entry<T>): void {
    if (this.#newestByKey.get(entry.key) === entry) this.#newestByKey.delete(entry.key);
  }
}

function emptiness<T>(pending: Pending<T>): 0 | 1 {
  return pending.length === 0 ? 1 : 0;
}
