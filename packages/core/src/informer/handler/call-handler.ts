// Calls the callback of a handler for a notification. Does nothing if the handler has no callback for it.
import type { Notification, ResourceEventHandler } from "./handlers.ts";

/** Returns the callback's promise, if it returns one. Throws what the callback throws. */
export function callHandler<T>(handler: ResourceEventHandler<T>, told: Notification<T>): void | Promise<void> {
  switch (told.type) {
    case "add":
      return handler.onAdd?.(told.object, told.details);
    case "update":
      return handler.onUpdate?.(told.before, told.after, told.details);
    case "delete":
      return handler.onDelete?.(told.gone, told.details);
  }
}
