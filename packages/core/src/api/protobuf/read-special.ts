// Messages whose JSON is no object with the same fields: quantities, times, what is an int or a string, raw JSON, and unions that
// JSON tells apart by their shape. Each reader stands in the message, reads it to its end and answers the JSON.
//
// An empty message says what Go's zero value would print: null for a time and for raw JSON, "0" for a quantity. Values are
// not made canonical here: that is the normal form's, which JSON goes through too.
import { Buffer } from "node:buffer";
import { printDuration } from "../duration.ts";
import { printTime, TimeError } from "../time.ts";
import { type ByteReader, maxDepth } from "./byte-reader.ts";
import { apiextensions, intOrString, meta, quantities, runtime } from "./message-names.ts";
import { ProtobufError, tooDeep } from "./protobuf-error.ts";

export type ReadSpecial = (reader: ByteReader) => unknown;

/** By message. `readMessage` reads an ordinary one that a union holds. */
export function specialReaders(
  readMessage: (name: string, reader: ByteReader) => unknown,
): ReadonlyMap<string, ReadSpecial> {
  const readSchema: ReadSpecial = (reader) => readMessage(`${apiextensions}.JSONSchemaProps`, reader);
  return new Map<string, ReadSpecial>([
    [`${quantities}.Quantity`, readQuantity],
    [`${quantities}.QuantityValue`, readQuantity],
    [intOrString, readIntOrString],
    [`${meta}.Time`, readTime],
    [`${meta}.MicroTime`, readMicroTime],
    [`${meta}.Duration`, readDuration],
    [`${meta}.FieldsV1`, readRawJson],
    [`${runtime}.RawExtension`, readRawJson],
    [`${apiextensions}.JSON`, readRawJson],
    [`${apiextensions}.JSONSchemaPropsOrBool`, (reader) => readSchemaOrBool(reader, readSchema)],
    [`${apiextensions}.JSONSchemaPropsOrArray`, (reader) => readSchemaOrList(reader, readSchema, readSchema)],
    [
      `${apiextensions}.JSONSchemaPropsOrStringArray`,
      (reader) => readSchemaOrList(reader, readSchema, (inner) => inner.readString()),
    ],
  ]);
}

/** Lists that Go gives a name are messages that hold nothing but `items`. */
export function readItems(reader: ByteReader): unknown {
  const items: string[] = [];
  while (reader.isBeforeEnd()) {
    const tag = reader.readTag();
    if (tag === 0x0a) items.push(reader.readString());
    else reader.skip(tag);
  }
  return items;
}

function readQuantity(reader: ByteReader): string {
  let text = "0";
  while (reader.isBeforeEnd()) {
    const tag = reader.readTag();
    if (tag === 0x0a) text = reader.readString();
    else reader.skip(tag);
  }
  // In JSON an empty quantity is zero, and space around one is passed over; here Go refuses both.
  if (text === "" || text.trim() !== text)
    throw new ProtobufError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  return text;
}

function readIntOrString(reader: ByteReader): number | string {
  let type = 0;
  let int = 0;
  let text = "";
  while (reader.isBeforeEnd()) {
    const tag = reader.readTag();
    if (tag === 0x08) type = reader.readInt64();
    else if (tag === 0x10) int = reader.readInt32();
    else if (tag === 0x1a) text = reader.readString();
    else reader.skip(tag);
  }
  if (type === 0) return int;
  if (type === 1) return text;
  throw new ProtobufError("impossible IntOrString.Type");
}

function readTime(reader: ByteReader): string | null {
  if (!reader.isBeforeEnd()) return null;
  const { seconds } = readTimestamp(reader);
  return printSeconds(seconds);
}

function readMicroTime(reader: ByteReader): string | null {
  if (!reader.isBeforeEnd()) return null;
  const { seconds, nanoseconds } = readTimestamp(reader);
  const micros = Math.trunc(nanoseconds / 1000);
  const carry = Math.floor(micros / 1_000_000);
  const fraction = micros - carry * 1_000_000;
  const whole = seconds + carry;
  return `${printSeconds(whole).slice(0, -1)}.${String(fraction).padStart(6, "0")}Z`;
}

function readTimestamp(reader: ByteReader): { readonly seconds: number; readonly nanoseconds: number } {
  let seconds = 0;
  let nanoseconds = 0;
  while (reader.isBeforeEnd()) {
    const tag = reader.readTag();
    if (tag === 0x08) seconds = reader.readInt64();
    else if (tag === 0x10) nanoseconds = reader.readInt32();
    else reader.skip(tag);
  }
  return { seconds, nanoseconds };
}

const printedCount = 1024;
const printedSeconds: number[] = new Array(printedCount).fill(Number.NaN);
const printed: string[] = new Array(printedCount).fill("");

/** Times repeat: within an object, and among those that were made together. */
function printSeconds(seconds: number): string {
  const slot = Math.abs(seconds % printedCount);
  if (printedSeconds[slot] === seconds) return printed[slot] as string;
  const text = printNewSeconds(seconds);
  printedSeconds[slot] = seconds;
  printed[slot] = text;
  return text;
}

function printNewSeconds(seconds: number): string {
  try {
    return printTime(seconds * 1000);
  } catch (error) {
    if (error instanceof TimeError || error instanceof RangeError) {
      throw new ProtobufError(`time ${seconds} s is outside the years 0 to 9999`, { cause: error });
    }
    throw error;
  }
}

function readDuration(reader: ByteReader): string {
  let nanoseconds = 0n;
  while (reader.isBeforeEnd()) {
    const tag = reader.readTag();
    if (tag === 0x08) nanoseconds = reader.readBigInt64();
    else reader.skip(tag);
  }
  return printDuration(nanoseconds);
}

function readRawJson(reader: ByteReader): unknown {
  let raw: Uint8Array | undefined;
  while (reader.isBeforeEnd()) {
    const tag = reader.readTag();
    if (tag === 0x0a) raw = reader.readBytes();
    else reader.skip(tag);
  }
  return raw === undefined || raw.length === 0 ? null : parseJson(raw);
}

function parseJson(raw: Uint8Array): unknown {
  // Each level takes a byte at least.
  if (raw.length > maxDepth && isDeepJson(raw, maxDepth)) throw tooDeep(maxDepth);
  try {
    return JSON.parse(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("utf8"));
  } catch (error) {
    throw new ProtobufError("raw extension holds no valid JSON", { cause: error });
  }
}

const [quoteMark, backslash, openBracket, openBrace, closeBracket, closeBrace] = Buffer.from('"\\[{]}');

/** Told from the bytes: what JSON.parse would build of them might be too deep to be walked. */
function isDeepJson(raw: Uint8Array, limit: number): boolean {
  let depth = 0;
  let isText = false;
  for (let i = 0; i < raw.length; i++) {
    const byte = raw[i];
    if (isText) {
      if (byte === backslash) i += 1;
      else if (byte === quoteMark) isText = false;
    } else if (byte === quoteMark) isText = true;
    else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
  }
  return false;
}

/** A schema makes `allows` true, whatever it says. */
function readSchemaOrBool(reader: ByteReader, readSchema: ReadSpecial): unknown {
  let allows = false;
  let schema: unknown;
  while (reader.isBeforeEnd()) {
    const tag = reader.readTag();
    if (tag === 0x08) allows = reader.readBool();
    else if (tag === 0x12) schema = readSchema(reader);
    else reader.skip(tag);
  }
  return schema ?? allows;
}

function readSchemaOrList(reader: ByteReader, readSchema: ReadSpecial, readItem: ReadSpecial): unknown {
  let schema: unknown;
  const items: unknown[] = [];
  while (reader.isBeforeEnd()) {
    const tag = reader.readTag();
    if (tag === 0x0a) schema = readSchema(reader);
    else if (tag === 0x12) items.push(readItem(reader));
    else reader.skip(tag);
  }
  return items.length > 0 ? items : (schema ?? null);
}
