// `handler`: what a handler is, what it is told, and ways to make one. Everything above, the queue included, speaks in these notifications.
export {
  type FilteringHandlerOptions,
  FilteringResourceEventHandler,
  filteringHandler,
  type ResourceEventHandlerFuncs,
  resourceEventHandlerFuncs,
} from "./handler-funcs.ts";
export type { EventCause, EventDetails, Notification, ResourceEventHandler } from "./handlers.ts";
