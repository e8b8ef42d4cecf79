// Computes a JSON patch that turns one document into another. It touches only what differs: objects key by key, lists
// between their common prefix and suffix. Not promised: the fewest operations (there is
// no `move`: an item that moved within a list is written again at its new index).
import { deepEqual } from "../base/deep.ts";
import { escapePointer, type JsonPatch, type JsonPatchOperation } from "./json-patch.ts";
import { isJsonObject, type JsonObject } from "./json-value.ts";

/** `applyJsonPatch(from, createJsonPatch(from, to))` equals `to`. Both must be JSON; undefined counts as absent. */
export function createJsonPatch(from: unknown, to: unknown): JsonPatch {
  const patch: JsonPatchOperation[] = [];
  diff(from, to, "", patch);
  return patch;
}

function diff(from: unknown, to: unknown, path: string, patch: JsonPatchOperation[]): void {
  if (Object.is(from, to)) return;
  if (isJsonObject(from) && isJsonObject(to)) diffObjects(from, to, path, patch);
  else if (Array.isArray(from) && Array.isArray(to)) diffLists(from, to, path, patch);
  else if (!deepEqual(from, to)) patch.push({ op: "replace", path, value: to });
}

function diffObjects(from: JsonObject, to: JsonObject, path: string, patch: JsonPatchOperation[]): void {
  for (const key of Object.keys(from)) {
    if (from[key] === undefined) continue;
    const at = `${path}/${escapePointer(key)}`;
    const wanted = Object.hasOwn(to, key) ? to[key] : undefined;
    if (wanted === undefined) patch.push({ op: "remove", path: at });
    else diff(from[key], wanted, at, patch);
  }
  for (const key of Object.keys(to)) {
    const isNew = !Object.hasOwn(from, key) || from[key] === undefined;
    if (isNew && to[key] !== undefined)
      patch.push({ op: "add", path: `${path}/${escapePointer(key)}`, value: to[key] });
  }
}

function diffLists(from: readonly unknown[], to: readonly unknown[], path: string, patch: JsonPatchOperation[]): void {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && deepEqual(from[start], to[start])) start++;
  let tail = 0;
  while (tail < shorter - start && deepEqual(from[from.length - 1 - tail], to[to.length - 1 - tail])) tail++;
  const fromEnd = from.length - tail;
  const toEnd = to.length - tail;
  // From the back, so that the indexes of the items still to be removed stay valid.
  for (let i = fromEnd - 1; i >= Math.max(toEnd, start); i--) patch.push({ op: "remove", path: `${path}/${i}` });
  for (let i = start; i < Math.min(fromEnd, toEnd); i++) diff(from[i], to[i], `${path}/${i}`, patch);
  for (let i = Math.max(fromEnd, start); i < toEnd; i++) patch.push({ op: "add", path: `${path}/${i}`, value: to[i] });
}
