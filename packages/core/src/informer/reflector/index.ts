// `reflector`: keeps a store up to date with a server. A ListerWatcher lists and watches one collection; a Reflector uses it
// until it is stopped, and writes the results to a ReflectorStore. Start with reflector.ts. Its recovery from
// failures is a table, whose rows are in begin-transitions, list-transitions, watch-list-transitions and watch-transitions.
//
// Not here: caches, queues and handlers; writes to a server.
export { InconsistencyError } from "./consistency-detector.ts";
export { type CustomListWatch, customListWatch, type ListedObjects } from "./custom-list-watch.ts";
export { type FailureClass, StoreFailure } from "./failure-class.ts";
export {
  ListWatch,
  type ListWatchOptions,
  type ListWatchScope,
  newFilteredListWatchFromClient,
  newListWatchFromClient,
  newMetadataListWatchFromClient,
} from "./list-watch.ts";
export type { ListAnswer, ListerWatcher, ListRequest, ObjectKind, WatchRequest } from "./lister-watcher.ts";
export { DroppedObjectError } from "./object-check.ts";
export { Reflector } from "./reflector.ts";
export { reflectorMetricDefinitions } from "./reflector-metrics.ts";
export type { FailureDetails, ReflectorOptions } from "./reflector-options.ts";
export type { Command, Input, Phase, Problem, ReflectorRules, ReflectorState } from "./reflector-state.ts";
export { initialState } from "./reflector-state.ts";
export { type ReflectorRow, reflectorRows, type Step, step } from "./reflector-step.ts";
