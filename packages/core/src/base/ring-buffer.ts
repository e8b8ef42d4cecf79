// A first-in first-out buffer in one array that wraps around. It doubles when full and halves when three quarters empty,
// so a burst does not cost its memory for ever; it never holds on to what was taken out. push and shift are O(1) over time.

const smallestCapacity = 16;

export class RingBuffer<T> {
  #slots: (T | undefined)[] = new Array(smallestCapacity);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many items fit before it grows. */
  get capacity(): number {
    return this.#slots.length;
  }

  push(item: T): void {
    if (this.#size === this.#slots.length) this.#resize(this.#slots.length * 2);
    this.#slots[(this.#head + this.#size) & (this.#slots.length - 1)] = item;
    this.#size++;
  }

  peek(): T | undefined {
    return this.#size === 0 ? undefined : this.#slots[this.#head];
  }

  /** Takes the oldest item out. An empty buffer gives `undefined`: look at `size` where items may be undefined. */
  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#size--;
    if (this.#slots.length > smallestCapacity && this.#size <= this.#slots.length >> 2) {
      this.#resize(this.#slots.length >> 1);
    }
    return item;
  }

  clear(): void {
    this.#slots = new Array(smallestCapacity);
    this.#head = 0;
    this.#size = 0;
  }

  /** Oldest first. Do not change the buffer meanwhile. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let i = 0; i < this.#size; i++) yield this.#slots[(this.#head + i) & (this.#slots.length - 1)] as T;
  }

  #resize(capacity: number): void {
    const slots: (T | undefined)[] = new Array(capacity);
    for (let i = 0; i < this.#size; i++) slots[i] = this.#slots[(this.#head + i) & (this.#slots.length - 1)];
    this.#slots = slots;
    this.#head = 0;
  }
}
