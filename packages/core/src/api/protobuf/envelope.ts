// The envelope in which an object travels: the four bytes "k8s\0", then a message that says the object's kind and holds its encoding.
import { Buffer } from "node:buffer";
import { ByteReader } from "./byte-reader.ts";
import { delimitedSize, delimiter } from "./delimited.ts";
import type { Kind } from "./message-names.ts";
import { ProtobufError } from "./protobuf-error.ts";

export interface OpenedEnvelope {
  /** Empty where the envelope does not say. */
  readonly typeMeta: Kind;
  /** The object's own encoding, a part of the bytes. */
  readonly raw: Uint8Array;
}

export const envelopePrefix = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);
const tags = { typeMeta: 0x0a, raw: 0x12, contentEncoding: 0x1a, contentType: 0x22 } as const;
const typeMetaTags = { apiVersion: 0x0a, kind: 0x12 } as const;
/** Content encoding and type, which are never said but always written. */
export const envelopeTail: Uint8Array = Uint8Array.of(tags.contentEncoding, 0, tags.contentType, 0);

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
    envelopePrefix,
    delimiter(tags.typeMeta, delimitedSize(version.length) + delimitedSize(word.length)),
    delimiter(typeMetaTags.apiVersion, version.length),
    version,
    delimiter(typeMetaTags.kind, word.length),
    word,
  ]);
  typeMetas.set(id, bytes);
  return bytes;
}

/** Throws a ProtobufError for bytes that are none. */
export function openEnvelope(bytes: Uint8Array): OpenedEnvelope {
  if (bytes.length === 0) throw new ProtobufError("empty data");
  if (envelopePrefix.some((byte, i) => bytes[i] !== byte)) {
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${envelopePrefix.join(" ")}]`,
    );
  }
  if (bytes.length === envelopePrefix.length) throw new ProtobufError("empty body");
  const reader = new ByteReader(bytes.subarray(envelopePrefix.length));
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
