// The order in which a queue hands out its waiting keys. The queue never adds a key that already waits.
//
// FifoOrder is first in, first out. `PriorityOrder` (priority-order.ts) adds priority levels, ageing and fairness between groups.
import { RingBuffer } from "../base/index.ts";

/** The type of a queue's keys: a primitive, so that equal keys are the same key. */
export type QueueKey = string | number | bigint;

export interface ReadyOrder<K extends QueueKey> {
  /** Whether `push` uses the time. */
  readonly needsTime: boolean;
  /** The number of waiting keys, including keys that may not be taken yet. */
  readonly size: number;
  push(key: K, priority: number, nowMs: number): void;
  /** A waiting key was added again with a higher priority. */
  raise(key: K, priority: number): void;
  /** Removes and returns the next key. Undefined if no key may be taken now. */
  pop(nowMs: number): K | undefined;
  /** A key that was popped is done, so its group may be below its limit again. */
  release(key: K): void;
}

/** First in, first out. Ignores priorities. */
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
