// The cache of an informer: a store with indexes that computes each object's key itself; client-go's cache and
// ThreadSafeStore in one.
//
// Promises: a write is complete when the call returns, including indexes and version. An object that fails (no key, a transform
// or an index function that throws) fails alone: the write throws, and the store keeps the previous state under its key. Of
// several writes at once (`transaction`, `replace`) the others succeed, and one TransactionError names those that failed.
// Readers see the content before or after a `replace`, never a mix, however long it takes to prepare.
//
// Not promised: an order of `list` or `byIndex`. The returned objects, and the arrays of `byIndex`, are shared; do not change them.
import { type GaugeSeries, toError } from "../../base/index.ts";
import { type Deleted, isFinalStateUnknown } from "../tombstone.ts";
import { metaNamespaceKeyFunc } from "./key-functions.ts";
import type { ReplaceOptions } from "./reflector-store.ts";
import { type Pause, Replacement } from "./replacement.ts";
import type { Indexer, Indexers, KeyFunction, Store, Transform } from "./store.ts";
import { TransactionError } from "./store-errors.ts";
import { resourceVersionOf, StoreResourceVersion } from "./store-resource-version.ts";
import { ThreadSafeStore } from "./thread-safe-store.ts";
import { keptOf, keyFor, type WriteRules } from "./write-rules.ts";

export interface IndexedStoreOptions<T> {
  /** Default: `metaNamespaceKeyFunc`. */
  readonly keyOf?: KeyFunction<T>;
  readonly indexers?: Indexers<T>;
  /** Applied once to each written object; the store keeps the result. */
  readonly transform?: Transform<T> | undefined;
  /** Deep-freeze written objects, so that code that changes a cached object throws. Costs time; for tests. */
  readonly freeze?: boolean;
  /** See `storeResourceVersionGauge`. */
  readonly resourceVersionGauge?: GaugeSeries | undefined;
}

/** One write among several. */
export type Transaction<T> =
  | { readonly type: "Add" | "Update"; readonly object: T }
  | { readonly type: "Delete"; readonly object: Deleted<T> };

export interface SlicedReplaceOptions extends ReplaceOptions {
  readonly pause: Pause;
}

export class IndexedStore<T> implements Indexer<T> {
  readonly transform: Transform<T> | undefined;
  readonly #rules: WriteRules<T>;
  readonly #version: StoreResourceVersion;
  #content: ThreadSafeStore<T>;

  constructor(options: IndexedStoreOptions<T> = {}) {
    const { keyOf = metaNamespaceKeyFunc, indexers = {}, transform, freeze = false, resourceVersionGauge } = options;
    this.transform = transform;
    this.#rules = { keyOf, transform, isFreezing: freeze };
    this.#version = new StoreResourceVersion(resourceVersionGauge);
    this.#content = new ThreadSafeStore({ indexers, isFreezing: freeze });
  }

  get size(): number {
    return this.#content.size;
  }

  /** Writes, deletes and bookmarks never decrease it; `replace` sets it to the given version. */
  get resourceVersion(): string {
    return this.#version.current;
  }

  get(object: T): T | undefined {
    return this.#content.get(keyFor(object, this.#rules));
  }

  getByKey(key: string): T | undefined {
    return this.#content.get(key);
  }

  /**
   * The content itself, not a copy. It shows later writes until the next `replace`, which leaves this map unchanged: kept across
   * a `replace`, it is the previous content.
   */
  get objectsByKey(): ReadonlyMap<string, T> {
    return this.#content.objectsByKey;
  }

  list(): T[] {
    return this.#content.list();
  }

  listKeys(): string[] {
    return this.#content.listKeys();
  }

  add(object: T): void {
    this.exchange(object);
  }

  update(object: T): void {
    this.exchange(object);
  }

  /** Adds or updates, and returns the previous object. */
  exchange(object: T): T | undefined {
    const key = keyFor(object, this.#rules);
    const before = this.#content.set(key, keptOf(key, object, this.#rules));
    this.#version.advance(resourceVersionOf(object));
    return before;
  }

  /** Deletes by key. A tombstone's version is ignored, because it is old or unknown. */
  delete(gone: Deleted<T>): void {
    if (isFinalStateUnknown(gone)) {
      this.deleteByKey(gone.key);
    } else {
      this.deleteByKey(keyFor(gone, this.#rules));
      this.#version.advance(resourceVersionOf(gone));
    }
  }

  /** Does not change the version, because none is given. */
  deleteByKey(key: string): void {
    this.#content.delete(key);
  }

  /** Applies the writes in order. Throws a TransactionError if some failed; the others are applied. */
  transaction(transactions: readonly Transaction<T>[]): void {
    const errors: Error[] = [];
    const successfulIndices: number[] = [];
    for (const [at, transaction] of transactions.entries()) {
      try {
        if (transaction.type === "Delete") this.delete(transaction.object);
        else this.add(transaction.object);
        successfulIndices.push(at);
      } catch (error) {
        errors.push(toError(error));
      }
    }
    if (errors.length > 0) throw new TransactionError(errors, successfulIndices);
  }

  replace(objects: readonly T[], resourceVersion: string, options: ReplaceOptions = {}): void {
    const replacement = this.#replacementOf(objects, options);
    replacement.prepareAll(this.getIndexers());
    this.#swapIn(replacement, resourceVersion);
  }

  /**
   * Like `replace`, but in slices: `pause` is called every few objects. Until all are
   * prepared, reads and writes use the old content; what is written meanwhile is replaced together with it. If aborted, nothing changes.
   */
  async replaceInSlices(
    objects: readonly T[],
    resourceVersion: string,
    options: SlicedReplaceOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const replacement = this.#replacementOf(objects, options);
    for (;;) {
      signal.throwIfAborted();
      const waiting = replacement.prepareSlice(this.getIndexers(), options.pause);
      if (waiting === undefined) return this.#swapIn(replacement, resourceVersion);
      await waiting;
    }
  }

  resync(): void {}

  bookmark(resourceVersion: string): void {
    this.#version.advance(resourceVersion);
  }

  index(name: string, object: T): readonly T[] {
    return this.#content.index(name, object);
  }

  byIndex(name: string, value: string): readonly T[] {
    return this.#content.byIndex(name, value);
  }

  indexKeys(name: string, value: string): readonly string[] {
    return this.#content.indexKeys(name, value);
  }

  listIndexFuncValues(name: string): readonly string[] {
    return this.#content.listIndexFuncValues(name);
  }

  getIndexers(): Indexers<T> {
    return this.#content.getIndexers();
  }

  addIndexers(indexers: Indexers<T>): void {
    this.#content.addIndexers(indexers);
  }

  #replacementOf(objects: readonly T[], { isTransformed = false }: ReplaceOptions): Replacement<T> {
    const rules = isTransformed ? { ...this.#rules, transform: undefined } : this.#rules;
    return new Replacement(objects, rules, this.getIndexers());
  }

  #swapIn(replacement: Replacement<T>, resourceVersion: string): void {
    this.#content = replacement.contentAfter(this.#content);
    this.#version.set(resourceVersion);
    replacement.throwFailures();
  }
}

export function newStore<T>(keyOf: KeyFunction<T>, options: Omit<IndexedStoreOptions<T>, "keyOf"> = {}): Store<T> {
  return new IndexedStore({ ...options, keyOf });
}

export function newIndexer<T>(
  keyOf: KeyFunction<T>,
  indexers: Indexers<T>,
  options: Omit<IndexedStoreOptions<T>, "keyOf" | "indexers"> = {},
): Indexer<T> {
  return new IndexedStore({ ...options, keyOf, indexers });
}
