// Merges lists whose strategy is merge: scalars as sets, objects by their merge key; `$patch` in an element
// deletes it or replaces the whole list. The patch's elements come in the patch's order, the others in their own.
import { isJsonObject, type JsonObject, ownValue } from "../json-value.ts";
import { childSlot, type PathPart, type TypeSchema } from "../schema.ts";
import { asDecoded, hasDirective, isDeletion, patchDirective } from "./directives.ts";
import { elementType, identityOf, orderElements, placesOf } from "./elements.ts";
import { StrategicMergeError } from "./patch-error.ts";
import type { PatchMeta } from "./patch-meta.ts";

/** Whether a patch is applied to an object, or combined with another patch that is still to be applied. */
export type MergeMode = "apply" | "combine";

export interface ListPosition {
  readonly meta: PatchMeta;
  /** The patch comes from `$deleteFromPrimitiveList`. */
  readonly isDeleteList: boolean;
  readonly path: readonly PathPart[];
  readonly mode: MergeMode;
  mergeElement(
    current: JsonObject,
    patch: JsonObject,
    schema: TypeSchema | undefined,
    path: readonly PathPart[],
  ): JsonObject;
}

export function mergeLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  at: ListPosition,
): readonly unknown[] {
  const type = elementType([original, patch], at.path);
  if (type === undefined) return original;
  const merged = type === "object" ? mergeObjectLists(original, patch, at) : mergeScalarLists(original, patch, at);
  const isSame = merged.length === original.length && merged.every((element, i) => element === original[i]);
  return isSame ? original : merged;
}

function mergeScalarLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  at: ListPosition,
): readonly unknown[] {
  if (at.isDeleteList) {
    const gone = new Set(patch);
    return original.filter((element) => !gone.has(element));
  }
  const both = [...new Set([...original, ...patch])];
  return orderElements(both, { wanted: patch, live: original, mergeKey: undefined, path: at.path });
}

function mergeObjectLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  at: ListPosition,
): readonly unknown[] {
  const { mergeKey } = at.meta;
  if (mergeKey === undefined) {
    throw new StrategicMergeError("Invalid", at.path, "cannot merge lists of objects without a merge key");
  }
  const keyOf = (element: unknown): unknown => identityOf(element, mergeKey, at.path);
  const isReplacing = checkDirectives(patch, at.path);
  const additions = patch.filter((element) => !hasDirective(element));
  const deleted = new Set(patch.filter(isDeletion).map(keyOf));
  const wanted = additions.map(keyOf);
  const finish = (element: unknown): unknown => (at.mode === "apply" ? asDecoded(element) : element);
  if (isReplacing)
    return orderElements(additions, { wanted: [], live: additions, mergeKey, path: at.path }).map(finish);
  const live = original.filter((element) => !deleted.has(ownKey(element, mergeKey)));
  const merged = [...live];
  const places = placesOf(merged, (element) => ownKey(element, mergeKey));
  for (const [i, addition] of additions.entries()) {
    const key = wanted[i];
    const place = places.get(key);
    const current = place === undefined ? undefined : merged[place];
    if (place !== undefined && isJsonObject(current) && isJsonObject(addition)) {
      const schema = childSlot(at.meta.schema, place)?.schema;
      merged[place] = at.mergeElement(current, addition, schema, [...at.path, place]);
    } else {
      if (place === undefined) places.set(key, merged.length);
      merged.push(addition);
    }
  }
  const ordered = orderElements(merged, { wanted: additions, live, mergeKey, path: at.path });
  const added = new Set(additions);
  return ordered.map((element) => (added.has(element) ? finish(element) : element));
}

/** Whether a directive in the elements requests to replace the list. */
function checkDirectives(patch: readonly unknown[], path: readonly PathPart[]): boolean {
  let isReplacing = false;
  for (const element of patch) {
    if (!isJsonObject(element) || !hasDirective(element)) continue;
    const directive = element[patchDirective];
    if (directive === "replace") isReplacing = true;
    else if (directive !== "delete") {
      const fault =
        directive === "merge"
          ? "merging lists cannot be specified in the patch"
          : `unknown patch type: ${JSON.stringify(directive)}`;
      throw new StrategicMergeError("Invalid", path, fault);
    }
  }
  return isReplacing;
}

// Unlike `identityOf`: an element of the live list without the key matches nothing; ordering reports it.
function ownKey(element: unknown, mergeKey: string): unknown {
  return isJsonObject(element) ? ownValue(element, mergeKey) : undefined;
}

/** The patch's elements must all be in the order list, in the same order. */
export function checkElementOrder(
  patch: readonly unknown[],
  wanted: readonly unknown[],
  at: { readonly mergeKey: string | undefined; readonly path: readonly PathPart[] },
): void {
  if (wanted.length === 0) return;
  const keyOf = (element: unknown): unknown => identityOf(element, at.mergeKey, at.path);
  let next = 0;
  for (const element of patch) {
    if (hasDirective(element)) continue;
    while (next < wanted.length && keyOf(wanted[next]) !== keyOf(element)) next++;
    if (next === wanted.length) {
      throw new StrategicMergeError("Invalid", at.path, "the order of the patch does not match its $setElementOrder");
    }
    next++;
  }
}

/**
 * Returns the live order for `$setElementOrder`. As upstream: added elements take the positions, at the end, of deleted
 * ones, so that an element that replaces another stays behind those that the patch does not mention.
 */
export function liveOrder(
  original: readonly unknown[],
  patch: readonly unknown[],
  at: { readonly mergeKey: string | undefined; readonly path: readonly PathPart[] },
): readonly unknown[] {
  const keyOf = (element: unknown): unknown => identityOf(element, at.mergeKey, at.path);
  const deleted = new Set(patch.filter(isDeletion).map(keyOf));
  const kept = original.filter((element) => !deleted.has(keyOf(element)));
  const known = new Set(kept.map(keyOf));
  const added = patch.filter((element) => !hasDirective(element) && !known.has(keyOf(element)));
  return [...kept, ...added].slice(0, original.length);
}
