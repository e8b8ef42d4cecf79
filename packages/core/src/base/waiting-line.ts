// A FIFO queue of waiters in a linked list. A waiter can leave from any position, for example when its signal aborts. Joining, leaving
// and taking the first waiter are O(1), and a waiter that left is not retained.

/** The entry of one waiter; needed to leave the line. */
export interface WaitingEntry<T> {
  readonly item: T;
  /** True after `leave`, and after `shift` returned the item. */
  readonly hasLeft: boolean;
}

interface Link<T> extends WaitingEntry<T> {
  hasLeft: boolean;
  previous: Link<T> | undefined;
  next: Link<T> | undefined;
}

export class WaitingLine<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  join(item: T): WaitingEntry<T> {
    const link: Link<T> = { item, hasLeft: false, previous: this.#last, next: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    this.#size++;
    return link;
  }

  /** Does nothing if the entry has already left. */
  leave(entry: WaitingEntry<T>): void {
    const link = entry as Link<T>;
    if (link.hasLeft) return;
    link.hasLeft = true;
    if (link.previous === undefined) this.#first = link.next;
    else link.previous.next = link.next;
    if (link.next === undefined) this.#last = link.previous;
    else link.next.previous = link.previous;
    link.previous = undefined;
    link.next = undefined;
    this.#size--;
  }

  /** Removes and returns the item that has waited longest. */
  shift(): T | undefined {
    const first = this.#first;
    if (first === undefined) return undefined;
    this.leave(first);
    return first.item;
  }
}
