// The interfaces of a store and an indexer: a map from key to object, with any number of named indexes. Objects
// are shared by all readers: do not change them.
//
// Promises of every implementation: a write is complete when the call returns, including indexes. A write of one object that
// throws has changed nothing; a write of several objects that throws has skipped those that its error names. A read costs only the result it returns.

/** Returns the key of an object. Throws if it has none. */
export type KeyFunction<T> = (object: T) => string;

/** Returns the index values of an object. May be empty; a repeated value counts once. */
export type IndexFunction<T> = (object: T) => readonly string[];

export type Indexers<T> = { readonly [name: string]: IndexFunction<T> };

/** Returns the object to cache. Called once for each incoming object, before it is cached or reported. */
export type Transform<T> = (object: T) => T;

/** The read methods of a cache. */
export interface ReadonlyStore<T> {
  readonly size: number;
  /** Returns the object with the same key as this one. */
  get(object: T): T | undefined;
  getByKey(key: string): T | undefined;
  /** In no particular order. The array belongs to the caller; the objects are shared. */
  list(): T[];
  listKeys(): string[];
  /** The resourceVersion that the content has reached, by the last write, list or bookmark. "" before the first. */
  readonly resourceVersion: string;
}

export interface Store<T> extends ReadonlyStore<T> {
  add(object: T): void;
  update(object: T): void;
  /** Deletes by key: the stored object may differ from the given one. Does nothing if the key is absent. */
  delete(object: T): void;
  /** Replaces the whole content. */
  replace(objects: readonly T[], resourceVersion: string): void;
  /** Does nothing in a store. Queues report all objects again. */
  resync(): void;
  /** The content is up to date with this version. */
  bookmark(resourceVersion: string): void;
}

export interface ReadonlyIndexer<T> extends ReadonlyStore<T> {
  /** Returns the objects that share at least one value of the index with this one; each once. Throws if the index does not exist. */
  index(name: string, object: T): readonly T[];
  byIndex(name: string, value: string): readonly T[];
  /** Sorted. */
  indexKeys(name: string, value: string): readonly string[];
  /** The values with at least one object. */
  listIndexFuncValues(name: string): readonly string[];
  getIndexers(): Indexers<T>;
}

export interface Indexer<T> extends Store<T>, ReadonlyIndexer<T> {
  /** Also allowed if the store has content, which is indexed before this returns. Throws if a name is taken. */
  addIndexers(indexers: Indexers<T>): void;
}
