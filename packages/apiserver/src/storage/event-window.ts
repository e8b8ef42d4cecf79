// The events of one collection that are still known, numbered in the order they happened, without gaps. New ones come at the end,
// old ones are forgotten from the beginning; a number is never given to another event. Finding one by its number is O(1), by its
// revision O(log n).
import type { StorageEvent } from "./storage.ts";

const smallestCapacity = 16;

export class EventWindow {
  /** The event numbered n is in slot n modulo the capacity, which is a power of two. */
  #slots: (StorageEvent | undefined)[] = [];
  #first: number;
  #next: number;

  /** Empty; its first event will have the number `first`. */
  constructor(first: number) {
    this.#first = first;
    this.#next = first;
  }

  /** The number of the oldest event that is known, or of the next if there is none. */
  get first(): number {
    return this.#first;
  }

  /** The number the next event will have. */
  get next(): number {
    return this.#next;
  }

  push(event: StorageEvent): void {
    const size = this.#next - this.#first;
    if (size === this.#slots.length) this.#resize(Math.max(smallestCapacity, size * 2));
    this.#slots[this.#slotOf(this.#next)] = event;
    this.#next++;
  }

  at(position: number): StorageEvent | "forgotten" | undefined {
    if (position < this.#first) return "forgotten";
    return position < this.#next ? this.#slots[this.#slotOf(position)] : undefined;
  }

  /** Gives it back for the last time. */
  forgetFirst(): StorageEvent | undefined {
    if (this.#first === this.#next) return undefined;
    const slot = this.#slotOf(this.#first);
    const event = this.#slots[slot];
    this.#slots[slot] = undefined;
    this.#first++;
    const size = this.#next - this.#first;
    if (size === 0) this.#slots = [];
    else if (this.#slots.length > smallestCapacity && size <= this.#slots.length >> 2)
      this.#resize(this.#slots.length >> 1);
    return event;
  }

  /** The number of the first event after this revision, be it known or still to come. Only for revisions whose events are known. */
  positionAfter(revision: number): number {
    let low = this.#first;
    let high = this.#next;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#slots[this.#slotOf(middle)] as StorageEvent).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #slotOf(position: number): number {
    return position & (this.#slots.length - 1);
  }

  #resize(capacity: number): void {
    const slots: (StorageEvent | undefined)[] = new Array(capacity);
    for (let position = this.#first; position < this.#next; position++) {
      slots[position & (capacity - 1)] = this.#slots[this.#slotOf(position)];
    }
    this.#slots = slots;
  }
}
