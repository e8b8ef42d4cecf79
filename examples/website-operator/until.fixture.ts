// Waits on a real API server until an object is as it should be. Ends with the signal; there is nothing to poll and nothing to sleep for.
import type { KubernetesObject, Resource } from "@kubeloop/core/api";
import type { Client, WatchEvent } from "@kubeloop/core/client";
import { newListWatchFromClient, untilWithSync } from "@kubeloop/core/informer";

export interface Place {
  /** Absent for what lives in none. */
  readonly namespace?: string;
  readonly name: string;
}

/** `holds` gets undefined while the object is not there. */
export async function until<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  { name, ...namespace }: Place,
  holds: (object: T | undefined) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const source = newListWatchFromClient(client, resource, { ...namespace, fieldSelector: `metadata.name=${name}` });
  const wait = {
    precondition: (store: { list(): readonly T[] }) => holds(store.list()[0]),
    conditions: [(event: WatchEvent<T>) => holds(event.type === "DELETED" ? undefined : (event.object as T))],
  };
  await untilWithSync(source, wait, signal);
}
