// What the namespace controller looks at for one key. Caches only say that the namespace is being deleted; all else is asked of the server.
import type { View } from "@kubeloop/core/contract";
import { namespaces } from "@kubeloop/core/resources";
import type { Attempts, DeletionAttempts } from "./model.ts";

export interface Observed {
  readonly name: string;
  readonly attempts: Attempts;
}

/** Undefined when there is no such namespace, or nobody deletes it. */
export function observe(key: string, { snapshot, model }: View<DeletionAttempts>): Observed | undefined {
  const namespace = snapshot.get(namespaces, key);
  if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
  return { name: key, attempts: model.of(namespace) };
}
