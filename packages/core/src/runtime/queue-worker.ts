// The loop 38 controllers upstream have a copy of, written once: takes keys, reconciles them, and decides what becomes of each.
//
// - well: forgotten, and looked at again after `requeueAfterMs` if the plan said so;
// - failed, conflicts included: again with back-off, until the retry policy gives up. Until then only what others do brings it back
//   sooner: the echo of its own writes does not, or a key that writes something and then fails would go round as fast as it can;
// - failed for good (TerminalError), or given up: it rests until something other than itself wakes it;
// - not ready, because caches are behind its own writes: later, and that is no failure;
// - a queue with a period has one key, "": after each time, well or not, it comes again after the period.
//
// A key whose time is up is told so by its signal, and waited for all the same: another worker must not have it meanwhile.
import { type Clock, isAborted, type Log, type Metrics, timeoutSignal, toError } from "../base/index.ts";
import { type Change, type ControllerQueue, isTerminal, type RetryPolicy } from "../contract/index.ts";
import {
  type AddOptions,
  bucketRateLimiter,
  exponentialRateLimiter,
  maxOfRateLimiter,
  type RateLimiter,
  RateLimitingQueue,
} from "../workqueue/index.ts";
import type { DriverMetrics, ReconcileResult } from "./driver-metrics.ts";
import { PanicError } from "./panic-error.ts";
import type { Reconciled } from "./reconcile.ts";
import type { ControllerSpans } from "./tracing/controller-spans.ts";
import type { Span, SpanContext } from "./tracing/tracer.ts";

export interface QueueWorkerOptions {
  /** Of the queue. */
  readonly name: string;
  readonly metricName: string;
  readonly definition: ControllerQueue<unknown>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly counted: DriverMetrics;
  readonly deadlineMs: number;
  readonly reconcile: (key: string, attempt: Attempt, signal: AbortSignal) => Promise<Reconciled>;
  /** Whether a change is only what the key itself has written. */
  readonly isEcho: (key: string, change: Change) => boolean;
  readonly spans?: ControllerSpans | undefined;
}

export interface Attempt {
  /** How often in a row it has failed before. */
  readonly failures: number;
  readonly span: Span | undefined;
}

export interface WakeOptions extends AddOptions {
  readonly afterMs?: number | undefined;
  /** Why: then it may be the key's own doing. */
  readonly change?: Change | undefined;
  /** What led to it; asked for when it is known whether the key is added at all. */
  readonly span?: (() => SpanContext) | undefined;
}

/** What is remembered of a key that is being worked on: more than the requests that one plan has under way. */
const mostHeard = 128;

export class QueueWorker implements Disposable {
  readonly queue: RateLimitingQueue<string>;
  readonly #options: QueueWorkerOptions;
  readonly #maxTries: number;
  readonly #limiter: RateLimiter<string>;
  /** Keys that failed, and until when they rest; for ever, if they are not tried again. */
  readonly #restUntilMs = new Map<string, number>();
  /** Keys being worked on, and what happened to them meanwhile. */
  readonly #heard = new Map<string, WakeOptions[]>();

  constructor(options: QueueWorkerOptions) {
    const { metricName: name, definition, clock, metrics } = options;
    this.#options = options;
    this.#maxTries = definition.retry.maxTries ?? Number.POSITIVE_INFINITY;
    this.#limiter = rateLimiterOf(definition.retry, clock);
    const priorities = definition.order ?? {};
    this.queue = new RateLimitingQueue<string>({ clock, name, metrics, rateLimiter: this.#limiter, priorities });
  }

  /** Looks at a key; not yet, if it failed and the change is its own doing. */
  wake(key: string, options: WakeOptions = {}): void {
    const { change } = options;
    const heard = this.#heard.get(key);
    // Whether it is an echo is known when the work is over: a watch may be quicker than an answer.
    if (heard !== undefined && change !== undefined) this.#hear(key, heard, options);
    else if (change === undefined || !this.#isResting(key) || !this.#options.isEcho(key, change))
      this.#add(key, options);
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
    const { clock, counted, definition, log } = this.#options;
    const startMs = clock.monotonic();
    counted.active.inc();
    let result: ReconcileResult | "stale" = "error";
    const heard: WakeOptions[] = [];
    this.#heard.set(key, heard);
    try {
      result = await this.#attempt(key, signal);
    } catch (error) {
      if (isAborted(error, signal)) return;
      throw error;
    } finally {
      this.#heard.delete(key);
      for (const each of heard) {
        const isOwn = result === "error" && each.change !== undefined && this.#options.isEcho(key, each.change);
        if (!isOwn) this.#add(key, { ...each, priority: each.priority ?? 0 });
      }
      counted.active.dec();
      // A key that was put off has not been reconciled.
      if (result !== "stale") {
        counted.time.observe((clock.monotonic() - startMs) / 1000);
        counted.total(result);
      }
      if (definition.everyMs !== undefined && !signal.aborted) this.queue.addAfter(key, definition.everyMs);
    }
    log.debug("reconciled", { key, result });
  }

  /** Throws only when the signal has aborted. */
  async #attempt(key: string, signal: AbortSignal): Promise<ReconcileResult | "stale"> {
    const { spans, name, reconcile } = this.#options;
    const failures = this.queue.numRequeues(key);
    let cause: (() => SpanContext) | undefined;
    const guarded = async (span: Span | undefined) => {
      if (span !== undefined) cause = () => span.spanContext();
      return await this.#inTime(key, (limit) => reconcile(key, { failures, span }, limit), signal);
    };
    try {
      const reconciled = await (spans === undefined ? guarded(undefined) : spans.reconcile(name, key, guarded));
      return this.#settle(key, reconciled, cause);
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      if (error instanceof PanicError) this.#options.counted.panics.inc();
      this.#fail(key, toError(error), cause);
      return "error";
    }
  }

  async #inTime<R>(key: string, work: (signal: AbortSignal) => Promise<R>, signal: AbortSignal): Promise<R> {
    const { clock, deadlineMs, counted, log } = this.#options;
    const what = `reconcile of ${key}`;
    using limit = timeoutSignal(signal, deadlineMs, { clock: guardClock(clock), what });
    try {
      return await work(limit.signal);
    } finally {
      if (limit.signal.aborted && !signal.aborted) {
        counted.timeouts.inc();
        log.warn("reconcile took longer than it may", { key, deadlineMs });
      }
    }
  }

  #hear(key: string, heard: WakeOptions[], options: WakeOptions): void {
    if (heard.length >= mostHeard) {
      // One echo is as good as many.
      const isEcho = heard.map(({ change }) => change !== undefined && this.#options.isEcho(key, change));
      const left = heard.filter((_, i) => isEcho[i] === false || i === isEcho.indexOf(true));
      heard.splice(0, heard.length, ...left);
    }
    // So much happens to it that some of it is others' doing.
    if (heard.length >= mostHeard) this.#add(key, options);
    else heard.push(options);
  }

  #settle(key: string, reconciled: Reconciled, span: WakeOptions["span"]): ReconcileResult | "stale" {
    if (reconciled.kind === "stale") {
      this.#add(key, { afterMs: reconciled.waitMs, span });
      return "stale";
    }
    if (reconciled.kind === "done" && reconciled.error !== undefined) {
      this.#fail(key, reconciled.error, span);
      return "error";
    }
    this.#forget(key);
    const afterMs = reconciled.kind === "done" ? reconciled.requeueAfterMs : undefined;
    if (afterMs === undefined) return "success";
    this.#add(key, { afterMs, span });
    return "requeue_after";
  }

  #fail(key: string, error: Error, span: WakeOptions["span"]): void {
    const { counted, log, definition, clock } = this.#options;
    counted.errors.inc();
    const isForGood = isTerminal(error);
    if (isForGood) counted.terminal.inc();
    if (definition.everyMs !== undefined) {
      log.warn("sweep failed", { error });
      return;
    }
    const tries = this.queue.numRequeues(key) + 1;
    if (isForGood || tries >= this.#maxTries) {
      log.warn(isForGood ? "reconcile failed for good" : "reconcile failed, given up", { key, tries, error });
      if (!isForGood) this.queue.forget(key);
      this.#restUntilMs.set(key, Number.POSITIVE_INFINITY);
      return;
    }
    log.warn("reconcile failed", { key, tries, error });
    const afterMs = this.#limiter.when(key);
    this.#restUntilMs.set(key, clock.monotonic() + afterMs);
    this.#add(key, { afterMs, span });
  }

  #add(key: string, { afterMs, priority, span }: WakeOptions): void {
    this.#options.spans?.woken(this.#options.name, key, { by: span?.(), afterMs: afterMs ?? 0 });
    if (afterMs === undefined || (afterMs === 0 && priority !== undefined)) this.queue.add(key, { priority });
    else this.queue.addAfter(key, afterMs, { priority });
  }

  /** Failed, and not to be tried again yet. */
  #isResting(key: string): boolean {
    return (this.#restUntilMs.get(key) ?? 0) > this.#options.clock.monotonic();
  }

  #forget(key: string): void {
    this.queue.forget(key);
    this.#restUntilMs.delete(key);
  }
}

function rateLimiterOf(policy: RetryPolicy, clock: Clock): RateLimiter<string> {
  if (policy.limiter !== undefined) return policy.limiter(clock);
  const { baseMs = 5, maxMs = 1_000_000, bucket = { qps: 10, burst: 100 } } = policy;
  const each = exponentialRateLimiter<string>({ baseMs, maxMs });
  return bucket === "none" ? each : maxOfRateLimiter(each, bucketRateLimiter<string>(bucket, clock));
}

const guardClock = (clock: Clock) => clock.labelled({ kind: "background", name: "reconcile deadline" });
