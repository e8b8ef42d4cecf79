// A FIFO buffer in one array that wraps around. The array doubles when full and halves when three quarters are empty, so that a burst
// does not keep its memory for ever. Items that were taken out are not retained. push and shift are O(1) amortized.

const smallestCapacity = 16;

export class RingBuffer<T> {
  #slots: (T | undefined)[] = new Array(smallestCapacity);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many items fit before the array grows. */
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

  /** Removes and returns the oldest item. Returns `undefined` if the buffer is empty: check `size` where items may be undefined. */
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

  /** Iterates oldest first. Do not change the buffer meanwhile. */
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
