// Which resource is meant: by the resource itself, or by group, version and plural alone, as the API's paths have it.
import { findResource, type GroupVersionResource, type KubernetesObject, type Resource } from "../../api/index.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";

/** "apps/v1/deployments": one informer for each. */
export function placeKey(place: GroupVersionResource | Pick<Resource, "group" | "version" | "plural">): string {
  return `${place.group}/${place.version}/${"plural" in place ? place.plural : place.resource}`;
}

/**
 * The built-in resource that lives there; for a place nobody knows, a resource without a kind: enough to list and to watch,
 * in all namespaces or in one.
 */
export function resourceAt(place: GroupVersionResource | Resource): Resource {
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

/** A source that checks kinds where there is one to check: where only the place is known, what comes from there is right. */
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
