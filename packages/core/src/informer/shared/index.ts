// `shared`: the informer everyone shares, and all that stands between its cache and a handler. Start with
// shared-index-informer.ts for what is promised, then shared-processor.ts (who is told when) and processor-listener.ts (one
// handler). What a handler is stands in `handler`.
//
// Not here: where changes come from (reflector), how they wait (queue) and where they are kept (store).
export { nameOfHandler } from "./event-handler-name.ts";
export { decideHealth, type Health, type HealthOptions } from "./health.ts";
export { type GroupVersionResource, type InformerIdentity, InformerName } from "./informer-name.ts";
export { Lazy } from "./lazy.ts";
export type { ResourceEventHandlerRegistration } from "./registration.ts";
export { minimumResyncMs } from "./resync-period.ts";
export { type InformerController, SharedIndexInformer } from "./shared-index-informer.ts";
export type {
  EventHandlerOptions,
  HandlerFailure,
  SharedIndexInformerOptions,
  WatchErrorHandler,
} from "./shared-index-informer-options.ts";
