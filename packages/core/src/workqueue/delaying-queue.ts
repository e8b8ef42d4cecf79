// A WorkQueue whose keys can also be added after a delay: client-go's TypedDelayingInterface. For callers that compute the delay themselves;
// in a RateLimitingQueue a rate limiter computes it.
//
// Promises, in addition to WorkQueue's: if a key is added with several delays, the shortest counts. A plain `add` does not cancel a pending
// delay, so the key is handed out once more when the delay ends. Shutting down drops delayed keys. A key that is added again while a
// worker has it keeps the priority with which it was taken, unless another is given.
import { type Clock, KubeloopError, type Metrics, noMetrics } from "../base/index.ts";
import { DelayedKeys } from "./delayed-keys.ts";
import { PriorityOrder, type PriorityOrderOptions } from "./priority-order.ts";
import { queueMetrics } from "./queue-metrics.ts";
import { noQueueObserver, type QueueObserver } from "./queue-observer.ts";
import { FifoOrder, type QueueKey, type ReadyOrder } from "./ready-order.ts";
import { type AddOptions, type KeyInFlight, WorkQueue } from "./work-queue.ts";

export interface DelayingQueueOptions<K extends QueueKey> {
  readonly clock: Clock;
  /** The name in metrics and timer labels. Without a name, nothing is counted. */
  readonly name?: string | undefined;
  readonly metrics?: Metrics | undefined;
  /** Priorities, ageing and fairness. Default: first in, first out. */
  readonly priorities?: PriorityOrderOptions<K> | undefined;
}

export interface AddAfterOptions extends AddOptions {
  /**
   * Whether nobody waits for the key: it is looked at from time to time, for ever. Its timer is a background timer, so a simulation or a cluster in a test
   * is idle although the key will come again.
   */
  readonly isRoutine?: boolean | undefined;
}

export class DelayingQueue<K extends QueueKey> implements Disposable {
  readonly #queue: WorkQueue<K>;
  readonly #delayed: DelayedKeys<K>;
  /** Those that nobody waits for. A key that is here and in `#delayed` comes once, at the earlier time. */
  readonly #routine: DelayedKeys<K>;
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
    const timer = `delayed keys${name === "" ? "" : ` of ${name}`}`;
    this.#delayed = new DelayedKeys<K>({
      clock: clock.labelled({ kind: "work", name: timer }),
      onDue: (key, priority) => {
        this.#routine.delete(key);
        this.#queue.add(key, { priority });
      },
    });
    this.#routine = new DelayedKeys<K>({
      clock: clock.labelled({ kind: "background", name: timer }),
      onDue: (key, priority) => {
        this.#delayed.delete(key);
        this.#queue.add(key, { priority });
      },
    });
  }

  /** The number of waiting keys, without delayed keys and keys that workers have. */
  get size(): number {
    return this.#queue.size;
  }

  get delayedSize(): number {
    return this.#delayed.size + this.#routine.size;
  }

  get isShutDown(): boolean {
    return this.#queue.isShutDown;
  }

  add(key: K, options?: AddOptions): void {
    this.#queue.add(key, options);
  }

  /** Adds the key after `delayMs`; immediately if that is zero or negative. */
  addAfter(key: K, delayMs: number, options?: AddAfterOptions): void {
    if (Number.isNaN(delayMs)) throw notANumber(key);
    if (this.#queue.isShutDown) return;
    this.#observer.retried();
    const priority = options?.priority ?? this.#queue.priorityInFlight(key);
    if (delayMs <= 0) this.#queue.add(key, { priority });
    else (options?.isRoutine === true ? this.#routine : this.#delayed).add(key, delayMs, priority);
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
    this.#routine[Symbol.dispose]();
    this.#queue.shutDown();
  }

  /** Shuts down, which drops delayed keys, and waits until every other key has been handed out and is done. */
  async drain(signal: AbortSignal): Promise<void> {
    this.shutDown();
    await this.#queue.drain(signal);
  }

  /** Shuts down, and removes the queue's metrics. */
  [Symbol.dispose](): void {
    this.shutDown();
    this.#metrics?.[Symbol.dispose]();
  }
}

function notANumber(key: QueueKey): KubeloopError {
  return new KubeloopError(`delay of ${String(key)} is not a number`, { reason: "Invalid", retry: "never" });
}
