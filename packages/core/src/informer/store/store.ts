// What a store and an indexer are: a map from key to object, with any number of named inverted indexes beside it. Objects
// are shared with everyone who reads them: change none.
//
// Promises of every implementation: a write is whole when the call returns, indexes included; a write of one object that
// throws has changed nothing, one of several has left out those its error names; reading costs nothing but the answer.

/** Names the object within its store. Throws for what has no name. */
export type KeyFunction<T> = (object: T) => string;

/** Under which values an object is found. None is fine; a value given twice counts once. */
export type IndexFunction<T> = (object: T) => readonly string[];

export type Indexers<T> = { readonly [name: string]: IndexFunction<T> };

/** Makes of an object what the cache keeps: once for each object that comes in, before anyone sees it. */
export type Transform<T> = (object: T) => T;

/** What readers of a cache see. */
export interface ReadonlyStore<T> {
  readonly size: number;
  /** The object with the same key as this one. */
  get(object: T): T | undefined;
  getByKey(key: string): T | undefined;
  /** In no order that means anything. The array is the caller's; the objects are not. */
  list(): T[];
  listKeys(): string[];
  /** The version the content is known to have reached: of the last write, list or bookmark. "" before the first. */
  readonly resourceVersion: string;
}

export interface Store<T> extends ReadonlyStore<T> {
  add(object: T): void;
  update(object: T): void;
  /** By key: what is in the store may differ from what is given. Deleting what is not there is nothing. */
  delete(object: T): void;
  /** Exactly these from now on. */
  replace(objects: readonly T[], resourceVersion: string): void;
  /** Nothing is missing here that a resync could bring. Queues do something. */
  resync(): void;
  /** Nothing changed up to this version. */
  bookmark(resourceVersion: string): void;
}

export interface ReadonlyIndexer<T> extends ReadonlyStore<T> {
  /** Objects that share at least one value of the index with this one; each once. Throws for an index nobody added. */
  index(name: string, object: T): readonly T[];
  byIndex(name: string, value: string): readonly T[];
  /** Sorted. */
  indexKeys(name: string, value: string): readonly string[];
  /** The values that have at least one object. */
  listIndexFuncValues(name: string): readonly string[];
  getIndexers(): Indexers<T>;
}

export interface Indexer<T> extends Store<T>, ReadonlyIndexer<T> {
  /** Also on a store with content, which is indexed before this returns. Throws for a name that is taken. */
  addIndexers(indexers: Indexers<T>): void;
}
