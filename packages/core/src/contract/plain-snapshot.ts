// A snapshot of given objects, without a cache. Tests of `observe` use it, and so does code that wants to try out a plan.
import { type KubernetesObject, keyOf, parseSelector, type Resource } from "../api/index.ts";
import type { Served } from "./served.ts";
import { type Index, isListed, resourceId, type Snapshot, type SnapshotListOptions } from "./snapshot.ts";

export interface PlainSnapshotOptions {
  readonly served?: Served;
}

/** `contents` are pairs of a resource and its objects. A resource that is not in `contents` has no objects. */
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
