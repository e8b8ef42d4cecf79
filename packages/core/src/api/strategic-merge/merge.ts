// Merges a patch into an object, or (for three-way merges) into another patch. The inputs are not changed; unchanged parts
// are shared, and an object without changes is returned itself.
//
// As upstream, except for an accidental error there: an order for a list without elements is ignored.
//
// Combining two patches differs from applying one: directives and nulls are kept, because they still have to be applied.
import { deepEqual } from "../../base/deep.ts";
import { hasKey, isJsonList, isJsonObject, type JsonObject, jsonEntries, ownValue } from "../json-value.ts";
import type { PathPart, TypeSchema } from "../schema.ts";
import {
  asDecoded,
  fieldOfParallelList,
  isDeleteListKey,
  isElementOrderKey,
  objectAsDecoded,
  patchDirective,
  retainKeysDirective,
  takenAlone,
} from "./directives.ts";
import { jsonTypeOf, orderElements } from "./elements.ts";
import { checkElementOrder, liveOrder, type MergeMode, mergeLists } from "./merge-lists.ts";
import { StrategicMergeError } from "./patch-error.ts";
import { lookUpField } from "./patch-meta.ts";

export interface MergePlace {
  readonly schema: TypeSchema | undefined;
  readonly path: readonly PathPart[];
  readonly mode: MergeMode;
}

type Draft = Map<string, unknown>;

export function mergeObjects(original: JsonObject, patch: JsonObject, at: MergePlace): JsonObject {
  if (hasKey(patch, patchDirective)) return replaceObject(patch, at);
  const merged: Draft = new Map(jsonEntries(original));
  const rest: Draft = new Map(jsonEntries(patch));
  retainKeys(merged, rest, at);
  orderLists(merged, rest, at);
  for (const [key, value] of rest) mergeField(merged, { key, value }, at);
  const isSame = merged.size === jsonEntries(original).length;
  if (isSame && [...merged].every(([key, value]) => value === ownValue(original, key))) return original;
  return Object.fromEntries(merged);
}

function replaceObject(patch: JsonObject, at: MergePlace): JsonObject {
  const { [patchDirective]: directive, ...rest } = patch;
  if (directive === "replace") return at.mode === "apply" ? objectAsDecoded(rest) : rest;
  if (directive === "delete") return {};
  throw new StrategicMergeError("Invalid", at.path, `unknown patch type: ${JSON.stringify(directive)}`);
}

function mergeField(
  merged: Draft,
  { key, value }: { readonly key: string; readonly value: unknown },
  at: MergePlace,
): void {
  const isDeleteList = isDeleteListKey(key);
  if (isDeleteList && at.mode === "combine") {
    merged.set(key, value);
    return;
  }
  const field = isDeleteList ? fieldOfParallelList(key, at.path) : key;
  if (value === null) {
    merged.delete(field);
    if (at.mode === "apply") return;
  }
  const current = merged.get(field);
  if (!merged.has(field) || jsonTypeOf(current) !== jsonTypeOf(value)) {
    if (!isDeleteList) take(merged, { key: field, value }, at);
    return;
  }
  if (isJsonObject(current) && isJsonObject(value)) {
    const meta = lookUpField(at.schema, field, at.path);
    const place = { ...at, schema: meta.schema, path: [...at.path, field] };
    merged.set(field, meta.strategy === "replace" ? value : mergeObjects(current, value, place));
  } else if (isJsonList(current) && isJsonList(value)) {
    merged.set(field, mergeListField(field, { current, value, isDeleteList }, at));
  } else {
    merged.set(field, value);
  }
}

function take(merged: Draft, { key, value }: { readonly key: string; readonly value: unknown }, at: MergePlace): void {
  const alone = takenAlone(value);
  const taken = at.mode === "apply" ? asDecoded(alone) : alone;
  if (taken === undefined) merged.delete(key);
  else merged.set(key, taken);
}

interface ListChange {
  readonly current: readonly unknown[];
  readonly value: readonly unknown[];
  readonly isDeleteList: boolean;
}

function mergeListField(field: string, change: ListChange, at: MergePlace): readonly unknown[] {
  const meta = lookUpField(at.schema, field, at.path);
  if (meta.strategy !== "merge" && !change.isDeleteList) return change.value;
  return mergeLists(change.current, change.value, {
    ...{ meta, isDeleteList: change.isDeleteList, path: [...at.path, field], mode: at.mode },
    mergeElement: (current, value, schema, path) => mergeObjects(current, value, { ...at, schema, path }),
  });
}

/** Removes the fields that `$retainKeys` does not name; throws if the patch sets one of those. */
function retainKeys(merged: Draft, rest: Draft, at: MergePlace): void {
  if (!rest.has(retainKeysDirective)) return;
  const keys = rest.get(retainKeysDirective);
  rest.delete(retainKeysDirective);
  if (at.mode === "combine") {
    if (merged.has(retainKeysDirective) && !deepEqual(merged.get(retainKeysDirective), keys)) {
      throw new StrategicMergeError("Invalid", at.path, "two patches retain different keys");
    }
    merged.set(retainKeysDirective, keys);
    return;
  }
  if (!isJsonList(keys)) throw new StrategicMergeError("BadRequest", at.path, "invalid patch format of $retainKeys");
  for (const [key, value] of rest) {
    if (value === null || isDeleteListKey(key) || isElementOrderKey(key) || keys.includes(key)) continue;
    throw new StrategicMergeError("BadRequest", [...at.path, key], "invalid patch format: set but not in $retainKeys");
  }
  for (const key of merged.keys()) if (!keys.includes(key)) merged.delete(key);
}

/** Merges and orders the lists with a `$setElementOrder/…`; removes both, list and order, from `rest`. */
function orderLists(merged: Draft, rest: Draft, at: MergePlace): void {
  for (const [key, wanted] of [...rest]) {
    if (!isElementOrderKey(key)) continue;
    rest.delete(key);
    if (at.mode === "combine") keepElementOrder(merged, { key, value: wanted }, at);
    const field = fieldOfParallelList(key, at.path);
    const path = [...at.path, field];
    const current = listAt(merged, field, path);
    const value = listAt(rest, field, path);
    if (!isJsonList(wanted)) throw new StrategicMergeError("Invalid", path, "$setElementOrder must be a list");
    const { mergeKey } = lookUpField(at.schema, field, at.path);
    checkElementOrder(value ?? [], wanted, { mergeKey, path });
    if (value !== undefined) {
      if (current === undefined) take(merged, { key: field, value }, at);
      else merged.set(field, mergeListField(field, { current, value, isDeleteList: false }, at));
      rest.delete(field);
    }
    const list = listAt(merged, field, path);
    if (list === undefined) continue;
    const live = current === undefined ? [] : liveOrder(current, value ?? [], { mergeKey, path });
    merged.set(field, shared(current, orderElements(list, { wanted, live, mergeKey, path })));
  }
}

function keepElementOrder(
  merged: Draft,
  { key, value }: { readonly key: string; readonly value: unknown },
  at: MergePlace,
): void {
  if (merged.has(key) && !deepEqual(merged.get(key), value)) {
    throw new StrategicMergeError("BadRequest", at.path, `invalid patch format: two different lists ${key}`);
  }
  merged.set(key, value);
}

function listAt(draft: Draft, field: string, path: readonly PathPart[]): readonly unknown[] | undefined {
  const list = draft.get(field);
  if (isJsonList(list) || !draft.has(field)) return isJsonList(list) ? list : undefined;
  throw new StrategicMergeError("Invalid", path, "$setElementOrder speaks of a list, and this is none");
}

function shared(before: readonly unknown[] | undefined, after: readonly unknown[]): readonly unknown[] {
  const isSame = before?.length === after.length && before.every((element, i) => element === after[i]);
  return isSame ? before : after;
}
