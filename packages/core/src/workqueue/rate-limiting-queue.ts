// The queue controllers use: a DelayingQueue whose keys can also be asked for after as long as a rate limiter says.
import { DelayingQueue, type DelayingQueueOptions } from "./delaying-queue.ts";
import { defaultControllerRateLimiter, type RateLimiter } from "./rate-limiters.ts";
import type { QueueKey } from "./ready-order.ts";
import type { AddOptions, KeyInFlight } from "./work-queue.ts";

export interface RateLimitingQueueOptions<K extends QueueKey> extends DelayingQueueOptions<K> {
  /** 5 ms × 2^failures to 1000 s for each key, 10 a second for all, unless given. */
  readonly rateLimiter?: RateLimiter<K> | undefined;
}

export class RateLimitingQueue<K extends QueueKey> implements Disposable {
  readonly #queue: DelayingQueue<K>;
  readonly #limiter: RateLimiter<K>;

  constructor(options: RateLimitingQueueOptions<K>) {
    this.#queue = new DelayingQueue<K>(options);
    this.#limiter = options.rateLimiter ?? defaultControllerRateLimiter<K>(options.clock);
  }

  /** How many keys wait to be taken; neither delayed ones nor those being worked on. */
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

  /** Adds the key when the time has passed; at once for nothing or less. */
  addAfter(key: K, delayMs: number, options?: AddOptions): void {
    this.#queue.addAfter(key, delayMs, options);
  }

  /** Adds the key when the rate limiter says it may be tried again. */
  addRateLimited(key: K, options?: AddOptions): void {
    this.addAfter(key, this.#limiter.when(key), options);
  }

  /** The key is well: the next failure waits as the first did. Has nothing to do with `done`, which is called as well. */
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

  /** Shuts down and waits until every key that waited has been handed out and is done. */
  async drain(signal: AbortSignal): Promise<void> {
    await this.#queue.drain(signal);
  }

  /** Shuts down, and takes its metrics away. */
  [Symbol.dispose](): void {
    this.#queue[Symbol.dispose]();
  }
}
