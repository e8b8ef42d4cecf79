// Selecting by labels from arrays of any length: one pass, nothing allocated but, where the array is not ours to change, the
// result.
import { isEverything, type KubernetesObject, matchesSelector, type Selector } from "../../api/index.ts";

/** A new array of what matches. */
export function select<T extends KubernetesObject>(objects: readonly T[], selector: Selector): T[] {
  if (isEverything(selector)) return objects.slice();
  const selected: T[] = [];
  for (const object of objects) if (matchesSelector(selector, object.metadata.labels)) selected.push(object);
  return selected;
}

/** The same array, with only what matches left in it, in the same order; of one namespace, if given. */
export function selectInPlace<T extends KubernetesObject>(objects: T[], selector: Selector, namespace?: string): T[] {
  const isAll = isEverything(selector);
  if (isAll && namespace === undefined) return objects;
  let kept = 0;
  for (const object of objects) {
    const { metadata } = object;
    if (namespace !== undefined && metadata.namespace !== namespace) continue;
    if (isAll || matchesSelector(selector, metadata.labels)) objects[kept++] = object;
  }
  objects.length = kept;
  return objects;
}
