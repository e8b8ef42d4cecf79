// `reflector`: how a cache gets to know what a server has. A ListerWatcher says where to list and watch; a Reflector does both
// for as long as it runs and writes what it hears into a ReflectorStore. Start with reflector.ts; what it does when something
// goes wrong is a table, whose rows are in begin-rows, list-rows, stream-rows and watch-rows.
//
// Not here: caches, queues and handlers; whoever writes to a server.
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
export type { Command, Complaint, Input, Phase, ReflectorRules, ReflectorState } from "./reflector-state.ts";
export { initialState } from "./reflector-state.ts";
export { type ReflectorRow, reflectorRows, type Step, step } from "./reflector-step.ts";
