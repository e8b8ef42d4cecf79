// Whether a notification reports nothing new: a resync, or an update to the very same object, as a relist finds them. Such are
// for those who asked to be told again.
//
// The version alone does not decide. Another object may stand under the name with the same version (a server restored from a
// backup, another server), and a source of one's own may give every state the same version. So equal versions are only the
// cheap first question; then the whole objects are compared, uid included.
import type { KubernetesObject } from "../../api/index.ts";
import { deepEqual } from "../../base/index.ts";
import type { Notification } from "./handlers.ts";

export function repeatsTheKnown<T extends KubernetesObject>(told: Notification<T>): boolean {
  if (told.type !== "update") return false;
  if (told.details.cause === "resync") return true;
  const { before, after } = told;
  const { resourceVersion } = after.metadata;
  // A source without versions says nothing about sameness: better once too often than a change lost.
  if (resourceVersion === undefined || resourceVersion === "") return false;
  return resourceVersion === before.metadata.resourceVersion && deepEqual(before, after);
}
