// Applies JSON patches (RFC 6902) as the API server does, including where its library is more lenient than the RFC:
// - negative indexes count from the end, for `add` from behind the end (-1 appends);
// - `replace` of an absent key of an object adds it; `test` of an absent key against null succeeds; `copy` of an absent
//   key copies null; an absent `value` is null;
// - whatever stands before a path's first slash is ignored.
// Numbers compare by value ("1.0" equals "1"). Limits on size and number of operations are the server's business.
//
// Nothing given is changed: the result shares what the patch did not touch. Keys like "__proto__" are plain data.
import { deepEqual } from "../base/deep.ts";
import { assertNever, KubeloopError } from "../base/errors.ts";
import { isJsonObject, type JsonObject } from "./json-value.ts";

export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value?: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

export type JsonPatch = readonly JsonPatchOperation[];

/** `reason` is `TestFailed`, `Missing`, `InvalidIndex` or `Invalid`. */
export class JsonPatchError extends KubeloopError {
  constructor(message: string, reason: "TestFailed" | "Missing" | "InvalidIndex" | "Invalid") {
    super(message, { reason, retry: "never" });
  }
}

/** Checks the shape of a patch that came from outside. Throws a JsonPatchError. */
export function decodeJsonPatch(json: unknown): JsonPatch {
  if (!Array.isArray(json)) throw new JsonPatchError("a JSON patch must be a list of operations", "Invalid");
  return json.map(decodeOperation);
}

/** The patched document. Throws a JsonPatchError at the first operation that does not apply. */
export function applyJsonPatch(document: unknown, patch: JsonPatch): unknown {
  return patch.reduce(applyOperation, document);
}

/** One key of a path, escaped: "a/b" becomes "a~1b". */
export function escapePointer(key: string): string {
  return key.replace(/[~/]/g, (found) => (found === "~" ? "~0" : "~1"));
}

type Json = unknown;
type Container = readonly Json[] | JsonObject;

function decodeOperation(json: unknown): JsonPatchOperation {
  if (!isJsonObject(json)) throw new JsonPatchError("an operation of a JSON patch must be an object", "Invalid");
  const op = typeof json["op"] === "string" ? json["op"] : "unknown";
  const path = () => requirePath(json["path"], "path", op);
  switch (op) {
    case "add":
    case "replace":
    case "test":
      return { op, path: path(), value: json["value"] ?? null };
    case "remove":
      return { op, path: path() };
    case "move":
    case "copy":
      return { op, from: requirePath(json["from"], "from", op), path: path() };
    default:
      throw new JsonPatchError(`Unexpected kind: ${op}`, "Invalid");
  }
}

function requirePath(json: unknown, field: "path" | "from", op: string): string {
  if (typeof json === "string") return json;
  throw new JsonPatchError(`${op} operation failed to decode ${field}: missing value`, "Missing");
}

function applyOperation(document: Json, operation: JsonPatchOperation): Json {
  const { path } = operation;
  switch (operation.op) {
    case "add":
      return addAt(document, path, operation.value ?? null, addTexts(path));
    case "remove":
      return removeAt(document, path, {
        missing: `remove operation does not apply: doc is missing path: "${path}": missing value`,
        failed: `error in remove for path: '${path}'`,
      });
    case "replace":
      return replaceAt(document, path, operation.value ?? null);
    case "move":
      return move(document, operation.from, path);
    case "copy":
      return copy(document, operation.from, path);
    case "test":
      return test(document, path, operation.value ?? null);
    default:
      return assertNever(operation);
  }
}

interface Texts {
  /** When there is no container at the path. */
  readonly missing: string;
  /** Before the fault, when the container refuses. */
  readonly failed: string;
}

function addTexts(path: string): Texts {
  return {
    missing: `add operation does not apply: doc is missing path: "${path}": missing value`,
    failed: `error in add for path: '${path}'`,
  };
}

function addAt(document: Json, path: string, value: Json, texts: Texts): Json {
  return editContainer(document, path, texts.missing, (container, key) => {
    if (!isList(container)) return { ...container, [key]: value };
    if (key === "-") return [...container, value];
    const notIndex = (fault: string) => `${texts.failed}: value was not a proper array index: '${key}': ${fault}`;
    const index = resolveIndex(key, container.length + 1, { notIndex, failed: texts.failed });
    return container.toSpliced(index, 0, value);
  });
}

function removeAt(document: Json, path: string, texts: Texts): Json {
  return editContainer(document, path, texts.missing, (container, key) => {
    if (isList(container)) {
      return container.toSpliced(existingIndex(container, key, texts.failed), 1);
    }
    if (!Object.hasOwn(container, key)) {
      throw new JsonPatchError(`${texts.failed}: Unable to remove nonexistent key: ${key}: missing value`, "Missing");
    }
    const { [key]: _removed, ...rest } = container;
    return rest;
  });
}

function replaceAt(document: Json, path: string, value: Json): Json {
  if (path === "") {
    if (typeof value === "object" && value !== null) return value;
    throw new JsonPatchError("replace operation value must be object or array", "Invalid");
  }
  const missing = `replace operation does not apply: doc is missing path: ${path}: missing value`;
  return editContainer(document, path, missing, (container, key) => {
    if (!isList(container)) return { ...container, [key]: value };
    const index = findIndex(container, key);
    if (index === undefined) {
      const text = `replace operation does not apply: doc is missing key: ${path}: missing value`;
      throw new JsonPatchError(text, "Missing");
    }
    return container.with(index, value);
  });
}

function move(document: Json, from: string, path: string): Json {
  const key = lastKey(from);
  const missing = `move operation does not apply: doc is missing from path: ${from}: missing value`;
  const failed = `error in move for path: '${key}'`;
  const value = read(document, from, { missing, failed });
  const without = removeAt(document, from, { missing, failed });
  return addAt(without, path, value, {
    missing: `move operation does not apply: doc is missing destination path: ${path}: missing value`,
    failed: `error in move for path: '${path}'`,
  });
}

function copy(document: Json, from: string, path: string): Json {
  const value = read(document, from, {
    missing: `copy operation does not apply: doc is missing from path: ${from}: missing value`,
    failed: `error in copy for from: '${from}'`,
  });
  return addAt(document, path, value, {
    missing: `copy operation does not apply: doc is missing destination path: ${path}: missing value`,
    failed: "error while adding value during copy",
  });
}

function test(document: Json, path: string, expected: Json): Json {
  const found =
    path === ""
      ? document
      : read(document, path, {
          missing: `test operation does not apply: is missing path: ${path}: missing value`,
          failed: `error in test for path: '${path}'`,
        });
  if (deepEqual(found, expected)) return document;
  throw new JsonPatchError(`testing value ${path} failed: test failed`, "TestFailed");
}

/** What is at the path; null where an object has no such key. */
function read(document: Json, path: string, texts: Texts): Json {
  const keys = splitPointer(path);
  const key = keys?.pop();
  const container = keys?.reduce<Json>(step, document);
  if (key === undefined || !isContainer(container)) throw new JsonPatchError(texts.missing, "Missing");
  if (isList(container)) return container[existingIndex(container, key, texts.failed)] ?? null;
  return Object.hasOwn(container, key) ? (container[key] ?? null) : null;
}

/** The document with the container of the path's last key edited, and copies of what holds it. */
function editContainer(
  document: Json,
  path: string,
  missing: string,
  edit: (container: Container, key: string) => Container,
): Json {
  const keys = splitPointer(path);
  const last = keys?.pop();
  if (keys === undefined || last === undefined) throw new JsonPatchError(missing, "Missing");
  const descend = (value: Json, depth: number): Json => {
    if (!isContainer(value)) throw new JsonPatchError(missing, "Missing");
    const key = keys[depth];
    if (key === undefined) return edit(value, last);
    const inner = descend(step(value, key), depth + 1);
    if (isList(value)) return value.with(findIndex(value, key) ?? 0, inner);
    return { ...value, [key]: inner };
  };
  return descend(document, 0);
}

function step(value: Json, key: string): Json {
  if (!isContainer(value)) return undefined;
  if (!isList(value)) return Object.hasOwn(value, key) ? value[key] : undefined;
  const index = findIndex(value, key);
  return index === undefined ? undefined : value[index];
}

/** Undefined for a path without a slash. */
function splitPointer(path: string): string[] | undefined {
  const [, ...keys] = path.split("/");
  if (keys.length === 0) return undefined;
  return keys.map((key) => key.replace(/~[01]/g, (found) => (found === "~0" ? "~" : "/")));
}

function lastKey(path: string): string {
  return splitPointer(path)?.at(-1) ?? "";
}

/** The index of an item that is there, from the front or, negative, from the end. */
function findIndex(list: readonly Json[], key: string): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(key)) return undefined;
  const index = Number(key) < 0 ? Number(key) + list.length : Number(key) + 0;
  return index >= 0 && index < list.length ? index : undefined;
}

function existingIndex(list: readonly Json[], key: string, failed: string): number {
  return resolveIndex(key, list.length, { notIndex: (fault) => `${failed}: ${fault}`, failed });
}

function resolveIndex(
  key: string,
  length: number,
  texts: { readonly notIndex: (fault: string) => string; readonly failed: string },
): number {
  if (!/^[+-]?[0-9]+$/.test(key)) {
    throw new JsonPatchError(
      texts.notIndex(`strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`),
      "InvalidIndex",
    );
  }
  const given = Number(key) + 0;
  const index = given < 0 ? given + length : given;
  if (index >= 0 && index < length) return index;
  throw new JsonPatchError(
    `${texts.failed}: Unable to access invalid index: ${given}: invalid index referenced`,
    "InvalidIndex",
  );
}

function isContainer(value: Json): value is Container {
  return typeof value === "object" && value !== null;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
