// `shared`: the shared informer, and everything between its cache and its handlers. Start with
// shared-index-informer.ts for the promises, then shared-processor.ts (scheduling of handlers) and processor-listener.ts (one
// handler). The handler interface is in `handler`.
//
// Not here: the source of changes (reflector), the queue (queue) and the cache (store).
export { DeliveryGate } from "./delivery-gate.ts";
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
