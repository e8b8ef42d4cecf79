// A map that forgets what was used longest ago when it is full. Setting and getting both count as use. All in O(1): a Map keeps
// the order in which keys were put in.

export class LruMap<K, V> {
  readonly #capacity: number;
  readonly #entries = new Map<K, V>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#putLast(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#putLast(key, value);
    if (this.#entries.size <= this.#capacity) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  #putLast(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }
}
