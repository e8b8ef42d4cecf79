// The scope of the watch behind a cache (namespace and selectors), and whether an object is inside of it.
import {
  type KubernetesObject,
  matchesFieldSelector,
  matchesSelector,
  parseFieldSelector,
  parseSelector,
} from "../api/index.ts";

export interface CacheScope {
  /** "" or undefined for all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export function coversNamespace({ namespace = "" }: CacheScope, wanted: string): boolean {
  return namespace === "" || namespace === wanted;
}

/** True only if the object is certainly outside. Of a field selector, only metadata.name and metadata.namespace are evaluated. */
export function isOutside(scope: CacheScope, object: Pick<KubernetesObject, "metadata">): boolean {
  const { namespace = "", name = "", labels } = object.metadata;
  if (!coversNamespace(scope, namespace)) return true;
  if (scope.labelSelector !== undefined && !matchesSelector(parseSelector(scope.labelSelector), labels)) return true;
  if (scope.fieldSelector === undefined) return false;
  const known: Readonly<Record<string, string>> = { "metadata.name": name, "metadata.namespace": namespace };
  const requirements = parseFieldSelector(scope.fieldSelector).filter(({ field }) => Object.hasOwn(known, field));
  return !matchesFieldSelector(requirements, (field) => known[field]);
}
