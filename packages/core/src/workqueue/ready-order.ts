// In which order the keys that wait are handed out. A queue asks one of these; it never holds a key twice.
//
// The plain one is first in, first out. `PriorityOrder` (priority-order.ts) adds levels, ageing and fairness between groups.
import { RingBuffer } from "../base/index.ts";

/** What a queue keys on: a primitive, so that two that look alike are the same. */
export type QueueKey = string | number | bigint;

export interface ReadyOrder<K extends QueueKey> {
  /** Whether `push` looks at the time. */
  readonly needsTime: boolean;
  /** Keys that wait, those that may not be taken yet included. */
  readonly size: number;
  push(key: K, priority: number, nowMs: number): void;
  /** A key that waits was added once more, with a higher priority. */
  raise(key: K, priority: number): void;
  /** The next key, or undefined when none may be taken now. */
  pop(nowMs: number): K | undefined;
  /** A key that was popped is done: its group has room again. */
  release(key: K): void;
}

/** First in, first out; priorities are not looked at. */
export class FifoOrder<K extends QueueKey> implements ReadyOrder<K> {
  readonly needsTime = false;
  readonly #keys = new RingBuffer<K>();

  get size(): number {
    return this.#keys.size;
  }

  push(key: K): void {
    this.#keys.push(key);
  }

  raise(): void {}

  pop(): K | undefined {
    return this.#keys.shift();
  }

  release(): void {}
}
