// Objects by key with any number of named indexes: the base of every store here. The caller passes each key; there is
// no key function. Promise: a key is in the map and in all indexes, or in none. The name is client-go's; in
// a single thread there is nothing to lock.
//
// `add`, `update`, `deleteWithObject`, `transaction`, `replace` and `bookmark` change the store's resourceVersion: writes and bookmarks only
// increase it, `replace` sets it. `set` and `delete` do not change it: they are for stores that keep their own version.
import { type IndexedValues, InvertedIndex } from "./inverted-index.ts";
import type { Indexers, IndexFunction } from "./store.ts";
import { IndexNameError } from "./store-errors.ts";
import { resourceVersionOf, StoreResourceVersion } from "./store-resource-version.ts";

export interface ThreadSafeStoreOptions<T> {
  readonly indexers?: Indexers<T>;
  /** Freeze the index arrays that readers share. */
  readonly isFreezing?: boolean;
}

/** One write of several, with its key. */
export interface KeyedTransaction<T> {
  readonly type: "Add" | "Update" | "Delete";
  readonly key: string;
  readonly object: T;
}

export class ThreadSafeStore<T> {
  readonly #version = new StoreResourceVersion();
  #objects = new Map<string, T>();
  readonly #indexes = new Map<string, InvertedIndex<T>>();
  /** The same indexes as an array, for writes. */
  readonly #indexList: InvertedIndex<T>[] = [];
  readonly #isFreezing: boolean;
  #indexers: Indexers<T> = Object.freeze({});

  constructor({ indexers = {}, isFreezing = false }: ThreadSafeStoreOptions<T> = {}) {
    this.#isFreezing = isFreezing;
    this.addIndexers(indexers);
  }

  get size(): number {
    return this.#objects.size;
  }

  get objectsByKey(): ReadonlyMap<string, T> {
    return this.#objects;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  listKeys(): string[] {
    return [...this.#objects.keys()];
  }

  /** The resourceVersion that the content has reached; "" before the first. client-go's LastStoreSyncResourceVersion. */
  get resourceVersion(): string {
    return this.#version.current;
  }

  /** Throws an IndexError, and then nothing has changed. */
  add(key: string, object: T): void {
    this.update(key, object);
  }

  /** Throws an IndexError, and then nothing has changed. */
  update(key: string, object: T): void {
    this.set(key, object);
    this.#version.advance(resourceVersionOf(object));
  }

  /** Like `delete`, and advances the version to the object's. */
  deleteWithObject(key: string, object: T): void {
    this.delete(key);
    this.#version.advance(resourceVersionOf(object));
  }

  /** Applies the writes in order. Throws the IndexError of the first that fails; those before it are applied. */
  transaction(transactions: readonly KeyedTransaction<T>[]): void {
    for (const { type, key, object } of transactions) {
      if (type === "Delete") this.deleteWithObject(key, object);
      else this.update(key, object);
    }
  }

  /** Replaces the whole content, in all indexes. Throws an IndexError, and then nothing has changed. */
  replace(objects: ReadonlyMap<string, T>, resourceVersion: string): void {
    const indexes = this.#indexList.map(({ name }) => {
      const index = new InvertedIndex(name, this.#indexers[name] as IndexFunction<T>, this.#isFreezing);
      for (const [key, object] of objects) index.put(key, object, index.valuesOf(key, object));
      return index;
    });
    this.#objects = new Map(objects);
    for (const [at, index] of indexes.entries()) {
      this.#indexes.set(index.name, index);
      this.#indexList[at] = index;
    }
    this.#version.set(resourceVersion);
  }

  /** Does nothing: a store is always in sync with itself. */
  resync(): void {}

  /** The content is up to date with this version. */
  bookmark(resourceVersion: string): void {
    this.#version.advance(resourceVersion);
  }

  /** Returns the previous object. Throws an IndexError, and then nothing has changed. */
  set(key: string, object: T): T | undefined {
    if (this.#indexList.length > 0) this.#putInIndexes(key, object);
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    return before;
  }

  /** Does not change the version, because none is given. */
  delete(key: string): void {
    if (!this.#objects.delete(key)) return;
    for (const index of this.#indexList) index.remove(key);
  }

  /** Copies an object from a store with the same indexes, without calling index functions. Does nothing if it is absent there. */
  copyFrom(other: ThreadSafeStore<T>, key: string): void {
    const object = other.#objects.get(key);
    if (object === undefined) return;
    for (const [name, index] of this.#indexes) index.put(key, object, other.#indexOf(name).recordedValues(key));
    this.#objects.set(key, object);
  }

  index(name: string, object: T): readonly T[] {
    const index = this.#indexOf(name);
    const values = index.valuesOf("the object asked about", object);
    if (typeof values === "string") return index.list(values);
    const found = new Map<string, T>();
    for (const value of values) for (const key of index.keys(value)) found.set(key, this.#objects.get(key) as T);
    return [...found.values()];
  }

  byIndex(name: string, value: string): readonly T[] {
    return this.#indexOf(name).list(value);
  }

  indexKeys(name: string, value: string): string[] {
    return [...this.#indexOf(name).keys(value)].sort();
  }

  listIndexFuncValues(name: string): string[] {
    return this.#indexOf(name).values();
  }

  /** Returns the same value until an index is added. */
  getIndexers(): Indexers<T> {
    return this.#indexers;
  }

  /** All or none. Throws if a name is taken, and an IndexError if an index function throws for an object. */
  addIndexers(indexers: Indexers<T>): void {
    const added = Object.entries(indexers).map(([name, indexFunction]) => {
      if (this.#indexes.has(name)) throw new IndexNameError(name, "exists already");
      const index = new InvertedIndex(name, indexFunction, this.#isFreezing);
      for (const [key, object] of this.#objects) index.put(key, object, index.valuesOf(key, object));
      return index;
    });
    for (const index of added) this.#indexes.set(index.name, index);
    this.#indexList.push(...added);
    if (added.length > 0) this.#indexers = Object.freeze({ ...this.#indexers, ...indexers });
  }

  #putInIndexes(key: string, object: T): void {
    // All index functions are called before anything is changed.
    const indexes = this.#indexList;
    const values: IndexedValues[] = [];
    for (const index of indexes) values.push(index.valuesOf(key, object));
    for (let at = 0; at < indexes.length; at++) indexes[at]?.put(key, object, values[at] as IndexedValues);
  }

  #indexOf(name: string): InvertedIndex<T> {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new IndexNameError(name, "does not exist");
    return index;
  }
}
