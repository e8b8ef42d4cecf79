// Computes the patch from one object to another. Additions and changes are values, deletions of fields are nulls, deletions of a
// merged list's objects are `$patch: delete`, of its scalars a parallel list; `$setElementOrder` keeps the order.
//
// As upstream, except that unchanged fields are left out: upstream repeats a field whose strategy is replace, and the
// order of an unchanged list of scalars that is not sorted.
import { deepEqual } from "../../base/deep.ts";
import { hasKey, isJsonList, isJsonObject, type JsonObject, jsonEntries, ownValue } from "../json-value.ts";
import type { PathPart, TypeSchema } from "../schema.ts";
import { type DiffOptions, diffLists } from "./diff-lists.ts";
import { deleteListKey, elementOrderKey, retainKeysDirective } from "./directives.ts";
import { jsonTypeOf } from "./elements.ts";
import { lookUpField } from "./patch-meta.ts";

export interface DiffPlace extends DiffOptions {
  readonly schema: TypeSchema | undefined;
  readonly path: readonly PathPart[];
  /** The field's strategy requires `$retainKeys`. */
  readonly retainsKeys: boolean;
}

export function diffObjects(original: JsonObject, modified: JsonObject, at: DiffPlace): JsonObject {
  const patch = new Map<string, unknown>();
  for (const [key, value] of jsonEntries(modified)) {
    if (!hasKey(original, key)) {
      if (at.changes) patch.set(key, value);
    } else {
      diffField(patch, { key, before: ownValue(original, key), after: value }, at);
    }
  }
  const gone = jsonEntries(original).flatMap(([key]) => (hasKey(modified, key) ? [] : [key]));
  if (at.deletions) for (const key of gone) patch.set(key, null);
  const retained = jsonEntries(modified).flatMap(([key, value]) => (value === null ? [] : [key]));
  const hasGone = gone.some((key) => ownValue(original, key) !== null);
  if (at.retainsKeys && retained.length > 0 && (patch.size > 0 || hasGone)) {
    patch.set(retainKeysDirective, retained.sort());
  }
  return Object.fromEntries(patch);
}

interface FieldChange {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

function diffField(patch: Map<string, unknown>, change: FieldChange, at: DiffPlace): void {
  const { key, before, after } = change;
  if (before === after || deepEqual(before, after)) return;
  if (jsonTypeOf(before) === jsonTypeOf(after)) {
    const meta = isJsonObject(after) || isJsonList(after) ? lookUpField(at.schema, key, at.path) : undefined;
    const place = { ...at, path: [...at.path, key], retainsKeys: meta?.retainsKeys === true };
    if (isJsonObject(before) && isJsonObject(after) && meta?.strategy !== "replace") {
      const inner = diffObjects(before, after, { ...place, schema: meta?.schema });
      if (Object.keys(inner).length > 0) patch.set(key, inner);
      return;
    }
    if (isJsonList(before) && isJsonList(after) && meta?.strategy === "merge") {
      const lists = diffLists(before, after, {
        ...{ ...place, meta },
        diffElement: (left, right, schema, path) => diffObjects(left, right, { ...place, schema, path }),
      });
      if (lists.changes.length > 0) patch.set(key, lists.changes);
      if (lists.deletions.length > 0) patch.set(deleteListKey(key), lists.deletions);
      if (lists.order.length > 0) patch.set(elementOrderKey(key), lists.order);
      return;
    }
  }
  if (at.changes) patch.set(key, after);
}
