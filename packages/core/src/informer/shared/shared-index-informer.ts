// A cache that follows a source and reports each change to any number of handlers: client-go's SharedIndexInformer.
//
// Promises:
//  1. For each object the cache shows some of the states it really had, in order, and in the end the last one, whatever happens to
//     the source or the connection. An object that is deleted and created again may appear as one update, because the name is the identity.
//  2. Cache and indexes hold a change before any handler receives it. Each handler is called sequentially, in
//     the order of the stream, with the old object that it received last. A slow or failing handler does not affect the others.
//  3. A handler that is added later first receives all cached objects as adds of an initial list, and then the following changes: none is
//     missed, none is duplicated. A relist reports only objects that changed.
//  4. It runs once, until its signal aborts. When `run` ends, nothing of it is left; notifications still waiting are
//     dropped. Only the detectors for debugging (of cache mutations, of inconsistent streamed lists) can end it earlier, with an error.
// Not promised: that handlers are as far as the cache, or that every state is seen. Cached objects are shared by all readers:
// do not change them.
import type { KubernetesObject } from "../../api/index.ts";
import {
  type Clock,
  childSignal,
  defaultLog,
  KubeloopError,
  Listeners,
  type Log,
  noMetrics,
  onAbort,
  systemClock,
  TaskScope,
  toError,
} from "../../base/index.ts";
import { Controller } from "../controller/controller.ts";
import { makeQueue } from "../controller/make-queue.ts";
import type { EventDetails, Notification, ResourceEventHandler } from "../handler/handlers.ts";
import { type InformerStatus, type ReflectorStatus, wallTimeOf } from "../liveness.ts";
import { requireLimit, requirePeriodMs } from "../option-checks.ts";
import { applyDeltasInSlices } from "../queue/apply-deltas.ts";
import type { ApplyProgress } from "../queue/apply-target.ts";
import type { Batch, BatchQueue } from "../queue/queue.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";
import { checkReflectorOptions } from "../reflector/reflector-options.ts";
import {
  type MutationDetector,
  newCacheMutationDetector,
  noMutationDetector,
} from "../store/cache-mutation-detector.ts";
import { IndexedStore } from "../store/indexed-store.ts";
import { metaNamespaceKeyFunc } from "../store/key-functions.ts";
import type { Indexers, KeyFunction, ReadonlyIndexer, ReadonlyStore, Transform } from "../store/store.ts";
import { SyncGate } from "../wait/sync-gate.ts";
import { nameOfHandler } from "./event-handler-name.ts";
import { decideHealth, type Health, type HealthOptions } from "./health.ts";
import { type InformerMetrics, laterGauge, openInformerMetrics } from "./informer-metrics.ts";
import { keyOfNotification } from "./notification-key.ts";
import type { ResourceEventHandlerRegistration } from "./registration.ts";
import { decideResync } from "./resync-period.ts";
import type {
  EventHandlerOptions,
  SharedIndexInformerOptions,
  WatchErrorHandler,
} from "./shared-index-informer-options.ts";
import { SharedProcessor } from "./shared-processor.ts";

/** The part of the controller that an informer exposes. */
export type InformerController = Pick<
  Controller<KubernetesObject>,
  "hasSynced" | "whenSynced" | "lastSyncResourceVersion"
>;

export class SharedIndexInformer<T extends KubernetesObject> {
  readonly name: string;
  readonly #source: ListerWatcher<T>;
  readonly #options: SharedIndexInformerOptions<T>;
  readonly #keyOf: KeyFunction<T>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #indexer: IndexedStore<T>;
  readonly #processor: SharedProcessor<T>;
  readonly #detector: MutationDetector;
  readonly #synced = new SyncGate();
  readonly #statusListeners: Listeners<InformerStatus>;
  #life: "new" | "running" | "stopped" = "new";
  /** Monotonic. */
  #startedMs: number | undefined;
  /** Set when the informer starts. */
  #queue: BatchQueue<T> | undefined;
  #metrics: InformerMetrics | undefined;
  #controller: Controller<T> | undefined;
  /** How often the informer checks whether a handler's resync is due. */
  #checkMs: number;
  #transform: Transform<T> | undefined;
  #onWatchError: WatchErrorHandler | undefined;
  /** Whether a batch is between the cache and the handlers; handlers that are added meanwhile wait in `#joining`. */
  #isApplying = false;
  /** The progress of that batch. */
  #progress: ApplyProgress = nothingInHand;
  #joining: ResourceEventHandlerRegistration[] = [];

  constructor(source: ListerWatcher<T>, options: SharedIndexInformerOptions<T> = {}) {
    const { clock = systemClock, log = defaultLog, keyOf = metaNamespaceKeyFunc } = options;
    this.name = options.name ?? source.description;
    this.#source = source;
    this.#options = options;
    this.#keyOf = keyOf;
    this.#clock = clock;
    this.#log = log.with({ informer: this.name });
    this.#checkMs = requirePeriodMs("resyncMs", options.resyncMs);
    checkReflectorOptions(options);
    this.#transform = options.transform;
    this.#onWatchError = options.onWatchError;
    this.#indexer = new IndexedStore({
      keyOf,
      indexers: options.indexers ?? {},
      freeze: options.freeze ?? false,
      resourceVersionGauge: laterGauge(() => this.#metrics?.storeResourceVersion),
    });
    this.#processor = new SharedProcessor({
      clock,
      keyOf,
      unreported: (hasJoined) => (hasJoined ? this.#progress.unreported : this.#indexer.size),
      deliveryGate: options.deliveryGate,
      onHandlerFailure: (error, notification, handler) => this.#reportHandler(error, notification, handler),
    });
    this.#detector = options.mutationDetector ?? newCacheMutationDetector(this.name, { clock });
    this.#statusListeners = new Listeners((error) => this.#log.error("status listener failed", { error }));
  }

  /** The cache, for reading. */
  getStore(): ReadonlyStore<T> {
    return this.#indexer;
  }

  getIndexer(): ReadonlyIndexer<T> {
    return this.#indexer;
  }

  getController(): InformerController {
    return this;
  }

  /** Allowed until the informer stops. Cached objects are indexed before this returns. Throws if a name is taken. */
  addIndexers(indexers: Indexers<T>): void {
    this.#refuseWhenStopped("indexers were not added");
    this.#indexer.addIndexers(indexers);
  }

  /** Allowed only before the start. */
  setTransform(transform: Transform<T>): void {
    this.#refuseWhenStarted("the transform");
    this.#transform = transform;
  }

  /** Allowed only before the start. Called with every failure of a list or watch. A second call replaces the handler. */
  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#refuseWhenStarted("the watch error handler");
    this.#onWatchError = handler;
  }

  /** Allowed until the informer stops. A handler added while the informer runs first receives all cached objects. */
  addEventHandler(
    handler: ResourceEventHandler<T>,
    options: EventHandlerOptions = {},
  ): ResourceEventHandlerRegistration {
    const name = options.name ?? nameOfHandler(handler);
    this.#refuseWhenStopped(`handler "${name}" was not added`);
    requireLimit("maxQueued", options.maxQueued);
    const askedMs = requirePeriodMs("resyncMs", options.resyncMs ?? this.#options.resyncMs);
    const isStarted = this.#life !== "new";
    const { resyncMs, checkMs, warning } = decideResync({ askedMs, checkMs: this.#checkMs, isStarted });
    if (warning !== undefined) this.#log.warn(warning, { handler: name, askedMs, resyncMs });
    this.#checkMs = checkMs;
    const registration = this.#processor.register(handler, { name, resyncMs, maxQueued: options.maxQueued });
    if (this.#isApplying) this.#joining.push(registration);
    else this.#join(registration);
    return registration;
  }

  /** Drops the handler's waiting notifications. A second call does nothing. Throws for a registration of another informer. */
  removeEventHandler(registration: ResourceEventHandlerRegistration): void {
    this.#processor.remove(registration);
  }

  /** Removes the handler and resolves when its last callback has ended; immediately if called from inside that callback. */
  async shutDownEventHandler(registration: ResourceEventHandlerRegistration): Promise<void> {
    await this.#processor.shutDown(registration);
  }

  /** Whether the handler is registered and not removed. */
  hasEventHandler(registration: ResourceEventHandlerRegistration): boolean {
    return this.#processor.has(registration);
  }

  /** The first list is in the cache. Handlers may not have received it yet: their registrations have their own `hasSynced`. */
  hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Rejects if the informer is stopped before, and with the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void> {
    return this.#synced.wait(signal);
  }

  /** The last version that was seen; "" before the first list. */
  lastSyncResourceVersion(): string {
    return this.#controller?.lastSyncResourceVersion() ?? "";
  }

  isStarted(): boolean {
    return this.#life !== "new";
  }

  /** True as soon as the signal aborts. */
  isStopped(): boolean {
    return this.#life === "stopped";
  }

  get status(): InformerStatus {
    return {
      ...(this.#controller?.reflectorStatus ?? notStarted),
      name: this.name,
      hasSynced: this.hasSynced(),
      size: this.#indexer.size,
      queued: (this.#queue?.size ?? 0) + this.#progress.waiting + this.#progress.unreported,
      startedMs: wallTimeOf(this.#startedMs, this.#clock),
    };
  }

  /** Calls back when the status has changed, except for values that change with each event. */
  onStatusChange(listener: (status: InformerStatus) => void): Disposable {
    return this.#statusListeners.subscribe(listener);
  }

  /** Whether the informer can still receive events, and if not, why. */
  checkHealth(options: HealthOptions = {}): Health {
    return decideHealth(this.status, this.#clock.now(), options);
  }

  isDeaf(options: HealthOptions = {}): boolean {
    return !this.checkHealth(options).isHealthy;
  }

  /** Ends when the signal has aborted and everything it started has ended, including callbacks. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#life !== "new") throw this.#refusal("runs once only", "AlreadyStarted");
    this.#life = "running";
    this.#startedMs = this.#clock.monotonic();
    const { metrics = noMetrics, identity } = this.#options;
    using opened = openInformerMetrics(metrics, identity);
    this.#metrics = opened;
    const queue = makeQueue(this.#options.queue, {
      keyOf: this.#keyOf,
      transform: this.#transform,
      known: this.#indexer,
      clock: this.#clock,
      log: this.#log,
      metrics: opened?.queue,
    });
    const controller = this.#makeController(queue);
    this.#queue = queue;
    this.#controller = controller;
    using _synced = queue.onSynced(() => this.#becomeSynced());
    using _status = controller.onStatusChange(() => this.#tellStatus());
    using _stopping = onAbort(signal, () => this.#refuseMore());
    // Handlers are called until the last change is in the cache, so they have their own scope; a failure in it ends the informer.
    await using telling = new TaskScope(neverAborted);
    using changing = childSignal(signal);
    using _failing = onAbort(telling.signal, (reason) => changing.abort(reason));
    void telling.spawn((each) => this.#processor.run(each));
    void telling.spawn((each) => this.#detector.run(each));
    try {
      await controller.run(changing.signal);
    } finally {
      this.#refuseMore();
    }
  }

  #makeController(queue: BatchQueue<T>): Controller<T> {
    const { indexers, transform, keyOf, queue: _kind, ...more } = this.#options;
    const { freeze, identity, resyncMs, mutationDetector, deliveryGate, ...others } = more;
    const { onWatchError, onCacheError, onHandlerError, ...forReflector } = others;
    return new Controller({
      ...forReflector,
      name: this.name,
      queue,
      listerWatcher: this.#source,
      process: (batch, signal) => this.#apply(batch, queue, signal),
      fullResyncPeriodMs: this.#checkMs,
      shouldResync: () => this.#processor.shouldResync(),
      ...(this.#onWatchError === undefined ? {} : { watchErrorHandler: this.#onWatchError }),
    });
  }

  #apply(batch: Batch<T>, queue: BatchQueue<T>, signal: AbortSignal): void | Promise<void> {
    // The batch counts in `#progress` from the moment it leaves the queue.
    const progress = { waiting: batch.deltas.length, unreported: 0 };
    const target = {
      store: this.#indexer,
      progress,
      notify: (notification: Notification<T>) => this.#notify(notification),
      notifyOfAll: (objects: readonly T[], details: EventDetails) => this.#notifyOfAll(objects, details),
      onError: (error: Error) => this.#reportRefusal(error),
    };
    this.#isApplying = true;
    this.#progress = progress;
    let working: Promise<void> | undefined;
    try {
      working = applyDeltasInSlices(batch, target, { clock: this.#clock }, signal);
    } finally {
      if (working === undefined) this.#applied(queue);
    }
    return working?.finally(() => this.#applied(queue));
  }

  #notify(notification: Notification<T>): void {
    if (this.#detector !== noMutationDetector && notification.details.cause !== "resync") {
      if (notification.type === "add") this.#detector.addObject(notification.object);
      else if (notification.type === "update") this.#detector.addObject(notification.after);
    }
    this.#processor.distribute(notification);
  }

  #notifyOfAll(objects: readonly T[], details: EventDetails): void {
    if (this.#detector !== noMutationDetector) for (const object of objects) this.#detector.addObject(object);
    this.#processor.distributeAdds(objects, details);
  }

  #applied(queue: BatchQueue<T>): void {
    this.#isApplying = false;
    this.#progress = nothingInHand;
    if (queue.size === 0) this.#processor.resyncEnded();
    const joining = this.#joining;
    if (joining.length === 0) return;
    this.#joining = [];
    for (const registration of joining) this.#join(registration);
  }

  #join(registration: ResourceEventHandlerRegistration): void {
    this.#processor.join(registration, { objects: this.#indexer.list(), isComplete: this.#synced.isOpen });
  }

  #becomeSynced(): void {
    this.#synced.open();
    this.#processor.upstreamHasSynced();
    this.#tellStatus();
  }

  #refuseMore(): void {
    if (this.#life === "stopped") return;
    this.#life = "stopped";
    this.#synced.fail(this.#refusal("was stopped before it had synced", "Stopped"));
    this.#tellStatus();
  }

  #tellStatus(): void {
    if (this.#statusListeners.size > 0) this.#statusListeners.emit(this.status);
  }

  #reportRefusal(error: Error): void {
    this.#log.error("cache refused an object", { error });
    try {
      this.#options.onCacheError?.(error);
    } catch (failure) {
      this.#log.error("error handler failed", { error: failure });
    }
  }

  #reportHandler(thrown: unknown, notification: Notification<T>, handler: string): void {
    const error = toError(thrown);
    this.#metrics?.handlerErrors.inc();
    const key = keyOfNotification(notification, this.#keyOf);
    this.#log.error("event handler failed", { handler, event: notification.type, key, error });
    try {
      this.#options.onHandlerError?.(error, { handler, notification });
    } catch (failure) {
      this.#log.error("error handler failed", { error: failure });
    }
  }

  #refuseWhenStarted(what: string): void {
    if (this.#life !== "new") throw this.#refusal(`has started: ${what} can no longer be set`, "AlreadyStarted");
  }

  #refuseWhenStopped(what: string): void {
    if (this.#life === "stopped") throw this.#refusal(`has stopped: ${what}`, "Stopped");
  }

  #refusal(what: string, reason: string): KubeloopError {
    return new KubeloopError(`informer "${this.name}" ${what}`, { reason, retry: "never" });
  }
}

const nothingInHand: Readonly<ApplyProgress> = Object.freeze({ waiting: 0, unreported: 0 });

const neverAborted = new AbortController().signal;

const notStarted: ReflectorStatus = {
  phase: "idle",
  lastContactMs: undefined,
  failingSinceMs: undefined,
  resourceVersion: "",
  lists: 0,
  watches: 0,
  errors: 0,
  lastFailure: undefined,
  listEncoding: undefined,
  watchEncoding: undefined,
};
