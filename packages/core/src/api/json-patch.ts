// Applies JSON patches (RFC 6902) as the API server does, including where its library is more lenient than the RFC:
// - negative indexes count from the end; in `add` they count from after the end (-1 appends);
// - `replace` of an absent key of an object adds it; `test` of an absent key against null succeeds; `copy` of an absent
//   key copies null; an absent `value` is null;
// - anything before a path's first slash is ignored.
// Numbers compare by value ("1.0" equals "1"). The server limits the number of operations, not this file.
//
// The inputs are not changed: the result shares what the patch did not touch. A touched container is copied once, however many operations follow.
// Keys like "__proto__" are plain data.
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

/** Checks the shape of a patch from outside. Throws a JsonPatchError. */
export function decodeJsonPatch(json: unknown): JsonPatch {
  if (!Array.isArray(json)) throw new JsonPatchError("a JSON patch must be a list of operations", "Invalid");
  return json.map(decodeOperation);
}

export interface JsonPatchLimits {
  /** How many bytes of JSON all `copy` operations together may add, because each can double a document. Default: no limit. */
  readonly maxCopyBytes?: number;
}

/** Returns the patched document. Throws a JsonPatchError at the first operation that does not apply. */
export function applyJsonPatch(document: unknown, patch: JsonPatch, limits: JsonPatchLimits = {}): unknown {
  const patching = new Patching(limits);
  return patch.reduce((patched, operation) => applyOperation(patched, operation, patching), document);
}

/** Returns one key of a path, escaped: "a/b" becomes "a~1b". */
export function escapePointer(key: string): string {
  return key.replace(/[~/]/g, (found) => (found === "~" ? "~0" : "~1"));
}

type Json = unknown;
type Container = readonly Json[] | JsonObject;
type OwnContainer = Json[] | Record<string, Json>;

/** The containers that the patch has copied so far, which may be changed in place. */
class Patching {
  readonly #own = new Set<Container>();
  readonly #maxCopyBytes: number;
  #copiedBytes = 0;

  constructor({ maxCopyBytes = Number.POSITIVE_INFINITY }: JsonPatchLimits) {
    this.#maxCopyBytes = maxCopyBytes;
  }

  own(container: Container): OwnContainer {
    if (this.#own.has(container)) return container as OwnContainer;
    const copy: OwnContainer = isList(container) ? [...container] : { ...container };
    this.#own.add(copy);
    return copy;
  }

  /** Returns a copy of a value for a second location, so that later changes affect only one of them. */
  copyOf(value: Json): Json {
    const text = JSON.stringify(value);
    this.#copiedBytes += new TextEncoder().encode(text).length;
    if (this.#copiedBytes > this.#maxCopyBytes) {
      const sizes = `is ${this.#copiedBytes}, exceeding the limit ${this.#maxCopyBytes}`;
      throw new JsonPatchError(
        `Unable to complete the copy, the accumulated size increase of copy ${sizes}`,
        "Invalid",
      );
    }
    return cloneJson(value);
  }
}

/** Copies lists and plain objects; other values are shared. */
function cloneJson(value: Json): Json {
  if (!isContainer(value)) return value;
  if (isList(value)) return value.map(cloneJson);
  const kind: unknown = Object.getPrototypeOf(value);
  if (kind !== Object.prototype && kind !== null) return value;
  const copy: Record<string, Json> = {};
  for (const [key, held] of Object.entries(value)) setKey(copy, key, cloneJson(held));
  return copy;
}

function setKey(container: Record<string, Json>, key: string, value: Json): void {
  if (key !== "__proto__") container[key] = value;
  else Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
}

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

function applyOperation(document: Json, operation: JsonPatchOperation, patching: Patching): Json {
  const { path } = operation;
  switch (operation.op) {
    case "add":
      return addAt(document, path, operation.value ?? null, { patching, ...addTexts(path) });
    case "remove":
      return removeAt(document, path, {
        patching,
        missing: `remove operation does not apply: doc is missing path: "${path}": missing value`,
        failed: `error in remove for path: '${path}'`,
      });
    case "replace":
      return replaceAt(document, path, operation.value ?? null, patching);
    case "move":
      return move(document, operation.from, path, patching);
    case "copy":
      return copy(document, operation.from, path, patching);
    case "test":
      return test(document, path, operation.value ?? null);
    default:
      return assertNever(operation);
  }
}

interface Texts {
  /** The message if there is no container at the path. */
  readonly missing: string;
  /** The beginning of the message if the edit of the container fails. */
  readonly failed: string;
}

interface Edit extends Texts {
  readonly patching: Patching;
}

function addTexts(path: string): Texts {
  return {
    missing: `add operation does not apply: doc is missing path: "${path}": missing value`,
    failed: `error in add for path: '${path}'`,
  };
}

function addAt(document: Json, path: string, value: Json, { patching, missing, failed }: Edit): Json {
  return editContainer(document, path, { patching, missing }, (container, key) => {
    if (!isList(container)) return setKey(container, key, value);
    if (key === "-") return void container.push(value);
    const notIndex = (fault: string) => `${failed}: value was not a proper array index: '${key}': ${fault}`;
    container.splice(resolveIndex(key, container.length + 1, { notIndex, failed }), 0, value);
  });
}

function removeAt(document: Json, path: string, { patching, missing, failed }: Edit): Json {
  return editContainer(document, path, { patching, missing }, (container, key) => {
    if (isList(container)) {
      container.splice(existingIndex(container, key, failed), 1);
      return;
    }
    if (!Object.hasOwn(container, key)) {
      throw new JsonPatchError(`${failed}: Unable to remove nonexistent key: ${key}: missing value`, "Missing");
    }
    delete container[key];
  });
}

function replaceAt(document: Json, path: string, value: Json, patching: Patching): Json {
  if (path === "") {
    if (typeof value === "object" && value !== null) return value;
    throw new JsonPatchError("replace operation value must be object or array", "Invalid");
  }
  const missing = `replace operation does not apply: doc is missing path: ${path}: missing value`;
  return editContainer(document, path, { patching, missing }, (container, key) => {
    if (!isList(container)) return setKey(container, key, value);
    const index = findIndex(container, key);
    if (index === undefined) {
      const text = `replace operation does not apply: doc is missing key: ${path}: missing value`;
      throw new JsonPatchError(text, "Missing");
    }
    container[index] = value;
  });
}

function move(document: Json, from: string, path: string, patching: Patching): Json {
  const key = lastKey(from);
  const missing = `move operation does not apply: doc is missing from path: ${from}: missing value`;
  const failed = `error in move for path: '${key}'`;
  const value = read(document, from, { missing, failed });
  const without = removeAt(document, from, { patching, missing, failed });
  return addAt(without, path, value, {
    patching,
    missing: `move operation does not apply: doc is missing destination path: ${path}: missing value`,
    failed: `error in move for path: '${path}'`,
  });
}

function copy(document: Json, from: string, path: string, patching: Patching): Json {
  const value = read(document, from, {
    missing: `copy operation does not apply: doc is missing from path: ${from}: missing value`,
    failed: `error in copy for from: '${from}'`,
  });
  return addAt(document, path, patching.copyOf(value), {
    patching,
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

/** Returns the value at the path; null if an object does not have the key. */
function read(document: Json, path: string, texts: Texts): Json {
  const keys = splitPointer(path);
  const key = keys?.pop();
  const container = keys?.reduce<Json>(step, document);
  if (key === undefined || !isContainer(container)) throw new JsonPatchError(texts.missing, "Missing");
  if (isList(container)) return container[existingIndex(container, key, texts.failed)] ?? null;
  return Object.hasOwn(container, key) ? (container[key] ?? null) : null;
}

/** Returns the document with the container of the path's last key edited. The container and its parents are copied once. */
function editContainer(
  document: Json,
  path: string,
  { patching, missing }: Pick<Edit, "patching" | "missing">,
  edit: (container: OwnContainer, key: string) => void,
): Json {
  const keys = splitPointer(path);
  const last = keys?.pop();
  if (keys === undefined || last === undefined) throw new JsonPatchError(missing, "Missing");
  const descend = (value: Json, depth: number): Json => {
    if (!isContainer(value)) throw new JsonPatchError(missing, "Missing");
    const key = keys[depth];
    const own = patching.own(value);
    if (key === undefined) {
      edit(own, last);
      return own;
    }
    const inner = descend(step(own, key), depth + 1);
    if (isList(own)) own[findIndex(own, key) ?? 0] = inner;
    else setKey(own, key, inner);
    return own;
  };
  return descend(document, 0);
}

function step(value: Json, key: string): Json {
  if (!isContainer(value)) return undefined;
  if (!isList(value)) return Object.hasOwn(value, key) ? value[key] : undefined;
  const index = findIndex(value, key);
  return index === undefined ? undefined : value[index];
}

/** Undefined if the path has no slash. */
function splitPointer(path: string): string[] | undefined {
  const [, ...keys] = path.split("/");
  if (keys.length === 0) return undefined;
  return keys.map((key) => key.replace(/~[01]/g, (found) => (found === "~0" ? "~" : "/")));
}

function lastKey(path: string): string {
  return splitPointer(path)?.at(-1) ?? "";
}

/** Returns the index of an existing item, counted from the front or, if negative, from the end. */
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

function isList(value: OwnContainer): value is Json[];
function isList(value: Json): value is readonly Json[];
function isList(value: Json): boolean {
  return Array.isArray(value);
}
