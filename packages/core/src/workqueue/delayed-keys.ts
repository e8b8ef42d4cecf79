// Keys that are added to the queue later. If a key is added twice, the earlier time wins. All keys share one timer, however
// many there are and however long they wait.
import { type Clock, KeyedHeap } from "../base/index.ts";
import type { QueueKey } from "./ready-order.ts";

interface Delayed<K> {
  readonly key: K;
  readonly dueMs: number;
  readonly order: number;
  readonly priority: number | undefined;
}

export interface DelayedKeysOptions<K> {
  readonly clock: Clock;
  /** Called when a key is due. Keys that are due together come by due time, then in the order they were added. */
  readonly onDue: (key: K, priority: number | undefined) => void;
}

export class DelayedKeys<K extends QueueKey> implements Disposable {
  readonly #clock: Clock;
  readonly #onDue: (key: K, priority: number | undefined) => void;
  readonly #waiting = new KeyedHeap<K, Delayed<K>>({
    keyOf: (item) => item.key,
    compare: (a, b) => a.dueMs - b.dueMs || a.order - b.order,
  });
  #made = 0;
  #timer: { readonly dueMs: number; readonly handle: Disposable } | undefined;

  constructor(options: DelayedKeysOptions<K>) {
    this.#clock = options.clock;
    this.#onDue = options.onDue;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** For a key that is already delayed: the earlier of the two times and the higher of the two priorities win. */
  add(key: K, delayMs: number, priority: number | undefined): void {
    const dueMs = this.#clock.monotonic() + delayMs;
    const before = this.#waiting.get(key);
    if (before === undefined) this.#waiting.set({ key, dueMs, order: this.#made++, priority });
    else {
      const isEarlier = dueMs < before.dueMs;
      const highest = higherOf(before.priority, priority);
      if (!isEarlier && highest === before.priority) return;
      this.#waiting.set({ ...before, dueMs: isEarlier ? dueMs : before.dueMs, priority: highest });
    }
    this.#setTimer();
  }

  delete(key: K): void {
    if (this.#waiting.remove(key) === undefined || this.#waiting.size > 0) return;
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** Drops all delayed keys. */
  [Symbol.dispose](): void {
    this.#waiting.clear();
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = undefined;
  }

  #setTimer(): void {
    const first = this.#waiting.peek();
    if (first === undefined || this.#timer?.dueMs === first.dueMs) return;
    this.#timer?.handle[Symbol.dispose]();
    const delayMs = first.dueMs - this.#clock.monotonic();
    this.#timer = { dueMs: first.dueMs, handle: this.#clock.after(delayMs, () => this.#release()) };
  }

  #release(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonic();
    for (let first = this.#waiting.peek(); first !== undefined && first.dueMs <= nowMs; first = this.#waiting.peek()) {
      this.#waiting.pop();
      this.#onDue(first.key, first.priority);
    }
    this.#setTimer();
  }
}

function higherOf(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}
