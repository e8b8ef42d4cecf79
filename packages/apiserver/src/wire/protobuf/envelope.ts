// The envelope in which an object travels: the four bytes "k8s\0", then a message that says the object's kind and holds its encoding.
// Bytes that are none are refused with the 400 that a real server answers, in its words.
import { type GroupVersionKind, newBadRequest, parseGroupVersion, printGroupVersion, quote } from "@kubeloop/core/api";
import { ByteReader } from "./byte-reader.ts";
import type { MessageCodec } from "./codec.ts";
import { delimitedSize, delimiter } from "./delimited.ts";
import type { Kind } from "./message-names.ts";
import type { Draft } from "./message-reader.ts";
import { ProtobufError } from "./protobuf-error.ts";

export interface DecodedEnvelope extends Kind {
  /** The object, `kind` and `apiVersion` first. It belongs to the caller. */
  readonly value: Draft;
}

/** The kind that the request's URL stands for. It stands in for what the envelope does not say. */
export interface ExpectedKind extends Kind {
  /** Returns why an object of the kind `said` is refused; undefined if it is not. Asked when the kind has no message. */
  findFault?(said: GroupVersionKind): string | undefined;
  /** The message of an object of this very kind. Looked up by the kind unless given. */
  readonly message?: string | undefined;
  /** An object of a custom resource, which has no message: whatever the envelope holds is refused, in upstream's words. */
  readonly isUnstructured?: boolean;
  /** Options: `findFault` is asked before any message is read, and a fault is reported without what was expected. */
  readonly isOptions?: boolean;
}

const prefix = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);
const tags = { typeMeta: 0x0a, raw: 0x12, contentEncoding: 0x1a, contentType: 0x22 } as const;
const typeMetaTags = { apiVersion: 0x0a, kind: 0x12 } as const;
/** Content encoding and type, which are never said but always written. */
export const envelopeTail: Uint8Array = Uint8Array.of(tags.contentEncoding, 0, tags.contentType, 0);

/** Throws 400. Whether the kind is one that may be sent there is for the caller to check, unless `expected` can. */
export function decodeEnvelope(codec: MessageCodec, bytes: Uint8Array, expected?: ExpectedKind): DecodedEnvelope {
  const isBare = expected === undefined || expected.isOptions === true;
  const { typeMeta, raw } = orBadRequest(
    () => unwrap(bytes),
    (fault) =>
      isBare
        ? fault
        : `the object provided is unrecognized (must be of type ${expected.kind}): ${fault} (${summarize(bytes)})`,
  );
  const { apiVersion, kind } = withDefaults(typeMeta, expected);
  const value = orBadRequest(
    () => codec.decode(raw, messageOf(codec, { apiVersion, kind }, expected), { kind, apiVersion }),
    (fault) =>
      isBare || kind === ""
        ? fault
        : `${kind} in version ${quote(parseGroupVersion(apiVersion).version)} cannot be handled as a ${expected.kind}: ${fault}`,
  );
  return { apiVersion, kind, value };
}

/** Around an object's own encoding. */
export function wrapRaw(kind: Kind, raw: Uint8Array): Uint8Array {
  return Buffer.concat([typeMetaOf(kind), delimiter(tags.raw, raw.length), raw, envelopeTail]);
}

/** What precedes an encoding of that length. After it comes `envelopeTail`. */
export function envelopeHead(kind: Kind, rawLength: number): Uint8Array {
  return Buffer.concat([typeMetaOf(kind), delimiter(tags.raw, rawLength)]);
}

const typeMetas = new Map<string, Uint8Array>();

/** The envelope up to the encoding. Kept: kinds are few. */
function typeMetaOf({ apiVersion, kind }: Kind): Uint8Array {
  const id = `${apiVersion}/${kind}`;
  const known = typeMetas.get(id);
  if (known !== undefined) return known;
  const version = Buffer.from(apiVersion, "utf8");
  const word = Buffer.from(kind, "utf8");
  const bytes = Buffer.concat([
    prefix,
    delimiter(tags.typeMeta, delimitedSize(version.length) + delimitedSize(word.length)),
    delimiter(typeMetaTags.apiVersion, version.length),
    version,
    delimiter(typeMetaTags.kind, word.length),
    word,
  ]);
  typeMetas.set(id, bytes);
  return bytes;
}

function unwrap(bytes: Uint8Array): { readonly typeMeta: Kind; readonly raw: Uint8Array } {
  if (bytes.length === 0) throw new ProtobufError("empty data");
  if (prefix.some((byte, i) => bytes[i] !== byte)) {
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${prefix.join(" ")}]`,
    );
  }
  if (bytes.length === prefix.length) throw new ProtobufError("empty body");
  const reader = new ByteReader(bytes.subarray(prefix.length));
  let typeMeta: Kind = { apiVersion: "", kind: "" };
  let raw: Uint8Array = new Uint8Array();
  while (reader.isBeforeEnd()) {
    const tag = reader.readTag();
    if (tag === tags.typeMeta) typeMeta = readTypeMeta(reader, typeMeta);
    else if (tag === tags.raw) raw = reader.readBytes();
    else reader.skip(tag);
  }
  return { typeMeta, raw };
}

function readTypeMeta(reader: ByteReader, before: Kind): Kind {
  let { apiVersion, kind } = before;
  const outer = reader.enter();
  while (reader.isBeforeEnd()) {
    const tag = reader.readTag();
    if (tag === typeMetaTags.apiVersion) apiVersion = reader.readString();
    else if (tag === typeMetaTags.kind) kind = reader.readString();
    else reader.skip(tag);
  }
  reader.leave(outer);
  return { apiVersion, kind };
}

function withDefaults({ apiVersion, kind }: Kind, expected: Kind | undefined): Kind {
  return {
    apiVersion: toVersion(apiVersion) || (expected?.apiVersion ?? ""),
    kind: kind || (expected?.kind ?? ""),
  };
}

/** As Go reads it: what cannot be parsed, or names a group only, counts as not said. */
function toVersion(apiVersion: string): string {
  const [group = "", version, ...more] = apiVersion.split("/");
  if (version === undefined) return group;
  return version === "" || more.length > 0 ? "" : printGroupVersion({ group, version });
}

function messageOf(codec: MessageCodec, { apiVersion, kind }: Kind, expected?: ExpectedKind): string {
  if (kind === "") throw new ProtobufError("Object 'Kind' is missing in the protobuf envelope");
  if (apiVersion === "") throw new ProtobufError("Object 'apiVersion' is missing in the protobuf envelope");
  // Upstream asks an empty object what it is.
  if (expected?.isUnstructured === true)
    throw new ProtobufError("Object 'Kind' is missing in 'object has no kind field '");
  const isExpected = expected?.kind === kind && expected.apiVersion === apiVersion;
  const message = (isExpected ? expected.message : undefined) ?? codec.messageOfKind({ apiVersion, kind });
  const isAsked = message === undefined || expected?.isOptions === true;
  const fault = isAsked ? expected?.findFault?.({ ...parseGroupVersion(apiVersion), kind }) : undefined;
  if (message !== undefined && fault === undefined) return message;
  const scheme = "pkg/runtime/scheme.go:111";
  throw new ProtobufError(
    fault ?? `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme ${quote(scheme)}`,
  );
}

function orBadRequest<T>(work: () => T, describe: (fault: string) => string): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ProtobufError ? newBadRequest(describe(error.message)) : error;
  }
}

const summaryBytes = 30;

/** The beginning of a body, as a real server shows it to its sender. */
function summarize(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const shown = Buffer.from(bytes.subarray(0, summaryBytes));
  const isJson = bytes[0] === 0x7b;
  return `${shown.toString(isJson ? "utf8" : "hex")}${bytes.length > summaryBytes ? " ..." : ""}`;
}
