// The tag and the length of a protobuf field of which the value may not have arrived yet.
//
// This is for the few messages around objects: envelopes, lists and events. Objects are read by core's codec (`api/protobuf`).
import type { Buffer } from "node:buffer";
import { ProtobufError } from "../../api/index.ts";

export interface FieldHead {
  /** Field number × 8 + wire type. */
  readonly tag: number;
  /** Of the value, in bytes. */
  readonly length: number;
  /** The index behind the value, which may lie behind the end of the bytes. */
  readonly end: number;
}

const maxVarintBytes = 5;

/** Returns undefined if tag or length are not all there. Throws a ProtobufError for what can be neither. */
export function readFieldHead(bytes: Buffer, at: number): FieldHead | undefined {
  const tag = readVarint(bytes, at);
  if (tag === undefined) return undefined;
  const from = at + tag.size;
  switch (tag.value & 7) {
    case 0: {
      const value = findVarintEnd(bytes, from);
      return value === undefined ? undefined : { tag: tag.value, length: value - from, end: value };
    }
    case 1:
      return { tag: tag.value, length: 8, end: from + 8 };
    case 5:
      return { tag: tag.value, length: 4, end: from + 4 };
    case 2: {
      const length = readVarint(bytes, from);
      if (length === undefined) return undefined;
      return { tag: tag.value, length: length.value, end: from + length.size + length.value };
    }
    default:
      throw new ProtobufError(`proto: illegal wireType ${tag.value & 7}`);
  }
}

function readVarint(bytes: Buffer, from: number): { readonly value: number; readonly size: number } | undefined {
  let value = 0;
  for (let size = 1; size <= maxVarintBytes; size++) {
    const byte = bytes[from + size - 1];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * (size - 1));
    if (byte < 0x80) return { value, size };
  }
  throw new ProtobufError("proto: integer overflow");
}

/** Of a value that is passed over. */
function findVarintEnd(bytes: Buffer, from: number): number | undefined {
  for (let at = from; at < from + 10; at++) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    if (byte < 0x80) return at + 1;
  }
  throw new ProtobufError("proto: integer overflow");
}

/** All fields of a message that has arrived. Values of scalars are their bytes. Throws a ProtobufError. */
export function fieldsOf(bytes: Buffer): readonly { readonly tag: number; readonly value: Buffer }[] {
  const fields: { readonly tag: number; readonly value: Buffer }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const head = readFieldHead(bytes, at);
    if (head === undefined || head.end > bytes.length) throw new ProtobufError("unexpected EOF");
    fields.push({ tag: head.tag, value: bytes.subarray(head.end - head.length, head.end) });
    at = head.end;
  }
  return fields;
}
