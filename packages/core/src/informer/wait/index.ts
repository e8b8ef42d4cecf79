// `wait`: waits until caches and handlers have synced, without polling if they can notify, and explains why they have not.
export { explainFailure } from "./explain-failure.ts";
export { SyncGate, type SyncGateOptions } from "./sync-gate.ts";
export { type CacheSync, CacheSyncError, SyncResult } from "./sync-result.ts";
export { AsyncTracker, SingleFileTracker, type SyncTrackerOptions } from "./sync-tracker.ts";
export type { InformerSynced, Synced, Syncing } from "./syncing.ts";
export {
  type WaitForOptions,
  waitFor,
  waitForCacheSync,
  waitForNamedCacheSync,
} from "./wait-for-cache-sync.ts";
