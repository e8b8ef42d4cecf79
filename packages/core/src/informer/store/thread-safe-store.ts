// Objects by key, and any number of named indexes beside them: what is under every store here. It is told each key, knows
// no key function, and keeps one promise: a key is in the map and in all indexes, or in none. The name is client-go's; with
// one thread there is nothing to lock.
//
// `add`, `update`, `deleteWithObject`, `transaction`, `replace` and `bookmark` move the store's resourceVersion: writes and bookmarks forward only,
// `replace` to what it is given. `set` and `delete` do not: they are for stores that keep a version of their own.
import { type IndexedValues, InvertedIndex } from "./inverted-index.ts";
import type { Indexers, IndexFunction } from "./store.ts";
import { IndexNameError } from "./store-errors.ts";
import { resourceVersionOf, StoreResourceVersion } from "./store-resource-version.ts";

export interface ThreadSafeStoreOptions<T> {
  readonly indexers?: Indexers<T>;
  /** Freeze the arrays that readers of an index share. */
  readonly isFreezing?: boolean;
}

/** One write among several, with the key of its object. */
export interface KeyedTransaction<T> {
  readonly type: "Add" | "Update" | "Delete";
  readonly key: string;
  readonly object: T;
}

export class ThreadSafeStore<T> {
  readonly #version = new StoreResourceVersion();
  #objects = new Map<string, T>();
  readonly #indexes = new Map<string, InvertedIndex<T>>();
  /** The same, for writing. */
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

  /** The version the content is known to have reached; "" before the first. client-go's LastStoreSyncResourceVersion. */
  get resourceVersion(): string {
    return this.#version.current;
  }

  /** Throws an IndexError, and has changed nothing then. */
  add(key: string, object: T): void {
    this.update(key, object);
  }

  /** Throws an IndexError, and has changed nothing then. */
  update(key: string, object: T): void {
    this.set(key, object);
    this.#version.advance(resourceVersionOf(object));
  }

  /** As `delete`; the object says as of which version. */
  deleteWithObject(key: string, object: T): void {
    this.delete(key);
    this.#version.advance(resourceVersionOf(object));
  }

  /** In this order. Throws the IndexError of the first that fails: those before it are done. */
  transaction(transactions: readonly KeyedTransaction<T>[]): void {
    for (const { type, key, object } of transactions) {
      if (type === "Delete") this.deleteWithObject(key, object);
      else this.update(key, object);
    }
  }

  /** Exactly these from now on, in all indexes. Throws an IndexError, and has changed nothing then. */
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

  /** Nothing is missing here that a resync could bring. */
  resync(): void {}

  /** Nothing changed up to this version. */
  bookmark(resourceVersion: string): void {
    this.#version.advance(resourceVersion);
  }

  /** Gives what was there. Throws an IndexError, and has changed nothing then. */
  set(key: string, object: T): T | undefined {
    if (this.#indexList.length > 0) this.#putInIndexes(key, object);
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    return before;
  }

  /** Nobody says as of which version: that stays. */
  delete(key: string): void {
    if (!this.#objects.delete(key)) return;
    for (const index of this.#indexList) index.remove(key);
  }

  /** Takes an object over from a store with the same indexes, and asks no index function. Nothing if it is not there. */
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

  /** The same value until an index is added. */
  getIndexers(): Indexers<T> {
    return this.#indexers;
  }

  /** All or none. Throws for a name that is taken, and an IndexError for an object that cannot be placed. */
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
    // All index functions speak before anything is touched.
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
