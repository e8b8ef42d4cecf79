// PATCH: a change to what there is, applied to the newest version as often as others get in between. A version inside the patch is a
// condition like that of an update. Only an apply patch may create; that comes with server-side apply.
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMerge,
  decodeJsonPatch,
  fieldPath,
  headerValue,
  invalidFault,
  JsonPatchError,
  type KubernetesObject,
  newBadRequest,
  newGenericServerResponse,
  newInvalid,
  newNotFound,
  newRequestEntityTooLarge,
  newStatusError,
  StatusError,
  StrategicMergeError,
} from "@kubeloop/core/api";
import type { Draft } from "../kinds/kind-rules.ts";
import type { Answer } from "../wire/answer.ts";
import { parseAnyJson, strictDecodingError, UnmarshalError } from "../wire/decode/index.ts";
import { changeObject } from "./change-object.ts";
import { dedupe, matchNamespace } from "./create.ts";
import { decodeValue, readBytes } from "./read-object.ts";
import { type WriteOptions, writeOptionsOf } from "./request-options.ts";
import { placeOf, type RequestScope } from "./request-scope.ts";
import { checkVersion, decideUpdate, matchName } from "./update.ts";

const maxOperations = 10_000;

type PatchKind = "json" | "merge" | "strategic";

const patchKinds = new Map<string, PatchKind>([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
]);

export interface ParsedPatch {
  readonly kind: PatchKind;
  readonly value: unknown;
  /** Keys that occur twice in the patch itself. */
  readonly strictFaults: readonly string[];
}

export async function patch(scope: RequestScope): Promise<Answer> {
  const { served, info } = scope;
  const kind = patchKindOf(scope);
  const options = writeOptionsOf(scope.request.query, "PatchOptions");
  const parsed = await parsePatch(scope, kind);
  const changed = await changeObject(
    scope,
    placeOf(scope, info.name),
    async (current) => {
      if (current === undefined) throw newNotFound(served.groupResource, info.name);
      const draft = patchedDraft(scope, parsed, current, options);
      matchNamespace(scope, draft);
      matchName(scope, draft);
      dedupe(scope, draft);
      checkVersion(scope, draft, current);
      return decideUpdate(scope, draft, current, options);
    },
    options,
  );
  return { kind: "object", code: 200, object: changed.object, presentation: served.presentation };
}

export function patchKindOf({ request, served }: RequestScope): PatchKind {
  const [mediaType = ""] = (headerValue(request.headers, "content-type") ?? "").split(";");
  const kind = patchKinds.get(mediaType.trim().toLowerCase());
  // Without a schema nobody knows how lists merge.
  if (kind === undefined || (kind === "strategic" && served.schema === undefined)) {
    throw newStatusError({
      code: 415,
      reason: "UnsupportedMediaType",
      message: "415: Unsupported Media Type",
      details: {},
    });
  }
  return kind;
}

export async function parsePatch(scope: RequestScope, kind: PatchKind): Promise<ParsedPatch> {
  const { body } = scope.request;
  if (body.kind === "value") return { kind, value: body.value, strictFaults: [] };
  const bytes = await readBytes(scope);
  try {
    const { value, strictFaults } = parseAnyJson(bytes);
    return {
      kind,
      value,
      strictFaults: kind === "json" ? strictFaults.map((fault) => `json patch ${fault}`) : strictFaults,
    };
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error;
    throw newBadRequest(kind === "strategic" ? error.message : `error decoding patch: ${error.message}`);
  }
}

/** The patched object: decoded, defaulted, in the version that is stored. */
function patchedDraft(
  scope: RequestScope,
  parsed: ParsedPatch,
  current: KubernetesObject,
  options: WriteOptions,
): Draft<KubernetesObject> {
  const { served } = scope;
  const shown = served.presentation.toServed(current);
  const patched = applyPatch(shown, parsed);
  const refused = (why: string) => refusedPatch(parsed, patched, why);
  return decodedPatch(parsed, patched, () => {
    const { draft, strictFaults } = decodeValue(scope, patched);
    const faults = [...parsed.strictFaults, ...strictFaults];
    if (faults.length > 0 && options.fieldValidation === "Strict") throw refused(strictDecodingError(faults));
    if (options.fieldValidation === "Warn") scope.warnings.add(...faults);
    return draft;
  });
}

/** Of a patch, what cannot be decoded is its fault. */
export function decodedPatch<T>(parsed: ParsedPatch, patched: unknown, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof StatusError && error.code === 400) throw refusedPatch(parsed, patched, decodeFaultOf(error));
    throw error;
  }
}

function refusedPatch(parsed: ParsedPatch, patched: unknown, why: string): StatusError {
  const text = parsed.kind === "strategic" ? printGo(parsed.value) : printSorted(patched);
  return newInvalid({ group: "", kind: "" }, "", { faults: [invalidFault(fieldPath("patch"), text, why)] });
}

/** The part of a decode error that says what was wrong, without whose error it is. */
function decodeFaultOf({ message }: StatusError): string {
  const marker = /cannot be handled as a \w+: /.exec(message);
  return marker === null ? message : message.slice(marker.index + marker[0].length);
}

/** What the patch makes of it; throws what a real server answers if it cannot be applied. */
export function applyPatch(shown: KubernetesObject, { kind, value }: ParsedPatch): unknown {
  switch (kind) {
    case "json":
      return applyOperations(shown, value);
    case "merge":
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw newBadRequest(
          `error decoding patch: json: cannot unmarshal ${wordOf(value)} into Go value of type map[string]interface {}`,
        );
      }
      return applyMergePatch(shown, value);
    case "strategic":
      try {
        return applyStrategicMerge(shown, value as object);
      } catch (error) {
        if (!(error instanceof StrategicMergeError)) throw error;
        if (error.reason === "BadRequest") throw newBadRequest(error.message);
        // Upstream does not recognise its own error.
        throw newStatusError({ code: 500, reason: "", message: error.message });
      }
  }
}

function applyOperations(shown: KubernetesObject, value: unknown): unknown {
  if (Array.isArray(value) && value.length > maxOperations) {
    throw newRequestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${value.length}`,
    );
  }
  if (!Array.isArray(value)) {
    throw newBadRequest(
      `error decoding patch: json: cannot unmarshal ${wordOf(value)} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  try {
    return applyJsonPatch(shown, decodeJsonPatch(value));
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    throw unprocessable(error.message);
  }
}

/** Upstream keeps the reason to itself. */
function unprocessable(serverMessage: string): StatusError {
  return newGenericServerResponse({ code: 422, method: "", serverMessage });
}

/** What JSON calls it. */
function wordOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value === "boolean" ? "bool" : typeof value;
}

/** JSON with its keys in order. */
function printSorted(value: unknown): string {
  return JSON.stringify(value, (_key, held: unknown) => {
    if (typeof held !== "object" || held === null || Array.isArray(held)) return held;
    return Object.fromEntries(Object.entries(held).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** As Go prints a map: keys in order, no quotes. */
function printGo(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printGo).join(" ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `map[${entries.map(([name, held]) => `${name}:${printGo(held)}`).join(" ")}]`;
  }
  return value === null ? "<nil>" : String(value);
}
