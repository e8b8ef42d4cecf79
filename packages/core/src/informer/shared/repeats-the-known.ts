// Whether a notification says nothing new: a resync, or a list that has the object in the very version the cache had. Such
// are for those who asked to be told again.
import type { KubernetesObject } from "../../api/index.ts";
import type { Notification } from "./handlers.ts";

export function repeatsTheKnown<T extends KubernetesObject>(told: Notification<T>): boolean {
  if (told.type !== "update") return false;
  if (told.details.cause === "resync") return true;
  const { resourceVersion } = told.after.metadata;
  // A source without versions says nothing about sameness: better once too often than a change lost.
  if (resourceVersion === undefined || resourceVersion === "") return false;
  return resourceVersion === told.before.metadata.resourceVersion;
}
