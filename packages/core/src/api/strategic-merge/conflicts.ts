// Whether two patches of one object set the same field to different values. Merged lists of scalars never conflict;
// merged lists of objects conflict if elements with the same key do, other lists of objects if their lengths differ or
// elements at the same index conflict. Parallel lists (order, deletions) are ignored; upstream fails if both patches have one.
import { deepEqual } from "../../base/deep.ts";
import { hasKey, isJsonList, isJsonObject, type JsonObject, jsonEntries, ownValue } from "../json-value.ts";
import { childSlot, type PathPart, type TypeSchema } from "../schema.ts";
import { hasDirective, isDeleteListKey, isElementOrderKey, patchDirective, retainKeysDirective } from "./directives.ts";
import { elementType, identityOf } from "./elements.ts";
import { lookUpField, type PatchMeta } from "./patch-meta.ts";

/** Returns the path of the first conflict; undefined if there is none. */
export function findConflict(
  left: JsonObject,
  right: JsonObject,
  schema: TypeSchema | undefined,
  path: readonly PathPart[] = [],
): readonly PathPart[] | undefined {
  for (const [key, value] of jsonEntries(left)) {
    if (!hasKey(right, key) || isDirective(key)) continue;
    const isPlain = !isJsonObject(value) && !isJsonList(value);
    const meta = isPlain ? undefined : lookUpField(schema, key, path);
    const found = conflictOf(value, ownValue(right, key), meta, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isDirective(key: string): boolean {
  return key === patchDirective || key === retainKeysDirective || isDeleteListKey(key) || isElementOrderKey(key);
}

type Conflict = readonly PathPart[] | undefined;

function conflictOf(left: unknown, right: unknown, meta: PatchMeta | undefined, path: readonly PathPart[]): Conflict {
  if (isJsonObject(left)) {
    if (!isJsonObject(right)) return path;
    // A directive acts on the whole object: it is compatible only with the same directive.
    if (hasDirective(left) || hasDirective(right)) {
      if (ownValue(left, patchDirective) !== ownValue(right, patchDirective)) return path;
    }
    return meta?.strategy === "replace" ? undefined : findConflict(left, right, meta?.schema, path);
  }
  if (isJsonList(left)) return isJsonList(right) ? listConflict(left, right, meta, path) : path;
  return left === right ? undefined : path;
}

function listConflict(
  left: readonly unknown[],
  right: readonly unknown[],
  meta: PatchMeta | undefined,
  path: readonly PathPart[],
): Conflict {
  const type = elementType([left, right], path);
  const itemMeta: PatchMeta = { ...noStrategy, schema: childSlot(meta?.schema, 0)?.schema };
  if (meta?.strategy !== "merge") {
    if (type !== "object") return equalSets(left, right) ? undefined : path;
    if (left.length !== right.length) return path;
    return firstConflict(left, (element, i) => conflictOf(element, right[i], itemMeta, [...path, i]));
  }
  if (type !== "object") return undefined;
  const keyOf = (element: unknown): string => String(identityOf(element, meta.mergeKey, path));
  const others = new Map(right.map((element) => [keyOf(element), element]));
  return firstConflict(left, (element, i) => {
    const other = others.get(keyOf(element));
    return other === undefined ? undefined : conflictOf(element, other, itemMeta, [...path, i]);
  });
}

const noStrategy = { strategy: undefined, retainsKeys: false, mergeKey: undefined };

function firstConflict(elements: readonly unknown[], conflictAt: (element: unknown, i: number) => Conflict): Conflict {
  for (const [i, element] of elements.entries()) {
    const found = conflictAt(element, i);
    if (found !== undefined) return found;
  }
  return undefined;
}

// As upstream, a different order of scalars in a replaced list is not a conflict.
function equalSets(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && deepEqual([...new Set(left)].sort(), [...new Set(right)].sort());
}
