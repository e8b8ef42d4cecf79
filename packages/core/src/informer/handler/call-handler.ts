// Calls the callback of a handler for a notification. Does nothing if the handler has no callback for it.
import type { Notification, ResourceEventHandler } from "./handlers.ts";

/** Returns the callback's promise, if it returns one. Throws what the callback throws. */
export function callHandler<T>(handler: ResourceEventHandler<T>, notification: Notification<T>): void | Promise<void> {
  switch (notification.type) {
    case "add":
      return handler.onAdd?.(notification.object, notification.details);
    case "update":
      return handler.onUpdate?.(notification.before, notification.after, notification.details);
    case "delete":
      return handler.onDelete?.(notification.gone, notification.details);
  }
}
