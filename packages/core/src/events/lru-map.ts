// A map that evicts the least recently set key when it is full. All operations are O(1). A plain Map would not do, because finding
// its first key means skipping all entries deleted before it.
import { type WaitingEntry, WaitingLine } from "../base/index.ts";

interface Entry<K, V> {
  readonly value: V;
  readonly lineEntry: WaitingEntry<K>;
}

export class LruMap<K, V> {
  readonly #capacity: number;
  readonly #entries = new Map<K, Entry<K, V>>();
  /** Least recently set first. */
  readonly #line = new WaitingLine<K>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Makes the key the most recently set one, also if it already exists. */
  set(key: K, value: V): void {
    const before = this.#entries.get(key);
    if (before !== undefined) this.#line.leave(before.lineEntry);
    this.#entries.set(key, { value, lineEntry: this.#line.join(key) });
    if (this.#entries.size <= this.#capacity) return;
    const oldest = this.#line.shift();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
