// The worker loop, of which each upstream controller has its own copy. It takes keys from the queue, reconciles them, and handles the result:
//
// - success: the key's failures are forgotten, and the key is requeued after `requeueAfterMs` if the plan has it;
// - failure, including conflicts: the key is requeued with backoff until the retries are exhausted. Before the retry is due, only changes by
//   others add the key. The echo of its own writes does not, or a key that writes something and then fails would loop without any delay;
// - terminal failure (TerminalError), or retries exhausted: the key is not retried until something other than its own writes adds it;
// - stale, because the caches do not show the key's own writes yet or have not synced: the key is requeued, and this is not a failure;
// - a sweep has one key, "": after each reconcile, successful or not, it is added again after the period.
//
// If the deadline of a key has passed, its signal aborts, but the worker still waits for the reconcile to end, because no other worker may
// process the key meanwhile. Reconciles that do not have to wait run synchronously, key after key; the loop yields to the event loop every few
// milliseconds.
import { isConflict } from "../api/index.ts";
import {
  type Clock,
  isAborted,
  type Log,
  type Metrics,
  noLog,
  noMetrics,
  toError,
  YieldBudget,
} from "../base/index.ts";
import { type ControllerQueue, isTerminal, type RetryPolicy } from "../contract/for-drivers.ts";
import type { Change } from "../contract/index.ts";
import {
  type AddAfterOptions,
  bucketRateLimiter,
  exponentialRateLimiter,
  maxOfRateLimiter,
  type RateLimiter,
  RateLimitingQueue,
} from "../workqueue/index.ts";
import { PanicError } from "./panic-error.ts";
import type { Reconciled } from "./reconcile.ts";
import { Attempt } from "./reconcile-attempt.ts";
import type { DriverMetrics, ReconcileResult } from "./reconcile-metrics.ts";
import type { ControllerSpans } from "./tracing/controller-spans.ts";
import type { SpanContext } from "./tracing/tracer.ts";

export interface QueueWorkerOptions {
  /** The name of the queue. */
  readonly name: string;
  readonly metricName: string;
  readonly definition: Pick<ControllerQueue, "retry" | "order" | "everyMs">;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly counted: DriverMetrics;
  readonly deadlineMs: number;
  readonly reconcile: (attempt: Attempt) => Reconciled | Promise<Reconciled>;
  /** Returns whether a change is only the echo of what the key itself has written since it last succeeded. */
  readonly isEcho: (key: string, change: Change) => boolean;
  readonly succeeded: (key: string) => void;
  readonly spans?: ControllerSpans | undefined;
}

export interface WakeOptions extends AddAfterOptions {
  readonly afterMs?: number | undefined;
  /** The change that adds the key, if there is one. It may be the echo of the key's own write. */
  readonly change?: Change | undefined;
  /** Returns the span that caused the wake. Called only if the key is really added. */
  readonly span?: (() => SpanContext) | undefined;
}

type Result = ReconcileResult | "stale";

const neverAgain = { requeueAfterMs: undefined, isRoutine: undefined };

/** How many wakes are remembered for a key being processed; more than the requests that one plan has in flight. */
const mostPending = 128;
/** From this number of conflicts in a row on, a warning is logged, because it is no longer a coincidence. */
const manyConflicts = 10;
const nonePending: readonly WakeOptions[] = [];

export class QueueWorker implements Disposable {
  readonly queue: RateLimitingQueue<string>;
  readonly #options: QueueWorkerOptions;
  readonly #deadlineClock: Clock;
  readonly #maxTries: number;
  readonly #limiter: RateLimiter<string>;
  /** Keys that failed, with the time until which an echo does not add them; infinite if the key is not retried. */
  readonly #failedUntilMs = new Map<string, number>();
  /** Keys whose reconcile is asynchronous and in progress, with the wakes that were received meanwhile. */
  readonly #pending = new Map<string, readonly WakeOptions[]>();
  /** Keys that were delayed because a cache has not synced. */
  readonly #unsynced = new Set<string>();

  constructor(options: QueueWorkerOptions) {
    const { metricName: name, definition, clock, metrics } = options;
    this.#options = options;
    this.#deadlineClock = clock.labelled({ kind: "background", name: "reconcile deadline" });
    this.#maxTries = definition.retry.maxTries ?? Number.POSITIVE_INFINITY;
    this.#limiter = rateLimiterOf(definition.retry, clock);
    const priorities = definition.order ?? {};
    this.queue = new RateLimitingQueue<string>({ clock, name, metrics, rateLimiter: this.#limiter, priorities });
  }

  /** Adds a key to the queue. After a failure, a change that is only the echo of the key's own write is dropped until the retry is due. */
  wake(key: string, options: WakeOptions = {}): void {
    const { change } = options;
    const pending = change === undefined ? undefined : this.#pending.get(key);
    if (change === undefined) this.#add(key, options);
    // Only when the reconcile is done is it known whether the change is an echo: the watch event may arrive before the answer to the write.
    else if (pending !== undefined) this.#remember(key, pending, options);
    else if (!this.#isFailing(key) || !this.#options.isEcho(key, change)) this.#add(key, options);
  }

  /** Adds the keys that were delayed because a cache had not synced. */
  wakeUnsynced(): void {
    const keys = [...this.#unsynced];
    this.#unsynced.clear();
    for (const key of keys) this.queue.add(key);
  }

  /** Runs one worker until the queue is shut down and empty, or the signal aborts. A reconcile in progress then continues until `work` aborts. */
  async run(signal: AbortSignal, work: AbortSignal = signal): Promise<void> {
    const budget = new YieldBudget(this.#options.clock);
    while (!signal.aborted) {
      const key = this.queue.take() ?? (await this.queue.get(signal));
      if (key === undefined) return;
      try {
        const working = this.#process(key, work);
        if (working !== undefined) await working;
      } finally {
        this.queue.done(key);
      }
      if (budget.isUsedUp()) await budget.yield();
    }
  }

  [Symbol.dispose](): void {
    this.queue[Symbol.dispose]();
  }

  /** Returns a promise only if the reconcile has to wait for something. */
  #process(key: string, signal: AbortSignal): undefined | Promise<void> {
    const { clock, counted, deadlineMs } = this.#options;
    const startMs = clock.monotonic();
    counted.active.inc();
    const failures = this.queue.numRequeues(key);
    const attempt = new Attempt({ key, failures, startMs, deadlineMs, clock: this.#deadlineClock }, signal);
    try {
      const reconciled = this.#reconcile(attempt);
      if (reconciled instanceof Promise) return this.#processLater(attempt, reconciled, startMs, signal);
      this.#end(key, startMs, this.#handleResult(attempt, reconciled));
    } catch (error) {
      if (isAborted(error, signal)) counted.active.dec();
      else this.#end(key, startMs, this.#fail(attempt, toError(error)));
    }
    return undefined;
  }

  #reconcile(attempt: Attempt): Reconciled | Promise<Reconciled> {
    const { spans, name, reconcile } = this.#options;
    if (spans === undefined) return reconcile(attempt);
    return spans.reconcile(name, attempt.key, async (span) => {
      attempt.span = span;
      return await reconcile(attempt);
    });
  }

  async #processLater(
    attempt: Attempt,
    reconciling: Promise<Reconciled>,
    startMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { key } = attempt;
    const { counted } = this.#options;
    this.#pending.set(key, nonePending);
    let result: Result;
    let pending = nonePending;
    // Not `using`: the code that the compiler generates for it costs more than a decision.
    try {
      result = this.#handleResult(attempt, await reconciling);
    } catch (error) {
      if (isAborted(error, signal)) {
        counted.active.dec();
        return;
      }
      result = this.#fail(attempt, toError(error));
    } finally {
      attempt[Symbol.dispose]();
      pending = this.#pending.get(key) ?? nonePending;
      this.#pending.delete(key);
    }
    for (const each of pending) {
      const isOwn = result === "error" && each.change !== undefined && this.#options.isEcho(key, each.change);
      if (!isOwn) this.#add(key, { ...each, priority: each.priority ?? 0 });
    }
    this.#end(key, startMs, result);
  }

  #end(key: string, startMs: number, result: Result): void {
    const { clock, counted, definition, log, metrics } = this.#options;
    counted.active.dec();
    // A key that was delayed has not been reconciled.
    if (result !== "stale" && metrics !== noMetrics) {
      counted.time.observe((clock.monotonic() - startMs) / 1000);
      counted.total[result].inc();
    }
    if (definition.everyMs !== undefined) this.queue.addAfter(key, definition.everyMs, { isRoutine: true });
    if (log !== noLog) log.debug("reconciled", { key, result });
  }

  #remember(key: string, before: readonly WakeOptions[], options: WakeOptions): void {
    let pending = before;
    if (pending.length >= mostPending) {
      // Of all pending echoes, only the first is kept.
      const isEcho = pending.map(({ change }) => change !== undefined && this.#options.isEcho(key, change));
      pending = pending.filter((_, i) => isEcho[i] === false || i === isEcho.indexOf(true));
    }
    // So many changes cannot all be echoes, so the key is added.
    if (pending.length >= mostPending) this.#add(key, options);
    else this.#pending.set(key, [...pending, options]);
  }

  #handleResult(attempt: Attempt, reconciled: Reconciled): Result {
    const { key } = attempt;
    if (reconciled.kind === "stale") {
      if (reconciled.isUnsynced === true) {
        this.#options.counted.skips.inc();
        this.#unsynced.add(key);
      }
      this.#add(key, { afterMs: reconciled.waitMs, span: attempt.cause });
      return "stale";
    }
    if (reconciled.kind === "done" && reconciled.error !== undefined) return this.#fail(attempt, reconciled.error);
    this.#forget(attempt);
    const { requeueAfterMs: afterMs, isRoutine } = reconciled.kind === "done" ? reconciled : neverAgain;
    if (afterMs === undefined) return "success";
    this.#add(key, { afterMs, isRoutine, span: attempt.cause });
    return "requeue_after";
  }

  #fail(attempt: Attempt, error: Error): "error" {
    const { key, failures } = attempt;
    const { counted, log, definition, clock, deadlineMs } = this.#options;
    if (attempt.hasTimedOut) {
      counted.timeouts.inc();
      log.warn("reconcile took longer than its deadline", { key, deadlineMs });
    }
    counted.errors.inc();
    if (error instanceof PanicError) counted.panics.inc();
    const isForGood = isTerminal(error);
    if (isForGood) counted.terminal.inc();
    if (definition.everyMs !== undefined) {
      log.warn("sweep failed", { error });
      return "error";
    }
    const tries = failures + 1;
    if (isForGood || tries >= this.#maxTries) {
      log.warn(
        isForGood ? "reconcile failed with a terminal error, not retrying" : "reconcile failed, retries exhausted",
        { key, tries, error },
      );
      if (!isForGood) this.queue.forget(key);
      this.#failedUntilMs.set(key, Number.POSITIVE_INFINITY);
      return "error";
    }
    // Another writer was faster, and the next attempt sees the newer object. A warning is logged only if the key keeps meeting conflicts.
    if (isConflict(error) && tries < manyConflicts) {
      log.debug("reconcile met a conflict, trying again", { key, tries, conflict: error.message });
    } else log.warn("reconcile failed", { key, tries, error });
    const afterMs = this.#limiter.when(key);
    this.#failedUntilMs.set(key, clock.monotonic() + afterMs);
    this.#add(key, { afterMs, span: attempt.cause });
    return "error";
  }

  #add(key: string, { afterMs, isRoutine, priority, span }: WakeOptions): void {
    this.#options.spans?.woken(this.#options.name, key, { by: span?.(), afterMs: afterMs ?? 0 });
    if (afterMs === undefined || (afterMs === 0 && priority !== undefined)) this.queue.add(key, { priority });
    else this.queue.addAfter(key, afterMs, { priority, isRoutine });
  }

  /** Returns whether the key has failed and its retry is not due yet. */
  #isFailing(key: string): boolean {
    if (this.#failedUntilMs.size === 0) return false;
    return (this.#failedUntilMs.get(key) ?? 0) > this.#options.clock.monotonic();
  }

  #forget({ key, failures }: Attempt): void {
    this.#options.succeeded(key);
    if (failures > 0) this.queue.forget(key);
    if (this.#failedUntilMs.size > 0) this.#failedUntilMs.delete(key);
    if (this.#unsynced.size > 0) this.#unsynced.delete(key);
  }
}

function rateLimiterOf(policy: RetryPolicy, clock: Clock): RateLimiter<string> {
  if (policy.limiter !== undefined) return policy.limiter(clock);
  const { baseMs = 5, maxMs = 1_000_000, bucket = { qps: 10, burst: 100 } } = policy;
  const each = exponentialRateLimiter<string>({ baseMs, maxMs });
  return bucket === "none" ? each : maxOfRateLimiter(each, bucketRateLimiter<string>(bucket, clock));
}
