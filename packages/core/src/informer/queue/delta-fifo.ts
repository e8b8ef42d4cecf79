// The queue client-go grew up with: for each object the list of what happened to it, and the objects in the order in which
// they first had something to tell. What is taken is one object with all its deltas, so a consumer that is slow sees fewer,
// longer lists; the order between objects is not that of the stream.
//
// As in client-go: only deletions in a row are merged; the deletion of what is neither queued nor known is dropped, having
// been told before; a list queues its objects first and tombstones for what it no longer has after them; a resync concerns
// only objects with nothing queued. Other than there, an object of the first list counts once it is done, not when it is
// taken.
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
  /** What the consumer has. Without it, deletions that a list implies are noticed only for what is queued. */
  readonly knownObjects?: KnownObjects<T> | undefined;
  /** How the objects of a list are called. "Replaced" unless given; "Sync" is what consumers of old expect. */
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
  /** Empty once the compressor has left nothing: then it is no longer in the queue, only still in line. */
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

  /** Objects with something to tell. */
  get size(): number {
    return this.#entries.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  keyOf(item: Keyed<T>): string {
    return this.#intake.keyOf(item);
  }

  /** The newest state of each queued object. */
  list(): Deleted<T>[] {
    return Array.from(this.#entries.values(), ({ deltas }) => (deltas.at(-1) as ObjectDelta<T>).object);
  }

  /** In the order in which they will be taken. */
  listKeys(): string[] {
    return [...this.#entries.keys()];
  }

  /** What is queued for the object with this one's key. */
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
      // A Sync behind a change would bring back what the cache had before it.
      const object = newestByKey.has(key) ? undefined : this.#known.getByKey(key);
      if (object !== undefined) this.#append(key, { type: "Sync", object });
    }
  }

  /** Puts deltas back at the end of the line, unless something is queued for their object: that is newer. */
  addIfNotPresent(deltas: readonly ObjectDelta<T>[]): void {
    if (this.#isClosed) return;
    const key = this.keyOf(deltas);
    this.#initial.skip();
    this.#putBack(key, deltas, false);
  }

  /** The same with a batch that is not done yet. If it is of the first list, it is waited for once more. */
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
   * Waits for an object and works on its deltas. Throws a QueueClosedError once closed and empty, or what the work throws.
   * A RequeueError puts the deltas back as `requeue` does: then it throws its cause, or returns undefined if there is none.
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

  /** Whether its deletion would be news. */
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
    // Nobody takes from an empty queue, so nobody would pass over what only stands in line.
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
