// Calls the callback of a handler that a notification is for; one it does not have is nothing.
import type { Notification, ResourceEventHandler } from "./handlers.ts";

/** The callback's promise, where it returns one. Throws what it throws. */
export function tell<T>(handler: ResourceEventHandler<T>, told: Notification<T>): void | Promise<void> {
  switch (told.type) {
    case "add":
      return handler.onAdd?.(told.object, told.details);
    case "update":
      return handler.onUpdate?.(told.before, told.after, told.details);
    case "delete":
      return handler.onDelete?.(told.gone, told.details);
  }
}
