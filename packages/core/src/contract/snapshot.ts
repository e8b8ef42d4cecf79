// The synchronous reader of the informer caches that a controller uses. It does not copy: the objects that it returns are shared, so do not
// modify them.
//
// Promises: the caches do not change during one synchronous call such as `observe`, because nothing else runs meanwhile. After a `yield` or
// an `await` the same reader returns newer objects, and caches of different resources may be at different resourceVersions. Reading a
// resource that the controller does not watch, or not in that namespace, throws, because it has no cache and would always look empty.
import { type KubernetesObject, matchesSelector, parseSelector, type Resource, type Selector } from "../api/index.ts";
import type { Served } from "./served.ts";

export interface SnapshotListOptions {
  /** All namespaces unless given. */
  readonly namespace?: string;
  /** Several namespaces, instead of `namespace`. */
  readonly namespaces?: readonly string[];
  readonly selector?: string | Selector;
}

export interface Snapshot {
  /** `key` is `name` for a cluster-scoped object, `namespace/name` for a namespaced one. */
  get<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined;
  /** The order of the result is not specified. */
  list<T extends KubernetesObject>(resource: Resource<T>, options?: SnapshotListOptions): readonly T[];
  byIndex<T extends KubernetesObject>(index: Index<T>, value: string): readonly T[];
  /** The result of the last discovery; undefined for controllers whose watches do not follow discovery. */
  readonly served: Served | undefined;
}

/** Finds objects of one resource by values that `valuesOf` computes from each object. */
export interface Index<T extends KubernetesObject = KubernetesObject> {
  /** Unique for the resource within the process: controllers that use the same index share it. */
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

/** Whether an object matches the options of a list. */
export function isListed({ metadata }: KubernetesObject, options: SnapshotListOptions): boolean {
  const { namespace, namespaces, selector } = options;
  const its = metadata.namespace ?? "";
  if (namespace !== undefined && namespace !== its) return false;
  if (namespaces !== undefined && !namespaces.includes(its)) return false;
  if (selector === undefined) return true;
  return matchesSelector(typeof selector === "string" ? parseSelector(selector) : selector, metadata.labels);
}

/** Returns the id of a resource and of its caches: "apps/v1/deployments". */
export function resourceId(resource: Pick<Resource, "group" | "version" | "plural">): string {
  return `${resource.group}/${resource.version}/${resource.plural}`;
}
