// JSON merge patches (RFC 7386): objects merge key by key, null removes, everything else replaces. Applied as in the API
// server: nulls are also dropped from objects inside a list that is set where there was no object.
//
// The inputs are not changed: results share what was not touched. Keys like "__proto__" are plain data. A merge patch
// cannot set a field to null; `createMergePatch` assumes that the new object has no null.
import { deepEqual } from "../base/deep.ts";
import { isJsonObject, type JsonObject } from "./json-value.ts";

export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return isJsonObject(target) ? patch : withoutNulls(patch);
  return isJsonObject(target) ? mergeObjects(target, patch) : withoutNulls(patch);
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  let hasChanged = false;
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const current = merged.get(key);
    if (value === null) {
      hasChanged = merged.delete(key) || hasChanged;
      continue;
    }
    const next = current === undefined || current === null ? withoutNulls(value) : applyMergePatch(current, value);
    if (next === current) continue;
    merged.set(key, next);
    hasChanged = true;
  }
  return hasChanged ? Object.fromEntries(merged) : target;
}

/** Returns the patch that turns `from` into `to`; an empty object if they are equal. */
export function createMergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const patch: [string, unknown][] = [];
  for (const [key, wanted] of Object.entries(to)) {
    if (wanted === undefined) continue;
    const current = Object.hasOwn(from, key) ? from[key] : undefined;
    if (current === wanted) continue;
    if (isJsonObject(current) && isJsonObject(wanted)) {
      const inner = createMergePatch(current, wanted);
      if (Object.keys(inner).length > 0) patch.push([key, inner]);
    } else if (!deepEqual(current, wanted)) patch.push([key, wanted]);
  }
  for (const key of Object.keys(from)) {
    const isGone = !Object.hasOwn(to, key) || to[key] === undefined;
    if (isGone && from[key] !== undefined) patch.push([key, null]);
  }
  return Object.fromEntries(patch);
}

export interface ThreeWay {
  /** What was applied last time. */
  readonly original: JsonObject | undefined;
  /** What is wanted now. */
  readonly modified: JsonObject;
  /** What the server has. */
  readonly current: JsonObject;
}

/**
 * The patch that `kubectl apply` sends for custom resources: it adds and changes what differs from the current object, and
 * removes only fields that were applied before and are no longer wanted. Fields set by others stay.
 */
export function createThreeWayMergePatch({ original, modified, current }: ThreeWay): JsonObject {
  const changes = keepValues(createMergePatch(current, modified));
  const removals = keepNulls(createMergePatch(original ?? {}, modified));
  return mergeObjects(removals, changes);
}

function keepValues(patch: JsonObject): JsonObject {
  return filterPatch(patch, (value) => value !== null);
}

function keepNulls(patch: JsonObject): JsonObject {
  return filterPatch(patch, (value) => value === null);
}

/** Keeps the leaves that pass, and the objects that still have some; an object that was empty counts as a leaf. */
function filterPatch(patch: JsonObject, keep: (value: unknown) => boolean): JsonObject {
  const kept: [string, unknown][] = [];
  for (const [key, value] of Object.entries(patch)) {
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      const inner = filterPatch(value, keep);
      if (Object.keys(inner).length > 0) kept.push([key, inner]);
    } else if (keep(value)) kept.push([key, value]);
  }
  return Object.fromEntries(kept);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (item === null ? null : withoutNulls(item)));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, held]) => held !== null && held !== undefined);
  return Object.fromEntries(kept.map(([key, held]) => [key, withoutNulls(held)]));
}
