// A snapshot made of objects, without any cache: what tests of `observe` are given, and what a plan can be tried on.
import { type KubernetesObject, keyOf, parseSelector, type Resource } from "../api/index.ts";
import type { Served } from "./served.ts";
import { type Index, isListed, resourceId, type Snapshot, type SnapshotListOptions } from "./snapshot.ts";

export interface PlainSnapshotOptions {
  readonly served?: Served;
}

/** Pairs of a resource and its objects; what is not named is empty. */
export function plainSnapshot(
  contents: Iterable<readonly [Resource, readonly KubernetesObject[]]>,
  options: PlainSnapshotOptions = {},
): Snapshot {
  const byResource = new Map<string, KubernetesObject[]>();
  for (const [resource, objects] of contents) {
    byResource.set(resourceId(resource), [...(byResource.get(resourceId(resource)) ?? []), ...objects]);
  }
  const all = <T extends KubernetesObject>(resource: Resource<T>) =>
    (byResource.get(resourceId(resource)) ?? []) as unknown as readonly T[];
  return {
    served: options.served,
    get: (resource, key) => all(resource).find((object) => keyOf(object) === key),
    list: (resource, options: SnapshotListOptions = {}) => {
      const { selector } = options;
      const wanted = typeof selector === "string" ? { ...options, selector: parseSelector(selector) } : options;
      return all(resource).filter((object) => isListed(object, wanted));
    },
    byIndex: <T extends KubernetesObject>(index: Index<T>, value: string) =>
      all(index.resource).filter((object) => index.valuesOf(object).includes(value)),
  };
}
