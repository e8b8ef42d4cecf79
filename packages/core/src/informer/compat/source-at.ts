// Makes a ListerWatcher from an API path: "/api/v1/namespaces/default/pods".
import { type KubernetesObject, type Resource, requestInfoOf } from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";
import type { Client } from "../../client/index.ts";
import { ofKnownKind, resolveResource } from "../factory/resolve-resource.ts";
import { type ListWatchOptions, newListWatchFromClient } from "../reflector/list-watch.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";

/** Throws if the path is not a collection. */
export function sourceAt<T extends KubernetesObject>(
  client: Client,
  path: string,
  options: ListWatchOptions,
): ListerWatcher<T> {
  const info = requestInfoOf({ method: "GET", path, query: [] });
  if (!info.isResourceRequest || info.name !== "" || path.includes("?")) throw noCollection(path);
  const { group, version, resource: plural, namespace } = info;
  const resource = resolveResource({ group, version, resource: plural }) as Resource<T>;
  if (namespace === "") return ofKnownKind(newListWatchFromClient(client, resource, options));
  if (!resource.namespaced) throw noCollection(path);
  return ofKnownKind(newListWatchFromClient(client, resource, { ...options, namespace }));
}

function noCollection(path: string): KubeloopError {
  const message = `"${path}" is not the path of a collection such as "/api/v1/namespaces/default/pods"`;
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
