// `handler`: the interface of event handlers, their notifications, and ways to make a handler. All folders above, including the queue, use these
// notifications.
export {
  type FilteringHandlerOptions,
  FilteringResourceEventHandler,
  filteringHandler,
  type ResourceEventHandlerFuncs,
  resourceEventHandlerFuncs,
} from "./handler-funcs.ts";
export type { EventCause, EventDetails, Notification, ResourceEventHandler } from "./handlers.ts";
