// A binary heap whose items can be found, replaced and removed by key, each in O(log n). The smallest item by the given
// order is on top. Items that compare equal come out in any order; where their order matters, put a sequence number
// into the comparison.

export interface KeyedHeapOptions<K, T> {
  readonly keyOf: (item: T) => K;
  /** Negative when `a` comes out before `b`. */
  readonly compare: (a: T, b: T) => number;
}

export class KeyedHeap<K, T> {
  readonly #keyOf: (item: T) => K;
  readonly #compare: (a: T, b: T) => number;
  readonly #items: T[] = [];
  readonly #positions = new Map<K, number>();

  constructor(options: KeyedHeapOptions<K, T>) {
    this.#keyOf = options.keyOf;
    this.#compare = options.compare;
  }

  get size(): number {
    return this.#items.length;
  }

  has(key: K): boolean {
    return this.#positions.has(key);
  }

  get(key: K): T | undefined {
    const position = this.#positions.get(key);
    return position === undefined ? undefined : this.#items[position];
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  /** Adds the item, or replaces the item with the same key. */
  set(item: T): void {
    const key = this.#keyOf(item);
    const position = this.#positions.get(key);
    if (position === undefined) {
      this.#place(item, this.#items.length);
      this.#rise(this.#items.length - 1);
    } else {
      this.#place(item, position);
      this.#sink(this.#rise(position));
    }
  }

  pop(): T | undefined {
    const top = this.#items[0];
    if (top !== undefined) this.#removeAt(0);
    return top;
  }

  /** Removes the item with this key, and returns it. */
  remove(key: K): T | undefined {
    const position = this.#positions.get(key);
    if (position === undefined) return undefined;
    const item = this.#items[position];
    this.#removeAt(position);
    return item;
  }

  clear(): void {
    this.#items.length = 0;
    this.#positions.clear();
  }

  /** All items, in no order. */
  values(): IterableIterator<T> {
    return this.#items.values();
  }

  #removeAt(position: number): void {
    const last = this.#items.length - 1;
    const removed = this.#items[position] as T;
    const moved = this.#items.pop() as T;
    this.#positions.delete(this.#keyOf(removed));
    if (position === last) return;
    this.#place(moved, position);
    this.#sink(this.#rise(position));
  }

  #place(item: T, position: number): void {
    this.#items[position] = item;
    this.#positions.set(this.#keyOf(item), position);
  }

  #rise(start: number): number {
    const item = this.#items[start] as T;
    let position = start;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const above = this.#items[parent] as T;
      if (this.#compare(item, above) >= 0) break;
      this.#place(above, position);
      position = parent;
    }
    if (position !== start) this.#place(item, position);
    return position;
  }

  #sink(start: number): void {
    const item = this.#items[start] as T;
    const size = this.#items.length;
    let position = start;
    for (;;) {
      const left = 2 * position + 1;
      if (left >= size) break;
      const right = left + 1;
      const smaller = right < size && this.#compare(this.#items[right] as T, this.#items[left] as T) < 0 ? right : left;
      const below = this.#items[smaller] as T;
      if (this.#compare(below, item) >= 0) break;
      this.#place(below, position);
      position = smaller;
    }
    if (position !== start) this.#place(item, position);
  }
}
