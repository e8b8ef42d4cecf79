// The loop 38 controllers upstream have a copy of, written once: takes keys, reconciles them, and decides what becomes of each.
//
// - well: forgotten, and looked at again after `requeueAfterMs` if the plan said so;
// - failed, conflicts included: again with back-off, until the retry policy gives up;
//   Until then only what others do brings it back sooner: the echo of its own writes does not, or a key that writes something
//   and then fails would go round as fast as it can;
// - not ready, because caches are behind its own writes: later, and that is no failure;
// - a queue with a period has one key, "": after each time, well or not, it comes again after the period.
import { type Clock, isAborted, type Log, type Metrics, TimeoutError, timeoutSignal, toError } from "../base/index.ts";
import type { Change, ControllerQueue, RetryPolicy } from "../contract/index.ts";
import {
  type AddOptions,
  bucketRateLimiter,
  exponentialRateLimiter,
  maxOfRateLimiter,
  type RateLimiter,
  RateLimitingQueue,
} from "../workqueue/index.ts";
import type { DriverMetrics, ReconcileResult } from "./driver-metrics.ts";
import { PanicError, type Reconciled } from "./reconcile.ts";

export interface QueueWorkerOptions {
  readonly name: string;
  readonly definition: ControllerQueue<unknown>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly counted: DriverMetrics;
  readonly reconcileTimeoutMs: number;
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Reconciled>;
  /** Whether a change is only what the key itself has written. */
  readonly isEcho: (key: string, change: Change) => boolean;
}

export class QueueWorker implements Disposable {
  readonly queue: RateLimitingQueue<string>;
  readonly #options: QueueWorkerOptions;
  readonly #maxTries: number;
  readonly #limiter: RateLimiter<string>;
  /** Keys that failed, and until when they wait. */
  readonly #retryAtMs = new Map<string, number>();
  /** Keys being worked on, and what happened to them meanwhile. */
  readonly #heard = new Map<string, Change[]>();

  constructor(options: QueueWorkerOptions) {
    const { name, definition, clock, metrics } = options;
    this.#options = options;
    this.#maxTries = definition.retry.maxTries ?? Number.POSITIVE_INFINITY;
    this.#limiter = rateLimiterOf(definition.retry, clock);
    this.queue = new RateLimitingQueue<string>({ clock, name, metrics, rateLimiter: this.#limiter, priorities: {} });
  }

  /** Looks at a key because of a change; at once, unless it failed and the change is its own doing. */
  wake(key: string, change: Change, options?: AddOptions): void {
    const heard = this.#heard.get(key);
    // Whether it is an echo is known when the work is over: a watch may be quicker than an answer.
    if (heard !== undefined) heard.push(change);
    else if (!this.#isBackingOff(key) || !this.#options.isEcho(key, change)) this.queue.add(key, options);
  }

  /** One worker, until the queue is shut down and empty, or the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (let key = await this.queue.get(signal); key !== undefined; key = await this.queue.get(signal)) {
      try {
        await this.#work(key, signal);
      } finally {
        this.queue.done(key);
      }
    }
  }

  [Symbol.dispose](): void {
    this.queue[Symbol.dispose]();
  }

  async #work(key: string, signal: AbortSignal): Promise<void> {
    const { clock, counted, definition, reconcileTimeoutMs: limitMs, log } = this.#options;
    const startMs = clock.monotonic();
    counted.active.inc();
    let result: ReconcileResult = "error";
    const heard: Change[] = [];
    this.#heard.set(key, heard);
    try {
      using limit = timeoutSignal(signal, limitMs, { clock: guardClock(clock), what: `reconcile of ${key}` });
      result = this.#settle(key, await this.#options.reconcile(key, limit.signal));
    } catch (error) {
      if (isAborted(error, signal)) return;
      if (error instanceof TimeoutError) counted.timeouts.inc();
      if (error instanceof PanicError) counted.panics.inc();
      this.#retry(key, toError(error));
    } finally {
      this.#heard.delete(key);
      const others = result === "error" ? heard.filter((change) => !this.#options.isEcho(key, change)) : heard;
      if (others.length > 0) this.queue.add(key);
      counted.active.dec();
      counted.time.observe((clock.monotonic() - startMs) / 1000);
      counted.total(result);
      if (definition.everyMs !== undefined && !signal.aborted) this.queue.addAfter(key, definition.everyMs);
    }
    log.debug("reconciled", { key, result });
  }

  #settle(key: string, reconciled: Reconciled): ReconcileResult {
    if (reconciled.kind === "stale") {
      this.queue.addAfter(key, reconciled.waitMs);
      return "stale";
    }
    if (reconciled.kind === "done" && reconciled.error !== undefined) {
      this.#retry(key, reconciled.error);
      return "error";
    }
    this.#forget(key);
    const afterMs = reconciled.kind === "done" ? reconciled.requeueAfterMs : undefined;
    if (afterMs === undefined) return "success";
    this.queue.addAfter(key, afterMs);
    return "requeue_after";
  }

  #retry(key: string, error: Error): void {
    const { counted, log, definition } = this.#options;
    counted.errors.inc();
    if (definition.everyMs !== undefined) {
      log.warn("sweep failed", { error });
      return;
    }
    const tries = this.queue.numRequeues(key) + 1;
    if (tries >= this.#maxTries) {
      log.warn("reconcile failed, given up", { key, tries, error });
      this.#forget(key);
      return;
    }
    log.warn("reconcile failed", { key, tries, error });
    const delayMs = this.#limiter.when(key);
    this.#retryAtMs.set(key, this.#options.clock.monotonic() + delayMs);
    this.queue.addAfter(key, delayMs);
  }

  /** Failed, and not to be tried again yet. */
  #isBackingOff(key: string): boolean {
    return (this.#retryAtMs.get(key) ?? 0) > this.#options.clock.monotonic();
  }

  #forget(key: string): void {
    this.queue.forget(key);
    this.#retryAtMs.delete(key);
  }
}

function rateLimiterOf(policy: RetryPolicy, clock: Clock): RateLimiter<string> {
  const { baseMs = 5, maxMs = 1_000_000, bucket = { qps: 10, burst: 100 } } = policy;
  const each = exponentialRateLimiter<string>({ baseMs, maxMs });
  return bucket === "none" ? each : maxOfRateLimiter(each, bucketRateLimiter<string>(bucket, clock));
}

const guardClock = (clock: Clock) => clock.labelled({ kind: "background", name: "reconcile deadline" });
