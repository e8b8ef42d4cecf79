// The elements of merged lists: their identity and their order. An object is identified
// by the value of its merge key, any other element by its value.
import { hasKey, isJsonList, isJsonObject, ownValue } from "../json-value.ts";
import type { PathPart } from "../schema.ts";
import { isDeletion } from "./directives.ts";
import { StrategicMergeError } from "./patch-error.ts";

export type JsonType = "object" | "list" | "null" | "string" | "number" | "boolean";

export function jsonTypeOf(value: unknown): JsonType {
  if (value === null || value === undefined) return "null";
  if (isJsonList(value)) return "list";
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return typeof value as never;
  return "object";
}

/** Returns the common type of all elements of the lists; undefined if there are none. */
export function elementType(lists: readonly (readonly unknown[])[], path: readonly PathPart[]): JsonType | undefined {
  let found: JsonType | undefined;
  for (const element of lists.flat(1)) {
    const type = jsonTypeOf(element);
    if (type === "list") throw new StrategicMergeError("Invalid", path, "lists of lists are not supported");
    found ??= type;
    if (type !== found) throw new StrategicMergeError("Invalid", path, "list element types are not identical");
  }
  return found;
}

/** Returns the identity of an element. */
export function identityOf(element: unknown, mergeKey: string | undefined, path: readonly PathPart[]): unknown {
  if (!isJsonObject(element) || mergeKey === undefined) return element;
  if (hasKey(element, mergeKey)) return ownValue(element, mergeKey);
  throw new StrategicMergeError("Invalid", path, `an element does not contain declared merge key: ${mergeKey}`);
}

export interface ElementOrder {
  /** The requested order: of the patch, or of `$setElementOrder`. */
  readonly wanted: readonly unknown[];
  /** The order of the live list, for elements that are not in the requested order. */
  readonly live: readonly unknown[];
  readonly mergeKey: string | undefined;
  readonly path: readonly PathPart[];
}

/**
 * Elements in the requested order come in that order, the others in their live order; a live element comes before the
 * first requested one that followed it in the live list. Elements marked for deletion come last.
 */
export function orderElements(elements: readonly unknown[], order: ElementOrder): readonly unknown[] {
  const keyOf = (element: unknown): unknown => identityOf(element, order.mergeKey, order.path);
  const wanted = placesOf(order.wanted, keyOf);
  const live = placesOf(order.live, keyOf);
  const asked = elements.filter((element) => wanted.has(keyOf(element)));
  const others = elements.filter((element) => !wanted.has(keyOf(element)));
  const placeIn = (places: ReadonlyMap<unknown, number>) => (element: unknown) => places.get(keyOf(element));
  return interleave(sorted(others, placeIn(live)), sorted(asked, placeIn(wanted)), placeIn(live));
}

/** Sorted by position, deletions last. */
export function sorted(
  elements: readonly unknown[],
  placeOf: (element: unknown) => number | undefined,
): readonly unknown[] {
  const byPlace = (a: unknown, b: unknown): number => (placeOf(a) ?? 0) - (placeOf(b) ?? 0);
  const kept = elements.filter((element) => !isDeletion(element)).sort(byPlace);
  return [...kept, ...elements.filter(isDeletion)];
}

/** Returns the first position of each element. */
export function placesOf(elements: readonly unknown[], keyOf: (element: unknown) => unknown): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [i, element] of elements.entries()) {
    const key = keyOf(element);
    if (!places.has(key)) places.set(key, i);
  }
  return places;
}

function interleave(
  left: readonly unknown[],
  right: readonly unknown[],
  placeOf: (element: unknown) => number | undefined,
): readonly unknown[] {
  const all: unknown[] = [];
  let next = 0;
  for (const element of right) {
    const place = placeOf(element);
    while (next < left.length) {
      const other = placeOf(left[next]);
      if (place === undefined || other === undefined || other >= place) break;
      all.push(left[next++]);
    }
    all.push(element);
  }
  return [...all, ...left.slice(next)];
}
