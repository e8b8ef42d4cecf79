// A line of people: first come, first served, and whoever is tired of waiting leaves from anywhere in it. Joining, leaving
// and taking the first are O(1), and nobody who left is held on to.

/** Where one stands in a line; needed to leave it. */
export interface Place<T> {
  readonly item: T;
  /** No longer in line: served, or gone. */
  readonly hasLeft: boolean;
}

interface Link<T> extends Place<T> {
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

  join(item: T): Place<T> {
    const link: Link<T> = { item, hasLeft: false, previous: this.#last, next: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    this.#size++;
    return link;
  }

  /** Does nothing for a place of somebody who has left. */
  leave(place: Place<T>): void {
    const link = place as Link<T>;
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

  /** Takes the one who has waited longest. */
  shift(): T | undefined {
    const first = this.#first;
    if (first === undefined) return undefined;
    this.leave(first);
    return first.item;
  }
}
