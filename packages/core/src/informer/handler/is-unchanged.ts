// Whether a notification reports nothing new: a resync, or an update whose object did not change, as after a relist. Such
// notifications are only for handlers that asked for resyncs.
//
// An equal resourceVersion alone does not decide. Another object with the same name may have the same version (a server restored from a
// backup, another server), and a custom source may give every state the same version. So the versions are only a
// cheap first check; then the whole objects are compared, including the uid.
//
// An object of which a field is malformed counts as changed: who could not read it before gets what was fetched instead.
import { equalObjects, type KubernetesObject, ProtobufError } from "../../api/index.ts";
import type { Notification } from "./handlers.ts";

export function isUnchanged<T extends KubernetesObject>(notification: Notification<T>): boolean {
  if (notification.type !== "update") return false;
  if (notification.details.cause === "resync") return true;
  const { before, after } = notification;
  const { resourceVersion } = after.metadata;
  // Without versions the objects may differ, so the notification counts as new: a superfluous event is better than a lost one.
  if (resourceVersion === undefined || resourceVersion === "") return false;
  return resourceVersion === before.metadata.resourceVersion && areEqual(before, after);
}

function areEqual(before: object, after: object): boolean {
  try {
    return equalObjects(before, after);
  } catch (error) {
    if (error instanceof ProtobufError) return false;
    throw error;
  }
}
