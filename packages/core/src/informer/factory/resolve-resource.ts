// Finds the resource for a Resource, or for a group, version and plural as in API paths.
import { findResource, type GroupVersionResource, type KubernetesObject, type Resource } from "../../api/index.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";

/** Returns "apps/v1/deployments", the key of the resource's informer. */
export function resourceKeyOf(place: GroupVersionResource | Pick<Resource, "group" | "version" | "plural">): string {
  return `${place.group}/${place.version}/${"plural" in place ? place.plural : place.resource}`;
}

/**
 * Returns the built-in resource, or for an unknown one a resource without a kind: enough to list and to watch,
 * in all namespaces or in one.
 */
export function resolveResource(place: GroupVersionResource | Resource): Resource {
  if ("plural" in place) return place;
  return findResource(place) ?? unknownResource(place);
}

function unknownResource({ group, version, resource }: GroupVersionResource): Resource<KubernetesObject> {
  return {
    group,
    version,
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind: "",
    plural: resource,
    singular: "",
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: ["list", "watch"],
    subresources: [],
    listKind: undefined,
    schemaName: undefined,
    servedByDefault: false,
  };
}

/** Returns a source that checks the kind of its objects only if the kind is known; otherwise it accepts whatever the server sends. */
export function ofKnownKind<T extends KubernetesObject>(source: ListerWatcher<T>): ListerWatcher<T> {
  if (source.resource?.kind !== "") return source;
  return {
    description: source.description,
    resource: source.resource,
    objectKind: "unchecked",
    canWatchList: source.canWatchList ?? true,
    watchListMemory: source.watchListMemory,
    list: (request, signal) => source.list(request, signal),
    watch: (request, signal) => source.watch(request, signal),
  };
}
