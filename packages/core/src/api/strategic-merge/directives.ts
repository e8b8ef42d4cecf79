// The directives of a strategic merge patch, and how to remove them from values that are not merged.
import { hasKey, isJsonList, isJsonObject, type JsonObject, jsonEntries, ownValue } from "../json-value.ts";
import type { PathPart } from "../schema.ts";
import { StrategicMergeError } from "./patch-error.ts";

/** `"$patch": "replace" | "delete"` in an object; in an element of a merged list it applies to the list or the element. */
export const patchDirective = "$patch";
/** `"$retainKeys": [...]`: the fields to keep; all others are removed. */
export const retainKeysDirective = "$retainKeys";
const deletePrefix = "$deleteFromPrimitiveList";
const orderPrefix = "$setElementOrder";

export const deleteListKey = (field: string): string => `${deletePrefix}/${field}`;
export const elementOrderKey = (field: string): string => `${orderPrefix}/${field}`;
export const isDeleteListKey = (key: string): boolean => key.startsWith(deletePrefix);
export const isElementOrderKey = (key: string): boolean => key.startsWith(orderPrefix);

/** The field that a parallel list applies to: `$setElementOrder/containers` applies to `containers`. */
export function fieldOfParallelList(key: string, path: readonly PathPart[]): string {
  const slash = key.indexOf("/");
  const prefix = slash === -1 ? key : key.slice(0, slash);
  if (slash === -1 || (prefix !== deletePrefix && prefix !== orderPrefix)) {
    throw new StrategicMergeError("BadRequest", path, `invalid patch format: ${key} does not name a list`);
  }
  return key.slice(slash + 1);
}

export function hasDirective(value: unknown): boolean {
  return isJsonObject(value) && hasKey(value, patchDirective);
}

export function isDeletion(value: unknown): boolean {
  return isJsonObject(value) && ownValue(value, patchDirective) === "delete";
}

export function deletionOf(mergeKey: string, value: unknown): JsonObject {
  return { ...Object.fromEntries([[mergeKey, value]]), [patchDirective]: "delete" };
}

/**
 * Returns a patch's value where there is nothing to merge it with. As upstream, objects with `$patch` are removed, even those
 * with replace. Undefined if nothing is left.
 */
export function takenAlone(value: unknown): unknown {
  if (isJsonList(value)) return value.map(takenAlone).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (hasDirective(value)) return undefined;
  const entries = jsonEntries(value).map(([key, held]): [string, unknown] => [key, takenAlone(held)]);
  return Object.fromEntries(entries.filter(([, held]) => held !== undefined));
}

/** Removes nulls and left-over directives, as upstream does when it decodes the patched object. */
export function asDecoded(value: unknown): unknown {
  if (isJsonList(value)) return value.map(asDecoded);
  return isJsonObject(value) ? objectAsDecoded(value) : value;
}

export function objectAsDecoded(object: JsonObject): JsonObject {
  const kept = jsonEntries(object).filter(([key, held]) => held !== null && !isDirectiveKey(key));
  return Object.fromEntries(kept.map(([key, held]) => [key, asDecoded(held)]));
}

function isDirectiveKey(key: string): boolean {
  return key === patchDirective || key === retainKeysDirective || isDeleteListKey(key) || isElementOrderKey(key);
}
