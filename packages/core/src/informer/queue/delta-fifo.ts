// client-go's older queue: for each object the list of its deltas, and the objects in the order in which
// their first delta arrived. An item is one object with all its deltas, so a slow consumer sees fewer,
// longer lists; the order between objects is not that of the stream.
//
// As in client-go: only consecutive deletions are merged; the deletion of an object that is neither queued nor known is dropped, because
// it was already reported; a list queues its objects first and then tombstones for the objects it no longer has; a resync queues
// only objects without queued deltas. Unlike client-go, an object of the first list counts as processed when it is done, not when it is
// popped.
import { ConditionVariable } from "../../base/condition-variable.ts";
import { type Clock, defaultLog, type Log, RingBuffer, systemClock } from "../../base/index.ts";
import { RequeueError } from "../requeue-error.ts";
import type { ReplaceOptions } from "../store/reflector-store.ts";
import type { KeyFunction, Transform } from "../store/store.ts";
import type { Deleted } from "../tombstone.ts";
import { appendDelta, type DeltaCompressor } from "./delta-list.ts";
import type { ObjectDelta } from "./deltas.ts";
import { InitialPopulation } from "./initial-population.ts";
import { Intake, type Keyed } from "./intake.ts";
import { type KnownObjects, tombstonesOf } from "./known-objects.ts";
import { popFrom } from "./pop.ts";
import type { BatchQueue } from "./queue.ts";
import type { QueueMetrics } from "./queue-metrics.ts";
import { TakenBatches } from "./taken-batches.ts";
import { untilReady } from "./until-ready.ts";

export interface DeltaFIFOOptions<T> {
  readonly keyOf: KeyFunction<T>;
  readonly transform?: Transform<T> | undefined;
  /** The consumer's objects. Without them, deletions implied by a list are found only among objects that are queued or being processed. */
  readonly knownObjects?: KnownObjects<T> | undefined;
  /** The delta type of a list's objects. Default: "Replaced". "Sync" is for older consumers. */
  readonly replacedAs?: "Replaced" | "Sync";
  readonly compress?: DeltaCompressor<T>;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly metrics?: QueueMetrics | undefined;
}

/** One object with all its deltas. */
export interface KeyBatch<T> {
  readonly key: string;
  readonly deltas: readonly ObjectDelta<T>[];
  readonly isInInitialList: boolean;
}

interface Entry<T> {
  readonly key: string;
  /** Empty if the compressor has removed all deltas: then the entry no longer counts, but is still in the order. */
  deltas: ObjectDelta<T>[];
  isInitial: boolean;
}

export class DeltaFIFO<T> implements BatchQueue<T> {
  readonly #intake: Intake<T>;
  readonly #known: KnownObjects<T> | undefined;
  readonly #replacedAs: "Replaced" | "Sync";
  readonly #compress: DeltaCompressor<T> | undefined;
  readonly #metrics: QueueMetrics | undefined;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #line = new RingBuffer<Entry<T>>();
  readonly #taken: TakenBatches<T>;
  readonly #arrivals = new ConditionVariable();
  readonly #initial: InitialPopulation;
  #isClosed = false;

  constructor(options: DeltaFIFOOptions<T>) {
    const { keyOf, transform, clock = systemClock, log = defaultLog, metrics } = options;
    this.#known = options.knownObjects;
    this.#replacedAs = options.replacedAs ?? "Replaced";
    this.#compress = options.compress;
    this.#metrics = metrics;
    this.#intake = new Intake({ keyOf, transform });
    this.#taken = new TakenBatches({ keyOf: (object) => this.#intake.keyInside(object), clock, log, metrics });
    this.#initial = new InitialPopulation({ onError: (error) => log.error("a sync callback failed", { error }) });
  }

  get transform(): Transform<T> | undefined {
    return this.#intake.transform;
  }

  /** The number of objects with deltas. */
  get size(): number {
    return this.#entries.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  keyOf(item: Keyed<T>): string {
    return this.#intake.keyOf(item);
  }

  /** Returns the newest state of each queued object. */
  list(): Deleted<T>[] {
    return Array.from(this.#entries.values(), ({ deltas }) => (deltas.at(-1) as ObjectDelta<T>).object);
  }

  /** Returns the keys in the order in which they will be popped. */
  listKeys(): string[] {
    return [...this.#entries.keys()];
  }

  /** Returns the queued deltas of the object with the same key. */
  get(object: Deleted<T>): readonly ObjectDelta<T>[] | undefined {
    return this.getByKey(this.keyOf(object));
  }

  getByKey(key: string): readonly ObjectDelta<T>[] | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined ? undefined : [...entry.deltas];
  }

  add(object: T): void {
    this.#accept("Added", object);
  }

  update(object: T): void {
    this.#accept("Updated", object);
  }

  delete(object: T): void {
    if (this.#isClosed) return;
    if (this.#isExpected(this.#intake.keyOf(object))) this.#accept("Deleted", object);
    else this.#initial.skip();
  }

  replace(objects: readonly T[], _resourceVersion: string, options?: ReplaceOptions): void {
    if (this.#isClosed) return;
    const keys = objects.map((object) => this.#intake.keyOf(object));
    const kept = this.#intake.keepAll(objects, options);
    kept.forEach((object, i) => {
      this.#append(keys[i] as string, { type: this.#replacedAs, object });
    });
    const gone = tombstonesOf({ listedKeys: new Set(keys), newestByKey: this.#newestByKey(), known: this.#known });
    for (const object of gone) this.#append(object.key, { type: "Deleted", object });
    if (this.#initial.begin(this.size)) for (const entry of this.#entries.values()) entry.isInitial = true;
  }

  resync(): void {
    if (this.#isClosed || this.#known === undefined) return;
    const newestByKey = this.#newestByKey();
    for (const key of this.#known.listKeys()) {
      // A Sync after a queued change would bring back the older state from the cache.
      const object = newestByKey.has(key) ? undefined : this.#known.getByKey(key);
      if (object !== undefined) this.#append(key, { type: "Sync", object });
    }
  }

  /** Adds deltas again at the end of the queue, unless newer deltas of their object are queued. */
  addIfNotPresent(deltas: readonly ObjectDelta<T>[]): void {
    if (this.#isClosed) return;
    const key = this.keyOf(deltas);
    this.#initial.skip();
    this.#putBack(key, deltas, false);
  }

  /** The same for a batch that is not done yet. If it belongs to the first list, syncing waits for it again. */
  requeue(batch: KeyBatch<T>): void {
    if (!this.#isClosed) this.#putBack(batch.key, batch.deltas, batch.isInInitialList);
  }

  ready(signal: AbortSignal): Promise<boolean> {
    return untilReady(this, this.#arrivals, signal);
  }

  take(): KeyBatch<T> | undefined {
    for (let entry = this.#line.shift(); entry !== undefined; entry = this.#line.shift()) {
      if (entry.deltas.length === 0) continue;
      this.#entries.delete(entry.key);
      const batch = { key: entry.key, deltas: entry.deltas, isInInitialList: entry.isInitial };
      this.#taken.open(batch, this.size);
      this.#metrics?.queuedItems.set(this.size);
      return batch;
    }
    return undefined;
  }

  done(batch: KeyBatch<T>): void {
    if (this.#taken.close(batch) && batch.isInInitialList) this.#initial.finished(1);
  }

  /**
   * Waits for an object and processes its deltas. Throws a QueueClosedError if the queue is closed and empty, or the error of `work`.
   * A RequeueError puts the deltas back as `requeue` does; then this throws its cause, or returns undefined if there is none.
   */
  pop<R>(
    work: (batch: KeyBatch<T>, isInInitialList: boolean) => R | Promise<R>,
    signal: AbortSignal,
  ): Promise<R | undefined> {
    const requeueing = async (batch: KeyBatch<T>) => {
      try {
        return await work(batch, batch.isInInitialList);
      } catch (error) {
        if (!(error instanceof RequeueError)) throw error;
        this.requeue(batch);
        if (error.cause !== undefined) throw error.cause;
        return undefined;
      }
    };
    return popFrom(this, requeueing, signal);
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
    const key = this.#intake.keyOf(object);
    const kept = this.#intake.keep(object);
    this.#initial.skip();
    this.#append(key, { type, object: kept });
  }

  /** Whether the object is queued or known, so that its deletion has to be reported. */
  #isExpected(key: string): boolean {
    if (this.#entries.has(key)) return true;
    const inHand = this.#taken.newestByKey().get(key);
    return inHand === undefined ? this.#known?.getByKey(key) !== undefined : inHand.type !== "Deleted";
  }

  #append(key: string, delta: ObjectDelta<T>): void {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { key, deltas: [], isInitial: false };
      this.#enter(entry);
    }
    appendDelta(entry.deltas, delta);
    if (this.#compress !== undefined) this.#compressEntry(entry, this.#compress);
    this.#metrics?.queuedItems.set(this.size);
    this.#arrivals.notifyAll();
  }

  #compressEntry(entry: Entry<T>, compress: DeltaCompressor<T>): void {
    entry.deltas = [...compress(entry.deltas)];
    if (entry.deltas.length > 0) return;
    this.#entries.delete(entry.key);
    // No consumer takes from an empty queue, so entries without deltas would never be skipped and removed.
    if (this.#entries.size === 0) this.#line.clear();
    if (entry.isInitial) this.#initial.finished(1);
  }

  #newestByKey(): Map<string, ObjectDelta<T>> {
    const newestByKey = this.#taken.newestByKey();
    for (const [key, { deltas }] of this.#entries) newestByKey.set(key, deltas.at(-1) as ObjectDelta<T>);
    return newestByKey;
  }

  #putBack(key: string, deltas: readonly ObjectDelta<T>[], isInitial: boolean): void {
    if (this.#entries.has(key)) return;
    if (isInitial) this.#initial.again();
    this.#enter({ key, deltas: [...deltas], isInitial });
    this.#metrics?.queuedItems.set(this.size);
    this.#arrivals.notifyAll();
  }

  #enter(entry: Entry<T>): void {
    this.#entries.set(entry.key, entry);
    this.#line.push(entry);
  }
}
