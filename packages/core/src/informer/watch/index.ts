// `watch`: following one collection without a cache, or until something has come about. RetryWatcher is a watch that survives;
// `until` and its kin wait for conditions; an InformerWatcher tells what an informer hears as a watch would.
//
// Not here: caches that others share (shared), and the one who keeps them in step (reflector).
export { type InformerWatcher, type InformerWatcherOptions, openInformerWatcher } from "./informer-watcher.ts";
export { type RetriedEvent, RetryWatcher, type RetryWatcherOptions } from "./retry-watcher.ts";
export {
  type ListWatchUntilOptions,
  listWatchUntil,
  type UntilOptions,
  type UntilWithSyncOptions,
  until,
  untilWithoutRetry,
  untilWithSync,
  WatchClosedError,
  type WatchCondition,
} from "./until.ts";
