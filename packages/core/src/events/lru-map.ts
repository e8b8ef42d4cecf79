// A map that forgets what was set longest ago when it is full. All in O(1), also over time: a Map alone would do, but looking for
// its first key means passing by all that were deleted before it.
import { type Place, WaitingLine } from "../base/index.ts";

interface Entry<K, V> {
  readonly value: V;
  readonly place: Place<K>;
}

export class LruMap<K, V> {
  readonly #capacity: number;
  readonly #entries = new Map<K, Entry<K, V>>();
  /** The one set longest ago first. */
  readonly #line = new WaitingLine<K>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Counts as use, also of a key that is there. */
  set(key: K, value: V): void {
    const before = this.#entries.get(key);
    if (before !== undefined) this.#line.leave(before.place);
    this.#entries.set(key, { value, place: this.#line.join(key) });
    if (this.#entries.size <= this.#capacity) return;
    const oldest = this.#line.shift();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
