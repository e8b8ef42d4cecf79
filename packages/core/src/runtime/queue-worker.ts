// The worker loop that upstream's controllers each have a copy of, written once: takes keys, reconciles them, and decides what becomes of
// each.
//
// - success: its failures are forgotten, and it is added again after `requeueAfterMs` if the plan said so;
// - failure, conflicts included: added again with back-off, until the retry policy gives up. Until then only changes by others bring it
//   back sooner: the echo of its own writes does not, or a key that writes something and then fails would loop without any delay;
// - terminal failure (TerminalError), or given up: it is not tried again until something other than its own writes adds it;
// - stale, because caches do not show its own writes yet or have not synced: later, and that is no failure;
// - a sweep has one key, "": after each time, success or not, it is added again after the period.
//
// A key whose deadline has passed is aborted through its signal, and waited for all the same: no other worker may have it meanwhile. What
// is decided without waiting for anything runs key after key, and yields to the event loop every few milliseconds.
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
  type AddOptions,
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
  /** Of the queue. */
  readonly name: string;
  readonly metricName: string;
  readonly definition: Pick<ControllerQueue, "retry" | "order" | "everyMs">;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly counted: DriverMetrics;
  readonly deadlineMs: number;
  readonly reconcile: (attempt: Attempt) => Reconciled | Promise<Reconciled>;
  /** Whether a change is only what the key itself has written since it last succeeded. */
  readonly isEcho: (key: string, change: Change) => boolean;
  readonly succeeded: (key: string) => void;
  readonly spans?: ControllerSpans | undefined;
}

export interface WakeOptions extends AddOptions {
  readonly afterMs?: number | undefined;
  /** Why: then it may be the key's own doing. */
  readonly change?: Change | undefined;
  /** What led to it; called once it is known whether the key is added at all. */
  readonly span?: (() => SpanContext) | undefined;
}

type Result = ReconcileResult | "stale";

/** Wakes that are remembered for a key being processed: more than the requests that one plan has under way. */
const mostPending = 128;
/** Conflicts in a row that are no coincidence any more. */
const manyConflicts = 10;
const nonePending: readonly WakeOptions[] = [];

export class QueueWorker implements Disposable {
  readonly queue: RateLimitingQueue<string>;
  readonly #options: QueueWorkerOptions;
  readonly #deadlineClock: Clock;
  readonly #maxTries: number;
  readonly #limiter: RateLimiter<string>;
  /** Keys that failed, and until when an echo does not add them; for ever, if they are not tried again. */
  readonly #failedUntilMs = new Map<string, number>();
  /** Keys that wait for something while they are processed, and the wakes that came meanwhile. */
  readonly #pending = new Map<string, readonly WakeOptions[]>();
  /** Keys that were put off because a cache has not synced. */
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

  /** Adds a key to the queue. After a failure, a change that is only its own write is dropped until the retry is due. */
  wake(key: string, options: WakeOptions = {}): void {
    const { change } = options;
    const pending = change === undefined ? undefined : this.#pending.get(key);
    if (change === undefined) this.#add(key, options);
    // Whether it is an echo is known when the key is done: a watch may be quicker than an answer.
    else if (pending !== undefined) this.#remember(key, pending, options);
    else if (!this.#isFailing(key) || !this.#options.isEcho(key, change)) this.#add(key, options);
  }

  /** Adds the keys that were put off because a cache had not synced. */
  wakeUnsynced(): void {
    const keys = [...this.#unsynced];
    this.#unsynced.clear();
    for (const key of keys) this.queue.add(key);
  }

  /** One worker, until the queue is shut down and empty, or the signal aborts. What is under way then goes on until `work` aborts. */
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

  /** Returns a promise only if something has to be waited for. */
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
    // Not `using`: what the compiler makes of it costs more than a decision.
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
    // A key that was put off has not been reconciled.
    if (result !== "stale" && metrics !== noMetrics) {
      counted.time.observe((clock.monotonic() - startMs) / 1000);
      counted.total[result].inc();
    }
    if (definition.everyMs !== undefined) this.queue.addAfter(key, definition.everyMs);
    if (log !== noLog) log.debug("reconciled", { key, result });
  }

  #remember(key: string, before: readonly WakeOptions[], options: WakeOptions): void {
    let pending = before;
    if (pending.length >= mostPending) {
      // One echo stands for all of them.
      const isEcho = pending.map(({ change }) => change !== undefined && this.#options.isEcho(key, change));
      pending = pending.filter((_, i) => isEcho[i] === false || i === isEcho.indexOf(true));
    }
    // So many changes are not all echoes.
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
    const afterMs = reconciled.kind === "done" ? reconciled.requeueAfterMs : undefined;
    if (afterMs === undefined) return "success";
    this.#add(key, { afterMs, span: attempt.cause });
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
    // Somebody else was quicker: the next try sees the newer object. Only a key that never gets through is worth a warning.
    if (isConflict(error) && tries < manyConflicts) {
      log.debug("reconcile met a conflict, trying again", { key, tries, conflict: error.message });
    } else log.warn("reconcile failed", { key, tries, error });
    const afterMs = this.#limiter.when(key);
    this.#failedUntilMs.set(key, clock.monotonic() + afterMs);
    this.#add(key, { afterMs, span: attempt.cause });
    return "error";
  }

  #add(key: string, { afterMs, priority, span }: WakeOptions): void {
    this.#options.spans?.woken(this.#options.name, key, { by: span?.(), afterMs: afterMs ?? 0 });
    if (afterMs === undefined || (afterMs === 0 && priority !== undefined)) this.queue.add(key, { priority });
    else this.queue.addAfter(key, afterMs, { priority });
  }

  /** Failed, and not to be tried again yet. */
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
