// `storage`: where the server keeps objects. storage.ts says what every storage promises, memory-storage.ts is the one in memory.
// It knows nothing of Kubernetes but `metadata.resourceVersion`; keys, kinds and rules are the business of those above.
export { MemoryStorage, type MemoryStorageOptions } from "./memory-storage.ts";
export {
  type EventLog,
  ExpiredRevision,
  FutureRevision,
  isSnapshotStorage,
  type Range,
  type RangeResult,
  type RevertChoice,
  type RevertedObject,
  type SnapshotStorage,
  type Storage,
  type StorageEvent,
  type StorageKey,
  type StorageSnapshot,
  type Write,
  type WriteResult,
} from "./storage.ts";
