// A reflector that fills a queue, and one loop that empties the queue: the base of every informer. Use it directly to
// consume the deltas themselves.
//
// Promises: batches are processed one after the other, in the queue's order, each done before the next is taken. A promise is
// awaited, and without one nothing is awaited. The loop yields to the event loop every few milliseconds. If `process` throws,
// the error is reported and the next batch follows; with `retryOnError` the failed batch goes back into the queue. A RequeueError
// always puts its batch back; its cause, if there is one, is reported. A controller can run only once.
// When `run` ends, nothing of it is left. Not promised: that queued items are still processed after the signal aborts.
import type { KubernetesObject } from "../../api/index.ts";
import {
  type BackoffPolicy,
  backoffDelayMs,
  type Clock,
  defaultLog,
  isAborted,
  KubeloopError,
  type Log,
  runTogether,
  systemClock,
  YieldBudget,
} from "../../base/index.ts";
import type { ReflectorStatus } from "../liveness.ts";
import { requirePeriodMs } from "../option-checks.ts";
import type { Batch, BatchQueue } from "../queue/queue.ts";
import type { ListerWatcher, ObjectKind } from "../reflector/lister-watcher.ts";
import { Reflector } from "../reflector/reflector.ts";
import type { ReflectorOptions } from "../reflector/reflector-options.ts";
import { RequeueError } from "../requeue-error.ts";
import { SyncGate } from "../wait/sync-gate.ts";

/** A queue to which a failed batch can be added again: DeltaFIFO. An InOrderQueue cannot, because it keeps the stream's order. */
export interface RequeueingQueue<T> extends BatchQueue<T> {
  requeue(batch: Batch<T>): void;
}

export interface ControllerConfig<T extends KubernetesObject>
  extends Omit<ReflectorOptions, "resyncMs" | "expectedKind" | "onError"> {
  readonly queue: BatchQueue<T> | RequeueingQueue<T>;
  readonly listerWatcher: ListerWatcher<T>;
  /** Processes one batch. If it throws a RequeueError, the batch is processed again after a delay. */
  readonly process: (batch: Batch<T>, signal: AbortSignal) => void | Promise<void>;
  /** The expected kind of the objects. Default: the kind of the source. */
  readonly objectType?: ObjectKind;
  /** How often the queue is asked to resync. Default: never. */
  readonly fullResyncPeriodMs?: number;
  /** Whether a batch goes back into the queue when `process` throws. */
  readonly retryOnError?: boolean;
  /** Called with the error that `process` threw. */
  readonly onProcessError?: (error: unknown, batch: Batch<T>) => void;
  /** Called with every failure of a list or watch. */
  readonly watchErrorHandler?: ReflectorOptions["onError"];
}

// An item that always fails must not use all processing time.
const retryPause: BackoffPolicy = { initialMs: 5, factor: 2, maxMs: 1000, jitter: 0 };

export class Controller<T extends KubernetesObject> {
  readonly #config: ControllerConfig<T>;
  readonly #queue: BatchQueue<T> | RequeueingQueue<T>;
  readonly #reflector: Reflector<T>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #synced = new SyncGate();
  #isStarted = false;
  /** Failures in a row. */
  #failures = 0;
  /** A batch put back by a RequeueError if the queue cannot take it: it is processed next, so that the order is kept. */
  #putBack: Batch<T> | undefined;

  constructor(config: ControllerConfig<T>) {
    const { queue, listerWatcher, process: _process, onProcessError: _onProcessError, ...others } = config;
    const { objectType, fullResyncPeriodMs = 0, retryOnError = false, watchErrorHandler, ...forReflector } = others;
    requirePeriodMs("fullResyncPeriodMs", fullResyncPeriodMs);
    if (retryOnError && !canRequeue(queue)) {
      throw new KubeloopError("retryOnError needs a queue with requeue(), such as DeltaFIFO", {
        reason: "Invalid",
        retry: "never",
      });
    }
    this.#config = config;
    this.#queue = queue;
    this.#clock = config.clock ?? systemClock;
    this.#log = config.log ?? defaultLog;
    this.#reflector = new Reflector(listerWatcher, queue, {
      ...forReflector,
      resyncMs: fullResyncPeriodMs,
      ...(objectType === undefined ? {} : { expectedKind: objectType }),
      ...(watchErrorHandler === undefined ? {} : { onError: watchErrorHandler }),
    });
  }

  get name(): string {
    return this.#reflector.name;
  }

  /** The status of its reflector. */
  get reflectorStatus(): ReflectorStatus {
    return this.#reflector.status;
  }

  onStatusChange(listener: () => void): Disposable {
    return this.#reflector.onStatusChange(listener);
  }

  /** The first list has arrived and was processed completely. Stays true. */
  hasSynced(): boolean {
    return this.#queue.hasSynced();
  }

  /** Rejects when the controller ends before it has synced, and with the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void> {
    return this.#synced.wait(signal);
  }

  /** The last resourceVersion that the reflector has seen; "" before the first list. */
  lastSyncResourceVersion(): string {
    return this.#reflector.lastSyncResourceVersion;
  }

  /** Ends when the signal has aborted and everything it started has ended. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#isStarted) {
      throw new KubeloopError(`controller ${this.name} runs once only`, { reason: "AlreadyStarted", retry: "never" });
    }
    this.#isStarted = true;
    using _synced = this.#queue.onSynced(() => this.#synced.open());
    try {
      await runTogether(signal, [(each) => this.#reflector.run(each), (each) => this.#processLoop(each)]);
    } catch (error) {
      if (!isAborted(error, signal)) throw error;
    } finally {
      this.#queue.close();
      this.#synced.fail(
        new KubeloopError(`controller ${this.name} ended before it had synced`, { reason: "Stopped", retry: "never" }),
      );
    }
  }

  async #processLoop(signal: AbortSignal): Promise<void> {
    const budget = new YieldBudget(this.#clock);
    while (await budget.pause(this.#queue.ready(signal))) {
      for (let batch = this.#next(); batch !== undefined; batch = this.#next()) {
        const working = this.#process(batch, signal);
        // Only asynchronous processing costs a promise.
        const retryAfterMs = typeof working === "object" ? await budget.pause(working) : working;
        signal.throwIfAborted();
        if (retryAfterMs > 0) await budget.pause(this.#clock.sleep(retryAfterMs, signal));
        if (budget.isUsedUp()) {
          await budget.yield();
          signal.throwIfAborted();
        }
      }
    }
  }

  #next(): Batch<T> | undefined {
    const putBack = this.#putBack;
    this.#putBack = undefined;
    return putBack ?? this.#queue.take();
  }

  /** Returns how long to wait before the next batch. */
  #process(batch: Batch<T>, signal: AbortSignal): number | Promise<number> {
    let result: void | Promise<void>;
    try {
      result = this.#config.process(batch, signal);
    } catch (error) {
      return this.#finish(batch, { error });
    }
    if (result === undefined) return this.#finish(batch);
    return result.then(
      () => this.#finish(batch),
      // An aborted batch is not done: a partly processed first list must not count as synced.
      (error: unknown) => (isAborted(error, signal) ? 0 : this.#finish(batch, { error })),
    );
  }

  #finish(batch: Batch<T>, failure?: { readonly error: unknown }): number {
    let retryAfterMs = 0;
    if (failure === undefined) this.#failures = 0;
    else retryAfterMs = this.#fail(batch, failure.error);
    if (this.#putBack === undefined) this.#queue.done(batch);
    return retryAfterMs;
  }

  #fail(batch: Batch<T>, error: unknown): number {
    const isRequeue = error instanceof RequeueError;
    const failure = isRequeue ? error.cause : error;
    if (!isRequeue || failure !== undefined) this.#report(batch, failure);
    if (!isRequeue && this.#config.retryOnError !== true) return 0;
    if (canRequeue(this.#queue)) this.#queue.requeue(batch);
    else this.#putBack = batch;
    return backoffDelayMs(retryPause, ++this.#failures);
  }

  #report(batch: Batch<T>, error: unknown): void {
    this.#log.error("processing failed", { controller: this.name, error });
    try {
      this.#config.onProcessError?.(error, batch);
    } catch (thrown) {
      this.#log.error("error handler failed", { controller: this.name, error: thrown });
    }
  }
}

function canRequeue<T>(queue: BatchQueue<T> | RequeueingQueue<T>): queue is RequeueingQueue<T> {
  return "requeue" in queue;
}
