// Selects objects by labels from arrays: one pass, and nothing is allocated except the result, where the array must not be
// changed.
import { isEverything, type KubernetesObject, matchesSelector, type Selector } from "../../api/index.ts";

/** Returns a new array of the objects that match. */
export function select<T extends KubernetesObject>(objects: readonly T[], selector: Selector): T[] {
  if (isEverything(selector)) return objects.slice();
  const selected: T[] = [];
  for (const object of objects) if (matchesSelector(selector, object.metadata.labels)) selected.push(object);
  return selected;
}

/** Removes the objects that do not match from the array, and those of other namespaces if one is given. Keeps the order. */
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
