// The queue that controllers use: a DelayingQueue with `addRateLimited`, whose delay a rate limiter computes.

import type { AddAfterOptions } from "./delaying-queue.ts";
import { DelayingQueue, type DelayingQueueOptions } from "./delaying-queue.ts";
import { defaultControllerRateLimiter, type RateLimiter } from "./rate-limiters.ts";
import type { QueueKey } from "./ready-order.ts";
import type { AddOptions, KeyInFlight } from "./work-queue.ts";

export interface RateLimitingQueueOptions<K extends QueueKey> extends DelayingQueueOptions<K> {
  /** Default: 5 ms × 2^failures up to 1000 s for each key, and 10 per second for all keys. */
  readonly rateLimiter?: RateLimiter<K> | undefined;
}

export class RateLimitingQueue<K extends QueueKey> implements Disposable {
  readonly #queue: DelayingQueue<K>;
  readonly #limiter: RateLimiter<K>;

  constructor(options: RateLimitingQueueOptions<K>) {
    this.#queue = new DelayingQueue<K>(options);
    this.#limiter = options.rateLimiter ?? defaultControllerRateLimiter<K>(options.clock);
  }

  /** The number of waiting keys, without delayed keys and keys that workers have. */
  get size(): number {
    return this.#queue.size;
  }

  get delayedSize(): number {
    return this.#queue.delayedSize;
  }

  get isShutDown(): boolean {
    return this.#queue.isShutDown;
  }

  add(key: K, options?: AddOptions): void {
    this.#queue.add(key, options);
  }

  /** Adds the key after `delayMs`; immediately if that is zero or negative. */
  addAfter(key: K, delayMs: number, options?: AddAfterOptions): void {
    this.#queue.addAfter(key, delayMs, options);
  }

  /** Adds the key after the delay that the rate limiter returns. */
  addRateLimited(key: K, options?: AddOptions): void {
    this.addAfter(key, this.#limiter.when(key), options);
  }

  /** The key has succeeded: its next failure waits as long as the first did. Does not replace `done`, which must also be called. */
  forget(key: K): void {
    this.#limiter.forget(key);
  }

  numRequeues(key: K): number {
    return this.#limiter.numRequeues(key);
  }

  take(): K | undefined {
    return this.#queue.take();
  }

  get(signal: AbortSignal): Promise<K | undefined> {
    return this.#queue.get(signal);
  }

  done(key: K): void {
    this.#queue.done(key);
  }

  inFlight(): readonly KeyInFlight<K>[] {
    return this.#queue.inFlight();
  }

  shutDown(): void {
    this.#queue.shutDown();
  }

  /** Shuts down, which drops delayed keys, and waits until every other key has been handed out and is done. */
  async drain(signal: AbortSignal): Promise<void> {
    await this.#queue.drain(signal);
  }

  /** Shuts down, and removes the queue's metrics. */
  [Symbol.dispose](): void {
    this.#queue[Symbol.dispose]();
  }
}
