// What a controller reads: a synchronous reader over the informer caches. It copies nothing. The objects it returns are shared: do not
// modify them.
//
// Promises: the caches do not change during one synchronous call such as `observe`, because nothing else runs meanwhile. After a `yield` or
// an `await` the same reader returns newer objects, and caches of different resources may be at different resourceVersions. Reading a
// resource that the controller does not watch, or not in that namespace, throws: a cache nobody asked for would be empty for ever.
import { type KubernetesObject, matchesSelector, parseSelector, type Resource, type Selector } from "../api/index.ts";
import type { Served } from "./served.ts";

export interface SnapshotListOptions {
  /** All unless given. */
  readonly namespace?: string;
  /** Instead of one. */
  readonly namespaces?: readonly string[];
  readonly selector?: string | Selector;
}

export interface Snapshot {
  /** By name, or `namespace/name`. */
  get<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined;
  /** In no order that means anything. */
  list<T extends KubernetesObject>(resource: Resource<T>, options?: SnapshotListOptions): readonly T[];
  byIndex<T extends KubernetesObject>(index: Index<T>, value: string): readonly T[];
  /** What the server served when last asked; undefined for controllers whose watches do not follow discovery. */
  readonly served: Served | undefined;
}

/** Finds the objects of one resource by values that are worked out from each. */
export interface Index<T extends KubernetesObject = KubernetesObject> {
  /** Once for each resource in a process: controllers that mean the same index share it. */
  readonly name: string;
  readonly resource: Resource<T>;
  valuesOf(object: T): readonly string[];
}

export function defineIndex<T extends KubernetesObject>(
  name: string,
  resource: Resource<T>,
  valuesOf: (object: T) => readonly string[],
): Index<T> {
  return { name, resource, valuesOf };
}

/** What the options of a list ask for, one object at a time. */
export function isListed({ metadata }: KubernetesObject, options: SnapshotListOptions): boolean {
  const { namespace, namespaces, selector } = options;
  const its = metadata.namespace ?? "";
  if (namespace !== undefined && namespace !== its) return false;
  if (namespaces !== undefined && !namespaces.includes(its)) return false;
  if (selector === undefined) return true;
  return matchesSelector(typeof selector === "string" ? parseSelector(selector) : selector, metadata.labels);
}

/** "apps/v1/deployments": one cache for each. */
export function resourceId(resource: Pick<Resource, "group" | "version" | "plural">): string {
  return `${resource.group}/${resource.version}/${resource.plural}`;
}
