// The queue controllers use: a WorkQueue whose keys can also be asked for later, after a delay or after as long as a rate
// limiter says.
//
// Promises, beside WorkQueue's: of several delays of one key the shortest counts; a plain `add` leaves a delay that is pending
// in place, so the key comes once more when it is due; shutting down drops what is still delayed; a key that is put back while
// it is being worked on keeps the priority it was taken with.
import { type Clock, KubeloopError, type Metrics, noMetrics } from "../base/index.ts";
import { DelayLine } from "./delay-line.ts";
import { PriorityOrder, type PriorityOrderOptions } from "./priority-order.ts";
import { queueMetrics } from "./queue-metrics.ts";
import { noQueueObserver, type QueueObserver } from "./queue-observer.ts";
import { defaultControllerRateLimiter, type RateLimiter } from "./rate-limiters.ts";
import { FifoOrder, type QueueKey, type ReadyOrder } from "./ready-order.ts";
import { type AddOptions, type KeyInFlight, WorkQueue } from "./work-queue.ts";

export interface RateLimitingQueueOptions<K extends QueueKey> {
  readonly clock: Clock;
  /** For metrics and timers. Without one, nothing is counted. */
  readonly name?: string | undefined;
  readonly metrics?: Metrics | undefined;
  /** 5 ms × 2^failures to 1000 s for each key, 10 a second for all, unless given. */
  readonly rateLimiter?: RateLimiter<K> | undefined;
  /** Priorities, ageing and fairness; first in, first out unless given. */
  readonly priorities?: PriorityOrderOptions<K> | undefined;
}

export class RateLimitingQueue<K extends QueueKey> implements Disposable {
  readonly #queue: WorkQueue<K>;
  readonly #delayed: DelayLine<K>;
  readonly #limiter: RateLimiter<K>;
  readonly #observer: QueueObserver<K>;
  readonly #metrics: Disposable | undefined;

  constructor(options: RateLimitingQueueOptions<K>) {
    const { clock, name = "", metrics, priorities } = options;
    const isCounted = metrics !== undefined && metrics !== noMetrics && name !== "";
    const counted = isCounted ? queueMetrics<K>(metrics, name, clock) : undefined;
    const order: ReadyOrder<K> = priorities === undefined ? new FifoOrder<K>() : new PriorityOrder<K>(priorities);
    this.#metrics = counted;
    this.#observer = counted ?? noQueueObserver;
    this.#queue = new WorkQueue<K>({ clock, order, observer: this.#observer });
    this.#limiter = options.rateLimiter ?? defaultControllerRateLimiter<K>(clock);
    this.#delayed = new DelayLine<K>({
      clock: clock.labelled({ kind: "work", name: `delayed keys${name === "" ? "" : ` of ${name}`}` }),
      onDue: (key, priority) => this.#queue.add(key, { priority }),
    });
  }

  /** How many keys wait to be taken; neither delayed ones nor those being worked on. */
  get size(): number {
    return this.#queue.size;
  }

  get delayedSize(): number {
    return this.#delayed.size;
  }

  get isShutDown(): boolean {
    return this.#queue.isShutDown;
  }

  add(key: K, options?: AddOptions): void {
    this.#queue.add(key, options);
  }

  /** Adds the key when the time has passed; at once for nothing or less. */
  addAfter(key: K, delayMs: number, options?: AddOptions): void {
    if (Number.isNaN(delayMs)) throw notANumber(key);
    if (this.#queue.isShutDown) return;
    this.#observer.retried();
    const priority = options?.priority ?? this.#queue.priorityInFlight(key);
    if (delayMs <= 0) this.#queue.add(key, { priority });
    else this.#delayed.add(key, delayMs, priority);
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
    this.#delayed[Symbol.dispose]();
    this.#queue.shutDown();
  }

  /** Shuts down and waits until every key that waited has been handed out and is done. */
  async drain(signal: AbortSignal): Promise<void> {
    this.shutDown();
    await this.#queue.drain(signal);
  }

  /** Shuts down, and takes its metrics away. */
  [Symbol.dispose](): void {
    this.shutDown();
    this.#metrics?.[Symbol.dispose]();
  }
}

function notANumber(key: QueueKey): KubeloopError {
  return new KubeloopError(`delay of ${String(key)} is not a number`, { reason: "Invalid", retry: "never" });
}
