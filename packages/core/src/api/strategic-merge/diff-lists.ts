// The difference of two merged lists: elements to add or change, scalars to delete, and the final order.
import { deepEqual } from "../../base/deep.ts";
import { isJsonObject, type JsonObject } from "../json-value.ts";
import { childSlot, type PathPart, type TypeSchema } from "../schema.ts";
import { deletionOf } from "./directives.ts";
import { elementType, identityOf, placesOf, sorted } from "./elements.ts";
import { StrategicMergeError } from "./patch-error.ts";
import type { PatchMeta } from "./patch-meta.ts";

export interface DiffOptions {
  /** Whether to include the order of merged lists. */
  readonly elementOrder: boolean;
  /** A three-way merge computes the two halves from different pairs of objects. */
  readonly changes: boolean;
  readonly deletions: boolean;
}

export interface ListDiff {
  readonly changes: readonly unknown[];
  readonly deletions: readonly unknown[];
  readonly order: readonly unknown[];
}

export interface ListDiffPlace extends DiffOptions {
  readonly meta: PatchMeta;
  readonly path: readonly PathPart[];
  diffElement(
    before: JsonObject,
    after: JsonObject,
    schema: TypeSchema | undefined,
    path: readonly PathPart[],
  ): JsonObject;
}

const nothing: ListDiff = { changes: [], deletions: [], order: [] };

export function diffLists(original: readonly unknown[], modified: readonly unknown[], at: ListDiffPlace): ListDiff {
  if (original.length === 0) return at.changes ? { ...nothing, changes: modified } : nothing;
  const type = elementType([original, modified], at.path);
  return type === "object" ? diffObjectLists(original, modified, at) : diffScalarLists(original, modified, at);
}

function diffObjectLists(original: readonly unknown[], modified: readonly unknown[], at: ListDiffPlace): ListDiff {
  const { mergeKey } = at.meta;
  if (mergeKey === undefined) {
    throw new StrategicMergeError("Invalid", at.path, "cannot merge lists of objects without a merge key");
  }
  const keyOf = (element: unknown): unknown => identityOf(element, mergeKey, at.path);
  const before = groupByKey(original, keyOf);
  const changes: unknown[] = [];
  for (const [i, element] of modified.entries()) {
    const key = keyOf(element);
    const partner = before.get(String(key))?.shift();
    if (partner === undefined) {
      if (at.changes) changes.push(element);
    } else if (isJsonObject(partner) && isJsonObject(element)) {
      const inner = at.diffElement(partner, element, childSlot(at.meta.schema, i)?.schema, [...at.path, i]);
      if (Object.keys(inner).length > 0) changes.push({ ...inner, ...Object.fromEntries([[mergeKey, key]]) });
    }
  }
  const gone = at.deletions ? original.filter((element) => before.get(String(keyOf(element)))?.includes(element)) : [];
  const places = placesOf(modified, keyOf);
  const all = [
    ...sorted(changes, (element) => places.get(keyOf(element))),
    ...gone
      .map(keyOf)
      .sort(byText)
      .map((key) => deletionOf(mergeKey, key)),
  ];
  const isMoved = !deepEqual(original.map(keyOf), modified.map(keyOf));
  const isOrdered =
    at.elementOrder && ((at.changes && (all.length > 0 || isMoved)) || (at.deletions && all.length > 0));
  const order = isOrdered ? modified.map((element) => Object.fromEntries([[mergeKey, keyOf(element)]])) : [];
  return { changes: all, deletions: [], order };
}

function byText(a: unknown, b: unknown): number {
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

// Kubernetes rejects elements with the same key, but a diff may see them: they are paired one by one.
function groupByKey(elements: readonly unknown[], keyOf: (element: unknown) => unknown): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const element of elements) {
    const key = String(keyOf(element));
    groups.set(key, [...(groups.get(key) ?? []), element]);
  }
  return groups;
}

function diffScalarLists(original: readonly unknown[], modified: readonly unknown[], at: ListDiffPlace): ListDiff {
  const added = at.changes ? without(modified, original) : [];
  const gone = at.deletions ? [...new Set(without(original, modified))].sort() : [];
  const isOrdered =
    at.elementOrder && ((at.deletions && gone.length > 0) || (at.changes && !deepEqual(original, modified)));
  return { changes: added, deletions: gone, order: isOrdered ? modified : [] };
}

/** Returns the elements of a list without those of another, respecting how often each occurs. */
function without(elements: readonly unknown[], others: readonly unknown[]): unknown[] {
  const left = [...others];
  return elements.filter((element) => {
    const place = left.indexOf(element);
    if (place !== -1) left.splice(place, 1);
    return place === -1;
  });
}
