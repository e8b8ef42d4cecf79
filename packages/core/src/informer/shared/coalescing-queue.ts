// What waits for a handler that may not let it grow for ever. Up to a limit everything waits as it came; beyond it, what
// comes for an object that waits already is merged into that (coalesce.ts), so the queue grows by no more than one entry
// for each object. Those of objects that came and went meanwhile are thrown out now and then:
// names that never come back would make it grow for ever.
//
// Not kept beyond the limit: the order between objects, and the states in between.
import { RingBuffer } from "../../base/index.ts";
import type { Notification } from "../handler/handlers.ts";
import { coalesce, countInitial, type Pending } from "./coalesce.ts";

export interface CoalescingQueueOptions<T> {
  readonly maxQueued: number;
  readonly keyOf: (notification: Notification<T>) => string;
  /** So many of the first list's will never come out, merged with another one. */
  readonly onInitialDropped: (count: number) => void;
}

interface Entry<T> {
  readonly key: string;
  /** Empty when the object came and went while it waited: the entry is then passed over, or thrown out before. */
  pending: Pending<T>;
}

export class CoalescingQueue<T> {
  readonly #options: CoalescingQueueOptions<T>;
  #entries = new RingBuffer<Entry<T>>();
  readonly #newestByKey = new Map<string, Entry<T>>();
  #size = 0;
  /** Entries with nothing left to tell. */
  #emptied = 0;

  constructor(options: CoalescingQueueOptions<T>) {
    this.#options = options;
  }

  /** How many notifications wait. */
  get size(): number {
    return this.#size;
  }

  /** How many entries they are in: what the limit is about. */
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
    if (this.#emptied * 2 > this.#entries.size) this.#throwOutEmptied();
    if (dropped > 0) this.#options.onInitialDropped(dropped);
  }

  /** Half of all at a time, so it costs little for each. An object that comes again gets a new place. */
  #throwOutEmptied(): void {
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
