// `watch`: follows one collection without a cache, or until a condition is fulfilled. RetryWatcher is a watch that is reopened after failures;
// `until` and its variants wait for conditions; an InformerWatcher provides the changes of an informer as watch events.
//
// Not here: shared caches (shared), and what keeps them up to date (reflector).
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
