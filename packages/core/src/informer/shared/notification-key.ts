// The key of the object of a notification.

import type { Notification } from "../handler/handlers.ts";
import type { KeyFunction } from "../store/store.ts";
import { isFinalStateUnknown } from "../tombstone.ts";

export function keyOfNotification<T>(notification: Notification<T>, keyOf: KeyFunction<T>): string {
  switch (notification.type) {
    case "add":
      return keyOf(notification.object);
    case "update":
      return keyOf(notification.after);
    case "delete":
      return isFinalStateUnknown(notification.gone) ? notification.gone.key : keyOf(notification.gone);
  }
}
