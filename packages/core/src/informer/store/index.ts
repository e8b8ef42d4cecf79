// The caches of informers: objects by key, with indexes. Promises: a read costs only the result it returns; a write is complete or
// has not happened; an object that fails (no key, an index function that throws) fails alone, with an error. Returned objects
// are shared: do not change them. Not here: how objects get in (queue, reflector) and who is notified (shared).
//
// Read store.ts for the contract, then indexed-store.ts. There are also client-go's other stores: a priority queue
// (Heap), a store with a time to live (ExpirationCache), one that pushes its whole content (UndeltaStore), an overlay to read
// your own writes (MutationCache); and stripManagedFields to save memory and the CacheMutationDetector to find changes of cached objects.
export {
  CacheMutationDetector,
  type CacheMutationDetectorOptions,
  CacheMutationError,
  isMutationDetectionOn,
  type MutationDetector,
  type NewMutationDetectorOptions,
  newCacheMutationDetector,
  noMutationDetector,
} from "./cache-mutation-detector.ts";
export type { Difference } from "./deep-differences.ts";
export {
  ExpirationCache,
  type ExpirationCacheOptions,
  type ExpirationPolicy,
  newTtlStore,
  type TimestampedEntry,
  type TtlStoreOptions,
  ttlPolicy,
} from "./expiration-cache.ts";
export { Heap, type HeapOptions } from "./heap.ts";
export {
  IndexedStore,
  type IndexedStoreOptions,
  newIndexer,
  newStore,
  type SlicedReplaceOptions,
  type Transaction,
} from "./indexed-store.ts";
export {
  deletionHandlingMetaNamespaceKeyFunc,
  ExplicitKey,
  explicitKey,
  metaNamespaceIndexFunc,
  metaNamespaceKeyFunc,
  namespaceIndex,
  namespaceIndexers,
  objectName,
  splitMetaNamespaceKey,
} from "./key-functions.ts";
export { listAll, listAllByNamespace, type NamespaceListOptions } from "./lister-functions.ts";
export { MutationCache, type MutationCacheOptions } from "./mutation-cache.ts";
export { QueueClosedError } from "./queue-closed-error.ts";
export type { ReflectorStore, ReplaceOptions } from "./reflector-store.ts";
export type { Pause } from "./replacement.ts";
export type {
  Indexer,
  Indexers,
  IndexFunction,
  KeyFunction,
  ReadonlyIndexer,
  ReadonlyStore,
  Store,
  Transform,
} from "./store.ts";
export { IndexError, IndexNameError, KeyError, TransactionError, TransformError } from "./store-errors.ts";
export { type InformerLabel, storeResourceVersionGauge, storeResourceVersionMetric } from "./store-resource-version.ts";
export { StringPool } from "./string-pool.ts";
export { type StripOptions, stripManagedFields } from "./strip-managed-fields.ts";
export { type KeyedTransaction, ThreadSafeStore, type ThreadSafeStoreOptions } from "./thread-safe-store.ts";
export { newUndeltaStore, type PushFunction, UndeltaStore } from "./undelta-store.ts";
