// A WorkQueue whose keys can also be added later: client-go's TypedDelayingInterface. For whoever decides the delays; RateLimitingQueue has a
// rate limiter decide them.
//
// Promises, beside WorkQueue's: of several delays of one key the shortest counts; a plain `add` leaves a delay that is pending
// in place, so the key comes once more when it is due; shutting down drops what is still delayed; a key that is put back while
// it is being worked on keeps the priority it was taken with.
import { type Clock, KubeloopError, type Metrics, noMetrics } from "../base/index.ts";
import { DelayLine } from "./delay-line.ts";
import { PriorityOrder, type PriorityOrderOptions } from "./priority-order.ts";
import { queueMetrics } from "./queue-metrics.ts";
import { noQueueObserver, type QueueObserver } from "./queue-observer.ts";
import { FifoOrder, type QueueKey, type ReadyOrder } from "./ready-order.ts";
import { type AddOptions, type KeyInFlight, WorkQueue } from "./work-queue.ts";

export interface DelayingQueueOptions<K extends QueueKey> {
  readonly clock: Clock;
  /** For metrics and timers. Without one, nothing is counted. */
  readonly name?: string | undefined;
  readonly metrics?: Metrics | undefined;
  /** Priorities, ageing and fairness; first in, first out unless given. */
  readonly priorities?: PriorityOrderOptions<K> | undefined;
}

export class DelayingQueue<K extends QueueKey> implements Disposable {
  readonly #queue: WorkQueue<K>;
  readonly #delayed: DelayLine<K>;
  readonly #observer: QueueObserver<K>;
  readonly #metrics: Disposable | undefined;

  constructor(options: DelayingQueueOptions<K>) {
    const { clock, name = "", metrics, priorities } = options;
    const isCounted = metrics !== undefined && metrics !== noMetrics && name !== "";
    const counted = isCounted ? queueMetrics<K>(metrics, name, clock) : undefined;
    const order: ReadyOrder<K> = priorities === undefined ? new FifoOrder<K>() : new PriorityOrder<K>(priorities);
    this.#metrics = counted;
    this.#observer = counted ?? noQueueObserver;
    this.#queue = new WorkQueue<K>({ clock, order, observer: this.#observer });
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
