// The body of a request into an object of the kind its path names, in the normal form; or the Status a real server answers with.
// The kind and version in a body may be left out; if they are there they must fit the path.
import {
  type GroupVersionKind,
  type KubernetesObject,
  newBadRequest,
  type ObjectSchema,
  printGroupVersion,
  quote,
} from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { KindCodec } from "../kind-codec.ts";
import { type BodySource, jsonSource, valueSource, yamlSource } from "./body-source.ts";
import { decodeText, summarizeBody } from "./body-text.ts";
import { withGivenEmpty } from "./given-empty.ts";
import { findKindFault, schemaOfRegistered } from "./known-kinds.ts";
import { toNormalForm } from "./normal-form.ts";
import { type FieldValidation, strictDecodingError, strictWarnings } from "./strict.ts";
import { readTypeMeta } from "./type-meta.ts";
import { UnmarshalError } from "./unmarshal-error.ts";
import type { JsonDraft } from "./unset-forms.ts";
import { checkTypeMeta, fromUnstructuredBody, typeMetaOfUnstructured, versionOf } from "./unstructured.ts";

/** What a path expects. */
export interface BodyTarget extends KindCodec {
  /** Other versions that are taken as well (`policy/v1beta1` for an Eviction). None unless given. */
  acceptsVersion?(apiVersion: string): boolean;
}

export interface BodyOptions {
  /** Warn unless given, as upstream. */
  readonly fieldValidation?: FieldValidation;
}

export interface DecodedBody {
  /** Belongs to the caller. */
  readonly object: Draft<KubernetesObject>;
  /** For Warning headers. */
  readonly warnings: readonly string[];
}

/** Throws a StatusError: 400, worded as upstream words it. */
export function decodeJsonBody(bytes: Uint8Array, target: BodyTarget, options: BodyOptions = {}): DecodedBody {
  return decodeBody(target, { ...options, bytes, open: () => jsonSource(bytes) });
}

/** As `decodeJsonBody`. The reader of YAML is loaded when first needed. */
export async function decodeYamlBody(
  bytes: Uint8Array,
  target: BodyTarget,
  options: BodyOptions = {},
): Promise<DecodedBody> {
  const { parseYaml } = await import("./yaml.ts");
  return decodeBody(target, { ...options, bytes, open: () => yamlSource(parseYaml(bytes)) });
}

/** Of a value sent inside this process, or read from protobuf; nothing of it is kept but scalars. */
export function decodeValueBody(value: unknown, target: BodyTarget, options: BodyOptions = {}): DecodedBody {
  return decodeBody(target, { ...options, bytes: new Uint8Array(), open: () => valueSource(value) });
}

interface Body extends BodyOptions {
  /** As sent, for messages. */
  readonly bytes: Uint8Array;
  open(): BodySource;
}

function decodeBody(target: BodyTarget, body: Body): DecodedBody {
  if (target.isUnstructured) return decodeUnstructured(target, body);
  const [source, said] = orUnrecognized(target, body.bytes, () => {
    const source = body.open();
    return [source, readTypeMeta(source.value, target)] as const;
  });
  const { object, strictFaults } = orCannotBe(said, target, () => {
    if (said.version === "") throw new UnmarshalError(`Object 'apiVersion' is missing in '${decodeText(body.bytes)}'`);
    const found = decodeAs(said, target, source);
    if (body.fieldValidation === "Strict" && found.strictFaults.length > 0) {
      throw new UnmarshalError(strictDecodingError(found.strictFaults));
    }
    return found;
  });
  const [saidVersion, version] = [printGroupVersion(said), printGroupVersion(target)];
  if (saidVersion !== version && target.acceptsVersion?.(saidVersion) !== true) {
    throw otherVersion(saidVersion, version);
  }
  return {
    object: withIdentity(object, target.kind, version),
    warnings: body.fieldValidation === "Ignore" ? [] : strictWarnings(strictFaults),
  };
}

/** The same for a kind without a Go type, which only the body itself names. */
function decodeUnstructured(target: BodyTarget, body: Body): DecodedBody {
  const found = orUnrecognized(target, body.bytes, () => {
    const source = body.open();
    // Upstream reads the kind and version of any body first, and finds there what is no JSON.
    const said = readTypeMeta(source.value, target);
    return { said, plain: orCannotBe(said, target, () => source.plain()) };
  });
  const { kind, apiVersion } = orUnrecognized(target, body.bytes, () =>
    typeMetaOfUnstructured(found.plain.value, () => decodeText(body.bytes)),
  );
  const { version } = versionOf(apiVersion);
  const { object, strictFaults } = orCannotBe({ ...found.said, kind, version }, target, () => {
    const read = fromUnstructuredBody(found.plain);
    if (body.fieldValidation === "Strict" && read.strictFaults.length > 0) {
      throw new UnmarshalError(strictDecodingError(read.strictFaults));
    }
    return read;
  });
  const said = printGroupVersion(versionOf(apiVersion));
  if (said !== target.apiVersion) throw otherVersion(said, target.apiVersion);
  checkTypeMeta(object, target);
  const warnings = body.fieldValidation === "Ignore" ? [] : strictWarnings(strictFaults);
  return { object: object as unknown as Draft<KubernetesObject>, warnings };
}

const otherVersion = (said: string, expected: string) =>
  newBadRequest(`the API version in the data (${said}) does not match the expected API version (${expected})`);

function decodeAs(said: GroupVersionKind, target: BodyTarget, source: BodySource) {
  const isOther = said.kind !== target.kind || said.version !== target.version || said.group !== target.group;
  if (!isOther) return source.decode(schemaFor(target));
  const fault = findKindFault(said, target);
  const itsSchema = schemaOfRegistered(said);
  // A real server reads what it knows as what it says it is, before it finds that this is not what was asked for.
  if (itsSchema !== undefined || fault === undefined) {
    const found = source.decode(itsSchema ?? schemaFor(target));
    if (fault === undefined) return found;
  }
  throw new UnmarshalError(fault ?? "");
}

/** Whether a value that was patched may still be of the kind it was. Throws as a decoder does that reads it as what it says it is. */
export function checkKind(value: unknown, target: KindCodec): void {
  // What has no Go type is looked at when it is decoded.
  if (target.isUnstructured) return;
  const said = orBadRequest(() => readTypeMeta(value, target));
  const fault = said.kind === target.kind && said.group === target.group ? undefined : findKindFault(said, target);
  const schema = schemaOfRegistered(said);
  const isUnknown = said.version !== target.version && schema === undefined;
  if (fault === undefined && !isUnknown) return;
  orBadRequest(() => {
    if (schema !== undefined) toNormalForm(value, schema);
    throw new UnmarshalError(fault ?? findKindFault(said, target) ?? "");
  });
}

function orBadRequest<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnmarshalError) throw newBadRequest(error.message);
    throw error;
  }
}

function schemaFor({ schema, kind, apiVersion }: KindCodec): ObjectSchema {
  if (schema !== undefined) return schema;
  throw new KubeloopError(`no schema for ${kind} in ${apiVersion}`, {
    reason: "Internal",
    retry: "never",
  });
}

function orUnrecognized<T>(target: BodyTarget, bytes: Uint8Array, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error;
    const summary = summarizeBody(bytes);
    throw newBadRequest(
      `the object provided is unrecognized (must be of type ${target.kind}): ${error.message} (${summary})`,
    );
  }
}

function orCannotBe<T>(said: GroupVersionKind, target: BodyTarget, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error;
    const subject = `${said.kind} in version ${quote(said.version)}`;
    throw newBadRequest(`${subject} cannot be handled as a ${target.kind}: ${error.message}`);
  }
}

/** First, as every server prints them. */
function withIdentity(object: JsonDraft, kind: string, apiVersion: string): Draft<KubernetesObject> {
  const identified =
    object["kind"] === undefined || object["apiVersion"] === undefined
      ? withGivenEmpty({ kind, apiVersion, ...object }, object)
      : object;
  identified["kind"] = kind;
  identified["apiVersion"] = apiVersion;
  return identified as unknown as Draft<KubernetesObject>;
}
