// A priority queue with one object per key; the least object comes out first. Objects that
// compare equal come out in any order. A closed heap accepts nothing more, but its objects can still be popped.
import { ConditionVariable } from "../../base/condition-variable.ts";
import { KeyedHeap } from "../../base/index.ts";
import { QueueClosedError } from "./queue-closed-error.ts";
import type { KeyFunction } from "./store.ts";
import { keyFor } from "./write-rules.ts";

export interface HeapOptions<T> {
  readonly keyOf: KeyFunction<T>;
  /** Negative when `a` comes out before `b`. */
  readonly compare: (a: T, b: T) => number;
}

export class Heap<T> {
  readonly #keyOf: KeyFunction<T>;
  readonly #items: KeyedHeap<string, T>;
  readonly #arrivals = new ConditionVariable();
  #isClosed = false;

  constructor(options: HeapOptions<T>) {
    this.#keyOf = (object) => keyFor(object, options);
    this.#items = new KeyedHeap({ keyOf: this.#keyOf, compare: options.compare });
  }

  get size(): number {
    return this.#items.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Adds the object, or replaces the object with the same key. */
  add(object: T): void {
    this.bulkAdd([object]);
  }

  update(object: T): void {
    this.add(object);
  }

  /** Adds all of them before any is popped. If one has no key, none is added. */
  bulkAdd(objects: readonly T[]): void {
    this.#refuseWhenClosed();
    for (const object of objects) this.#keyOf(object);
    for (const object of objects) this.#items.set(object);
    this.#arrivals.notifyAll();
  }

  /** For objects that are put back: a newer one with the same key stays. */
  addIfNotPresent(object: T): void {
    this.#refuseWhenClosed();
    if (!this.#items.has(this.#keyOf(object))) this.add(object);
  }

  /** Deletes by key. Returns whether there was an object. */
  delete(object: T): boolean {
    const key = this.#keyOf(object);
    const isThere = this.#items.has(key);
    this.#items.remove(key);
    return isThere;
  }

  /** Removes and returns the least object; waits for one. Rejects with a QueueClosedError if closed and empty, or the signal's reason. */
  async pop(signal: AbortSignal): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#items.size > 0) return this.#items.pop() as T;
      this.#refuseWhenClosed();
      await this.#arrivals.wait(signal);
    }
  }

  get(object: T): T | undefined {
    return this.#items.get(this.#keyOf(object));
  }

  getByKey(key: string): T | undefined {
    return this.#items.get(key);
  }

  /** In no order. */
  list(): T[] {
    return [...this.#items.values()];
  }

  listKeys(): string[] {
    return this.list().map(this.#keyOf);
  }

  close(): void {
    this.#isClosed = true;
    this.#arrivals.notifyAll();
  }

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw new QueueClosedError("heap");
  }
}
