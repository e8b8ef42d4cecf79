// A reflector that fills a queue and one loop that empties it: the engine of every informer, and all there is to one whose
// consumer wants the deltas themselves.
//
// Promises: batches are processed one after the other, in the queue's order, each done before the next is taken; a promise is
// waited for and nothing is awaited where there is none; the event loop gets its turn every few milliseconds. Processing that
// throws is reported, and the next batch comes; with `retryOnError` the failed one goes back into the queue. A RequeueError
// always puts its batch back; its cause is reported, if there is one. A controller runs once.
// When `run` ends, nothing of it is left. Not promised: that what is queued when the signal aborts is still processed.
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

/** A queue that takes back what could not be processed: DeltaFIFO does; stream order does not allow for it. */
export interface RequeueingQueue<T> extends BatchQueue<T> {
  requeue(batch: Batch<T>): void;
}

export interface ControllerConfig<T extends KubernetesObject>
  extends Omit<ReflectorOptions, "resyncMs" | "expectedKind" | "onError"> {
  readonly queue: BatchQueue<T> | RequeueingQueue<T>;
  readonly listerWatcher: ListerWatcher<T>;
  /** What is done with each batch. A RequeueError that it throws has the batch processed again, after a pause. */
  readonly process: (batch: Batch<T>, signal: AbortSignal) => void | Promise<void>;
  /** What objects must be; what the source says of them unless given. */
  readonly objectType?: ObjectKind;
  /** How often the queue is asked to resync; never unless given. */
  readonly fullResyncPeriodMs?: number;
  /** Whether a batch whose processing throws goes back into the queue. */
  readonly retryOnError?: boolean;
  /** Hears what processing threw. */
  readonly onProcessError?: (error: unknown, batch: Batch<T>) => void;
  /** Sees every failure of listing and watching. */
  readonly watchErrorHandler?: ReflectorOptions["onError"];
}

// An item that fails whenever it is tried must not keep the processor busy with nothing else.
const retryPause: BackoffPolicy = { initialMs: 5, factor: 2, maxMs: 1000, jitter: 0 };

export class Controller<T extends KubernetesObject> {
  readonly #config: ControllerConfig<T>;
  readonly #queue: BatchQueue<T> | RequeueingQueue<T>;
  readonly #reflector: Reflector<T>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #synced = new SyncGate();
  #isStarted = false;
  /** In a row. */
  #failures = 0;
  /** Put back by a RequeueError where the queue takes nothing back: it is the next one, so that order is kept. */
  #putBack: Batch<T> | undefined;

  constructor(config: ControllerConfig<T>) {
    const { queue, listerWatcher, process: _process, onProcessError: _onProcessError, ...others } = config;
    const { objectType, fullResyncPeriodMs = 0, retryOnError = false, watchErrorHandler, ...forReflector } = others;
    requirePeriodMs("fullResyncPeriodMs", fullResyncPeriodMs);
    if (retryOnError && !canRequeue(queue)) {
      throw new KubeloopError("retryOnError needs a queue that takes back what failed", {
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

  /** Of its reflector. */
  get reflectorStatus(): ReflectorStatus {
    return this.#reflector.status;
  }

  onStatusChange(listener: () => void): Disposable {
    return this.#reflector.onStatusChange(listener);
  }

  /** The first list has come and all of it was processed. Stays true. */
  hasSynced(): boolean {
    return this.#queue.hasSynced();
  }

  /** Rejects when it ends before, and with the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void> {
    return this.#synced.wait(signal);
  }

  /** The last version the reflector has seen; "" before the first list. */
  lastSyncResourceVersion(): string {
    return this.#reflector.lastSyncResourceVersion;
  }

  /** Ends when the signal aborts and everything it started has ended. */
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
        // Only what is asynchronous costs a promise.
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

  /** How long to wait before the next one. */
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
      // Broken off is not done: half a first list must not count as synced.
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
