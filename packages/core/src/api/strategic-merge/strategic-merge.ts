// Strategic merge patch, Kubernetes' own patch format: a merge patch that uses the schema to decide which lists merge by
// key, and which objects are replaced or lose the fields that are not mentioned. Pure functions: inputs are never changed, and
// results share unchanged parts with them.
//
// Only kinds with a schema can be patched this way; others are rejected (UnsupportedMediaType), as by a server (415). The behaviour is
// that of upstream's strategicpatch; differences are documented in the file that differs. Known limits of the format, not
// of this code: a patch cannot set a field to null, and merged lists cannot have two elements with one key.
import { isJsonObject, type JsonObject } from "../json-value.ts";
import type { ObjectSchema } from "../schema.ts";
import { schemaOfKind } from "../schema-table.ts";
import { findConflict } from "./conflicts.ts";
import { diffObjects } from "./diff.ts";
import type { DiffOptions } from "./diff-lists.ts";
import { mergeObjects } from "./merge.ts";
import { StrategicMergeError } from "./patch-error.ts";

export interface StrategicMergeOptions {
  /** Default: found by the object's apiVersion and kind. */
  readonly schema?: ObjectSchema;
}

/** Applies a patch. The result is plain data; decode or validate it before use. */
export function applyStrategicMerge(original: object, patch: object, options: StrategicMergeOptions = {}): JsonObject {
  const [from, by] = [asObject(original, "the object"), asObject(patch, "the patch")];
  return mergeObjects(from, by, { schema: options.schema ?? schemaOf(from), path: [], mode: "apply" });
}

/** Returns the patch from `original` to `modified`; empty if they are equal. */
export function createStrategicMerge(
  original: object,
  modified: object,
  options: StrategicMergeOptions = {},
): JsonObject {
  const [from, to] = [asObject(original, "the original"), asObject(modified, "the modified object")];
  return diff(from, to, options.schema ?? schemaOf(to), { elementOrder: true, changes: true, deletions: true });
}

export interface ThreeWayInput {
  /** What was applied last; an empty object if nothing was. */
  readonly original: object;
  /** What is wanted now. */
  readonly modified: object;
  /** What the server has. */
  readonly current: object;
}

export interface ThreeWayOptions extends StrategicMergeOptions {
  /** Use `modified`'s value where `current` has changed to another one. Otherwise that is a Conflict. Default: false. */
  readonly overwrite?: boolean;
}

/**
 * Returns the patch for `current` that applies all of `modified` and deletes what was in `original` but is no longer wanted;
 * fields and list elements that others added to `current` stay. This is what `kubectl apply` sends.
 */
export function createThreeWayStrategicMerge(input: ThreeWayInput, options: ThreeWayOptions = {}): JsonObject {
  const original = asObject(input.original, "the original");
  const modified = asObject(input.modified, "the modified object");
  const current = asObject(input.current, "the current object");
  const schema = options.schema ?? schemaOf(modified);
  const changes = diff(current, modified, schema, { elementOrder: true, changes: true, deletions: false });
  const deletions = diff(original, modified, schema, { elementOrder: true, changes: false, deletions: true });
  const patch = mergeObjects(deletions, changes, { schema, path: [], mode: "combine" });
  if (options.overwrite === true) return patch;
  const changed = diff(original, current, schema, { elementOrder: false, changes: true, deletions: true });
  const conflict = findConflict(patch, changed, schema);
  if (conflict === undefined) return patch;
  throw new StrategicMergeError("Conflict", conflict, "changed differently in the current object");
}

function diff(from: JsonObject, to: JsonObject, schema: ObjectSchema, options: DiffOptions): JsonObject {
  return diffObjects(from, to, { ...options, schema, path: [], retainsKeys: false });
}

function asObject(value: object, what: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new StrategicMergeError("BadRequest", [], `${what} must be a JSON object`);
}

function schemaOf({ apiVersion, kind }: JsonObject): ObjectSchema {
  const isNamed = typeof apiVersion === "string" && typeof kind === "string";
  const schema = isNamed ? schemaOfKind({ apiVersion, kind }) : undefined;
  if (schema !== undefined) return schema;
  const name = isNamed ? `${apiVersion} ${kind}` : "an object without apiVersion and kind";
  throw new StrategicMergeError("UnsupportedMediaType", [], `strategic merge patch is not supported for ${name}`);
}
