// The queue of shared informers: everything that a reflector writes, in the order of the writes, across all objects. Nothing is merged
// and nothing is dropped.
//
// A batch is taken from the head: up to `maxBatch` deltas of different objects. It ends before a second delta of the same
// object, before and after a collection delta, and at the end of the initial population. An object that has lost its key in the
// transform ends its batch, because it cannot be compared with the following ones.
//
// In atomic mode, the default, a list is one ReplacedAll and a resync one SyncAll: what they mean for each object
// is computed when they are processed, against the cache at that time. Otherwise the queue gets the cache's objects (`knownObjects`)
// and itself queues a Deleted, Replaced or Sync for each object; then it drops bookmarks, because they have no use.
import { ConditionVariable } from "../../base/condition-variable.ts";
import { type Clock, defaultLog, type Log, RingBuffer, systemClock } from "../../base/index.ts";
import type { ReplaceOptions } from "../store/reflector-store.ts";
import type { KeyFunction, Transform } from "../store/store.ts";
import { type Delta, isObjectDelta, type ObjectDelta } from "./deltas.ts";
import { InitialPopulation } from "./initial-population.ts";
import { Intake, type Keyed } from "./intake.ts";
import { type KnownObjects, tombstonesOf } from "./known-objects.ts";
import { popFrom } from "./pop.ts";
import type { Batch, BatchQueue } from "./queue.ts";
import { InvalidQueueError } from "./queue-errors.ts";
import type { QueueMetrics } from "./queue-metrics.ts";
import { TakenBatches } from "./taken-batches.ts";
import { untilReady } from "./until-ready.ts";

export interface InOrderQueueOptions<T> {
  readonly keyOf: KeyFunction<T>;
  readonly transform?: Transform<T> | undefined;
  /** Default: true. */
  readonly isAtomic?: boolean;
  /** The consumer's objects: required if not atomic, not allowed if atomic. */
  readonly knownObjects?: KnownObjects<T> | undefined;
  /** Default: 1000. */
  readonly maxBatch?: number;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly metrics?: QueueMetrics | undefined;
}

export class InOrderQueue<T> implements BatchQueue<T> {
  readonly #intake: Intake<T>;
  /** Undefined when atomic. */
  readonly #known: KnownObjects<T> | undefined;
  readonly #maxBatch: number;
  readonly #log: Log;
  readonly #metrics: QueueMetrics | undefined;
  readonly #items = new RingBuffer<Delta<T>>();
  readonly #taken: TakenBatches<T>;
  readonly #arrivals = new ConditionVariable();
  readonly #initial: InitialPopulation;
  /** How many deltas of the initial population are still at the head. */
  #initialLeft = 0;
  #isClosed = false;

  constructor(options: InOrderQueueOptions<T>) {
    const { keyOf, transform, clock = systemClock, log = defaultLog, metrics } = options;
    this.#known = requireKnownObjects(options);
    this.#maxBatch = requireBatchSize(options.maxBatch ?? 1000);
    this.#log = log;
    this.#metrics = metrics;
    this.#intake = new Intake({ keyOf, transform });
    this.#taken = new TakenBatches({ keyOf: (object) => this.#intake.keyInside(object), clock, log, metrics });
    this.#initial = new InitialPopulation({ onError: (error) => log.error("a sync callback failed", { error }) });
  }

  get transform(): Transform<T> | undefined {
    return this.#intake.transform;
  }

  /** The number of deltas; a whole list counts as one. */
  get size(): number {
    return this.#items.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  keyOf(item: Keyed<T>): string {
    return this.#intake.keyOf(item);
  }

  add(object: T): void {
    this.#accept("Added", object);
  }

  update(object: T): void {
    this.#accept("Updated", object);
  }

  /** Also accepts an object that is not known. */
  delete(object: T): void {
    this.#accept("Deleted", object);
  }

  replace(objects: readonly T[], resourceVersion: string, options?: ReplaceOptions): void {
    if (this.#isClosed) return;
    if (this.#known === undefined) {
      const kept = this.#intake.keepAll(objects, options);
      this.#push({ type: "ReplacedAll", objects: kept, resourceVersion });
    } else {
      this.#replaceEach(objects, this.#known, options);
    }
    if (this.#initial.begin(this.#items.size)) this.#initialLeft = this.#items.size;
  }

  resync(): void {
    if (this.#isClosed) return;
    if (this.#known === undefined) this.#push({ type: "SyncAll" });
    else this.#resyncEach(this.#known);
  }

  bookmark(resourceVersion: string): void {
    if (this.#isClosed || this.#known !== undefined) return;
    this.#push({ type: "Bookmark", resourceVersion });
  }

  ready(signal: AbortSignal): Promise<boolean> {
    return untilReady(this, this.#arrivals, signal);
  }

  take(): Batch<T> | undefined {
    if (this.#items.size === 0) return undefined;
    const isInInitialList = this.#initialLeft > 0;
    const deltas = this.#collect(isInInitialList ? Math.min(this.#initialLeft, this.#maxBatch) : this.#maxBatch);
    if (isInInitialList) this.#initialLeft -= deltas.length;
    const batch = { deltas, isInInitialList };
    this.#taken.open(batch, this.#items.size);
    this.#metrics?.queuedItems.set(this.#items.size);
    return batch;
  }

  done(batch: Batch<T>): void {
    if (this.#taken.close(batch) && batch.isInInitialList) this.#initial.finished(batch.deltas.length);
  }

  /** Waits for a batch and processes it. Throws a QueueClosedError if closed and empty, or the error of `work`. */
  pop<R>(work: (batch: Batch<T>, isInInitialList: boolean) => R | Promise<R>, signal: AbortSignal): Promise<R> {
    return popFrom(this, (batch: Batch<T>) => work(batch, batch.isInInitialList), signal);
  }

  hasSynced(): boolean {
    return this.#initial.hasSynced();
  }

  onSynced(callback: () => void): Disposable {
    return this.#initial.onSynced(callback);
  }

  close(): void {
    this.#isClosed = true;
    this.#arrivals.notifyAll();
  }

  #accept(type: "Added" | "Updated" | "Deleted", object: T): void {
    if (this.#isClosed) return;
    this.#intake.keyOf(object);
    const kept = this.#intake.keep(object);
    this.#initial.skip();
    this.#push({ type, object: kept });
  }

  #push(delta: Delta<T>): void {
    this.#items.push(delta);
    this.#metrics?.queuedItems.set(this.#items.size);
    this.#arrivals.notifyAll();
  }

  #collect(limit: number): Delta<T>[] {
    const first = this.#items.shift() as Delta<T>;
    const deltas = [first];
    if (!isObjectDelta(first) || limit === 1 || this.#items.size === 0) return deltas;
    const keys = new Set<string>();
    let key = this.#keyInside(first);
    while (key !== undefined && deltas.length < limit) {
      keys.add(key);
      const next = this.#items.peek();
      if (next === undefined || !isObjectDelta(next)) break;
      key = this.#keyInside(next);
      if (key !== undefined && keys.has(key)) break;
      deltas.push(next);
      this.#items.shift();
    }
    return deltas;
  }

  #keyInside(delta: ObjectDelta<T>): string | undefined {
    const key = this.#intake.keyInside(delta.object);
    if (key === undefined)
      this.#log.error("object has no key after the transform, so it ends its batch", { type: delta.type });
    return key;
  }

  #replaceEach(objects: readonly T[], known: KnownObjects<T>, options: ReplaceOptions | undefined): void {
    const listedKeys = new Set(objects.map((object) => this.#intake.keyOf(object)));
    const kept = this.#intake.keepAll(objects, options);
    for (const object of tombstonesOf({ listedKeys, newestByKey: this.#newestByKey(), known })) {
      this.#push({ type: "Deleted", object });
    }
    for (const object of kept) this.#push({ type: "Replaced", object });
  }

  #resyncEach(known: KnownObjects<T>): void {
    const newestByKey = this.#newestByKey();
    for (const key of known.listKeys()) {
      // A Sync after a queued change would bring back the older state from the cache.
      const object = newestByKey.has(key) ? undefined : known.getByKey(key);
      if (object !== undefined) this.#push({ type: "Sync", object });
    }
  }

  #newestByKey(): Map<string, ObjectDelta<T>> {
    const newestByKey = this.#taken.newestByKey();
    for (const delta of this.#items) {
      if (!isObjectDelta(delta)) continue;
      const key = this.#intake.keyInside(delta.object);
      if (key !== undefined) newestByKey.set(key, delta);
    }
    return newestByKey;
  }
}

function requireKnownObjects<T>({
  isAtomic = true,
  knownObjects,
}: InOrderQueueOptions<T>): KnownObjects<T> | undefined {
  if (isAtomic && knownObjects !== undefined) {
    throw new InvalidQueueError("an atomic queue does not use knownObjects: leave them out or set isAtomic to false");
  }
  if (!isAtomic && knownObjects === undefined) {
    throw new InvalidQueueError("a queue that is not atomic needs knownObjects to find out what a list deletes");
  }
  return knownObjects;
}

function requireBatchSize(maxBatch: number): number {
  if (Number.isInteger(maxBatch) && maxBatch > 0) return maxBatch;
  throw new InvalidQueueError("maxBatch must be a whole number of at least 1");
}
