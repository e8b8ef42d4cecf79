// What a patch makes of an object: parsed by its media type, applied to the object as it is shown, and decoded again. Throws what a real server answers
// where it cannot be applied.
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
  newRequestEntityTooLarge,
  newStatusError,
  type ObjectSchema,
  quote,
  StatusError,
  StrategicMergeError,
} from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { cannotUnmarshal, notAMap, printGo } from "../../go-prose/go-values.ts";
import { inKeyOrder, printMerged, printOperated } from "../../go-prose/print-patched.ts";
import { checkOrderItems, OrderItemError, strategicWords } from "../../go-prose/strategic-words.ts";
import type { Draft } from "../../kinds/kind-rules.ts";
import {
  checkKind,
  fromUnstructured,
  maxDepth,
  parseAnyJson,
  strictDecodingError,
  toNormalForm,
  toPlainJson,
  UnmarshalError,
} from "../../wire/decode/index.ts";
import type { KindCodec } from "../../wire/kind-codec.ts";
import type { WriteOptions } from "../options/request-options.ts";
import { decodePlain, toStored } from "../registry/decode-value.ts";
import { readBytes } from "./read-object.ts";
import type { RequestScope } from "./request-scope.ts";

const maxOperations = 10_000;
/** Of all copies of one JSON patch, as JSON. */
const maxCopyBytes = 3 * 1024 * 1024;

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

export function patchKindOf({ request, served }: RequestScope): PatchKind {
  const header = headerValue(request.headers, "content-type") ?? "";
  const { strategicMerge, isUnstructured } = served.codec;
  // A router lets through whatever names one of the types; who applies the patch takes the text as it stands.
  const isRouted = header.split(",").some((each) => patchKinds.has((each.split(";")[0] ?? "").trim()));
  const kind = patchKinds.get(header.split(";")[0] ?? "");
  if (!isRouted && !isUnstructured) {
    throw newStatusError({
      code: 415,
      reason: "UnsupportedMediaType",
      message: "415: Unsupported Media Type",
      details: {},
    });
  }
  // Without a schema nobody knows how lists merge.
  if (kind !== undefined && (kind !== "strategic" || strategicMerge !== undefined)) return kind;
  const own = strategicMerge === undefined ? [] : ["strategic-merge-patch+json"];
  const types = ["json-patch+json", "merge-patch+json", ...own, "apply-patch+yaml"];
  const known = types.map((type) => `application/${type}`).join(", ");
  throw newStatusError({
    code: 415,
    reason: "UnsupportedMediaType",
    message: `the body of the request was in an unknown format - accepted media types include: ${known}`,
  });
}

export async function parsePatch(scope: RequestScope, kind: PatchKind): Promise<ParsedPatch> {
  const { body } = scope.request;
  try {
    if (body.kind === "value") return { kind, value: toPlainJson(body.value), strictFaults: [] };
    const bytes = await readBytes(scope);
    const { value, strictFaults } = parseAnyJson(bytes);
    if (kind !== "json") return { kind, value, strictFaults };
    const faults = [...strictFaults, ...unknownMembers(value)].map((fault) => `json patch ${fault}`);
    return { kind, value, strictFaults: faults };
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error;
    throw newBadRequest(kind === "strategic" ? error.message : `error decoding patch: ${error.message}`);
  }
}

const members = new Set(["op", "path", "from", "value"]);

/** What no operation has. */
function unknownMembers(operations: unknown): readonly string[] {
  if (!Array.isArray(operations)) return [];
  return operations.flatMap((operation: unknown, i) => {
    if (typeof operation !== "object" || operation === null || Array.isArray(operation)) return [];
    const unknown = Object.keys(operation).filter((name) => !members.has(name));
    return unknown.map((name) => `unknown field ${quote(`[${i}].${name}`)}`);
  });
}

/** The patched object: decoded, defaulted, in the version that is stored. */
export async function patchedDraft(
  scope: RequestScope,
  parsed: ParsedPatch,
  current: KubernetesObject,
  options: WriteOptions,
): Promise<Draft<KubernetesObject>> {
  const { served, yieldBudget } = scope;
  const { presentation } = served;
  if (presentation.convertAll !== undefined) await presentation.convertAll([current], scope.signal);
  const shown = presentation.toServed(current);
  const patched = applyPatch(shown, parsed, served.codec);
  if (yieldBudget.isUsedUpNow()) await yieldBudget.yield();
  return decodedPatch(
    parsed,
    patched,
    (value) => {
      if (parsed.kind !== "strategic") checkKind(value, served.codec);
      const { draft, strictFaults } = decodePlain(value, served.codec);
      const stored = toStored(scope, draft);
      const reported = (each: Draft<KubernetesObject>) => {
        reportStrictFaults(scope, [...parsed.strictFaults, ...strictFaults], options);
        return each;
      };
      return stored instanceof Promise ? stored.then(reported) : reported(stored);
    },
    { codec: served.codec, shown },
  );
}

/** Throws 400 where strict validation was asked for. */
export function reportStrictFaults(scope: RequestScope, faults: readonly string[], options: WriteOptions): void {
  if (faults.length > 0 && options.fieldValidation === "Strict") throw newBadRequest(strictDecodingError(faults));
  if (options.fieldValidation === "Warn") scope.warnings.addAll(faults);
}

export interface Patched {
  /** Of the kind that was patched. */
  readonly codec: KindCodec;
  /** What the patch was applied to. */
  readonly shown: KubernetesObject;
}

/** Of a patch, what cannot be decoded is its fault. */
export function decodedPatch<T>(parsed: ParsedPatch, patched: unknown, decode: (value: unknown) => T, of: Patched): T {
  try {
    return decode(patched);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    if (parsed.kind !== "strategic") throw refusedPatch(parsed, decodeFaultOf(error), of);
    // What can be decoded and not be converted is no fault of the patch: upstream takes it for its own.
    const why = decodeFaultOf(error);
    if (why.startsWith("strconv.ParseInt: ")) throw newStatusError({ code: 500, reason: "", message: why });
    return decode(converted(parsed, patched, error, of));
  }
}

/** What upstream's own converter for these patches makes of it; throws in its words. */
function converted(parsed: ParsedPatch, patched: unknown, error: StatusError, of: Patched): unknown {
  const { schema } = of.codec;
  try {
    const value = schema === undefined ? patched : fromUnstructured(patched, schema);
    if (deepEqual(value, patched)) throw new UnmarshalError(decodeFaultOf(error));
    return value;
  } catch (fault) {
    if (fault instanceof UnmarshalError) throw refusedPatch(parsed, fault.message, of);
    throw fault;
  }
}

function refusedPatch(parsed: ParsedPatch, why: string, of: Patched): StatusError {
  const text = printRefused(parsed, of);
  return newInvalid({ group: "", kind: "" }, "", { faults: [invalidFault(fieldPath("patch"), text, why)] });
}

function printRefused(parsed: ParsedPatch, { codec, shown }: Patched): string {
  const { kind, value } = parsed;
  if (kind === "strategic") return printGo(value);
  const before = codec.isUnstructured ? inKeyOrder(shown) : inWrittenOrder(shown, codec.schema);
  // Once more, of the object as it is written.
  const again = applyPatch(before, parsed, codec);
  if (kind === "merge") return printMerged(again, value, before);
  return printOperated(again, value as readonly unknown[]);
}

/** The object with its fields in the order in which a server writes them: that of its Go type's schema, where it has one. */
function inWrittenOrder(shown: KubernetesObject, schema: ObjectSchema | undefined): KubernetesObject {
  return schema === undefined ? shown : (toNormalForm(shown, schema).object as unknown as KubernetesObject);
}

/** The part of a decode error that says what was wrong, without whose error it is. */
function decodeFaultOf({ message }: StatusError): string {
  const marker = /cannot be handled as a \w+: /.exec(message);
  return marker === null ? message : message.slice(marker.index + marker[0].length);
}

/** What the patch makes of it; throws what a real server answers if it cannot be applied. */
export function applyPatch(shown: KubernetesObject, { kind, value }: ParsedPatch, codec: KindCodec): unknown {
  switch (kind) {
    case "json":
      return applyOperations(shown, value);
    case "merge":
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw newBadRequest(`error decoding patch: ${notAMap(value)}`);
      }
      return applyMergePatch(shown, value);
    case "strategic":
      return applyStrategically(shown, value, codec.strategicMerge);
  }
}

function applyStrategically(shown: KubernetesObject, value: unknown, schema: ObjectSchema | undefined): unknown {
  if (value !== null && (typeof value !== "object" || Array.isArray(value))) {
    throw newBadRequest(notAMap(value));
  }
  try {
    checkRawData(value, shown);
    checkOrderItems(value, shown);
    return applyStrategicMerge(shown, value ?? {}, schema === undefined ? {} : { schema });
  } catch (error) {
    // Upstream does not recognise most of its own errors.
    if (error instanceof OrderItemError) throw newStatusError({ code: 500, reason: "", message: error.message });
    if (!(error instanceof StrategicMergeError)) throw error;
    const message = strategicWords({ path: error.path, message: error.message, patch: value, current: shown });
    if (error.reason === "BadRequest") throw newBadRequest(message);
    throw newStatusError({ code: 500, reason: "", message });
  }
}

/** The data of a ControllerRevision has no schema, so upstream cannot merge what is a map or a list in both. */
function checkRawData(patch: unknown, current: KubernetesObject): void {
  if (current.kind !== "ControllerRevision") return;
  const [changed, held] = [patch, current].map((each) => (each as { readonly data?: unknown } | null)?.data);
  if (!isRecord(changed) || !isRecord(held)) return;
  for (const [name, value] of Object.entries(changed)) {
    const before = held[name];
    const isMerged = Array.isArray(value) ? Array.isArray(before) : isRecord(value) && isRecord(before);
    if (!isMerged) continue;
    const message = `unable to find api field in struct RawExtension for the json field ${quote(name)}`;
    throw newStatusError({ code: 500, reason: "", message });
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function applyOperations(shown: KubernetesObject, value: unknown): unknown {
  if (Array.isArray(value) && value.length > maxOperations) {
    throw newRequestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${value.length}`,
    );
  }
  if (!Array.isArray(value)) {
    throw newBadRequest(`error decoding patch: ${cannotUnmarshal(value, "value of type []handlers.jsonPatchOp")}`);
  }
  for (const operation of value) checkOperation(operation);
  try {
    return applyJsonPatch(shown, decodeJsonPatch(value), { maxCopyBytes });
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    throw unprocessable(error.message);
  }
}

/** Upstream keeps the reason to itself. */
function unprocessable(serverMessage: string): StatusError {
  return newGenericServerResponse({ code: 422, method: "", serverMessage });
}

const isDeeper = (pointer: string) => pointer.length > maxDepth && pointer.split("/").length > maxDepth;

/** Before any is applied, all are read; what is missing is found out later. */
function checkOperation(operation: unknown): void {
  const refused = (held: unknown, place: string) =>
    newBadRequest(`error decoding patch: ${cannotUnmarshal(held, place)}`);
  if (operation === null) return;
  if (typeof operation !== "object" || Array.isArray(operation)) {
    throw refused(operation, "value of type handlers.jsonPatchOp");
  }
  for (const field of ["op", "path", "from"]) {
    const held = (operation as Readonly<Record<string, unknown>>)[field];
    if (held === undefined || held === null || typeof held === "string") continue;
    throw refused(held, `struct field jsonPatchOp.${field} of type string`);
  }
  const { path, from } = operation as { readonly path?: string | null; readonly from?: string | null };
  // Where nothing can stand; step by step it would still be built.
  for (const pointer of [path, from]) if (isDeeper(pointer ?? "")) throw unprocessable("the path is too deep");
}
