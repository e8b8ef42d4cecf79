// The counterpart of read-special.ts: what JSON shows in another form is written as the message Go would make of it. Each writer
// writes a message's content, last field first; null and undefined are Go's zero value.
import { parseDuration } from "../duration.ts";
import { parseInstant } from "../time.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { apiextensions, intOrString, meta, quantities, runtime, zeroTimeSeconds } from "./message-names.ts";

export type WriteSpecial = (writer: ByteWriter, value: unknown) => void;

/** By message. `writeMessage` writes an ordinary one, with its length, that a union holds. */
export function specialWriters(
  writeMessage: (name: string, writer: ByteWriter, value: unknown) => void,
): ReadonlyMap<string, WriteSpecial> {
  const writeSchema: WriteSpecial = (writer, value) => writeMessage(`${apiextensions}.JSONSchemaProps`, writer, value);
  const writeText: WriteSpecial = (writer, value) => writer.writeString(String(value));
  return new Map<string, WriteSpecial>([
    [`${quantities}.Quantity`, writeQuantity],
    [`${quantities}.QuantityValue`, writeQuantity],
    [intOrString, writeIntOrString],
    [`${meta}.Time`, writeTime],
    [`${meta}.MicroTime`, writeMicroTime],
    [`${meta}.Duration`, writeDuration],
    [`${meta}.FieldsV1`, writeRawJson],
    [`${runtime}.RawExtension`, writeRawJson],
    [`${apiextensions}.JSON`, writeRawJson],
    [`${apiextensions}.JSONSchemaPropsOrBool`, (writer, value) => writeSchemaOrBool(writer, value, writeSchema)],
    [
      `${apiextensions}.JSONSchemaPropsOrArray`,
      (writer, value) => writeSchemaOrList(writer, value, { writeSchema, writeItem: writeSchema }),
    ],
    [
      `${apiextensions}.JSONSchemaPropsOrStringArray`,
      (writer, value) => writeSchemaOrList(writer, value, { writeSchema, writeItem: writeText }),
    ],
  ]);
}

export function writeItems(writer: ByteWriter, value: unknown): void {
  const items = Array.isArray(value) ? value : [];
  for (let i = items.length - 1; i >= 0; i--) {
    writer.writeString(String(items[i]));
    writer.writeTag(0x0a);
  }
}

function writeQuantity(writer: ByteWriter, value: unknown): void {
  writer.writeString(String(value ?? "0"));
  writer.writeTag(0x0a);
}

function writeIntOrString(writer: ByteWriter, value: unknown): void {
  const isText = typeof value === "string";
  writer.writeString(isText ? value : "");
  writer.writeTag(0x1a);
  writer.writeInt64(isText ? 0 : Number(value ?? 0));
  writer.writeTag(0x10);
  writer.writeUint32(isText ? 1 : 0);
  writer.writeTag(0x08);
}

function writeTime(writer: ByteWriter, value: unknown): void {
  if (typeof value !== "string") return;
  const { seconds } = parseInstant(value);
  if (seconds !== zeroTimeSeconds) writeTimestamp(writer, seconds, 0);
}

function writeMicroTime(writer: ByteWriter, value: unknown): void {
  if (typeof value !== "string") return;
  const { seconds, nanoseconds } = parseInstant(value);
  const wholeMicros = nanoseconds - (nanoseconds % 1000);
  if (seconds !== zeroTimeSeconds || wholeMicros !== 0) writeTimestamp(writer, seconds, wholeMicros);
}

function writeTimestamp(writer: ByteWriter, seconds: number, nanoseconds: number): void {
  writer.writeInt64(nanoseconds);
  writer.writeTag(0x10);
  writer.writeInt64(seconds);
  writer.writeTag(0x08);
}

function writeDuration(writer: ByteWriter, value: unknown): void {
  writer.writeBigInt64(typeof value === "string" ? parseDuration(value) : 0n);
  writer.writeTag(0x08);
}

function writeRawJson(writer: ByteWriter, value: unknown): void {
  if (value === null || value === undefined) return;
  writer.writeString(JSON.stringify(value));
  writer.writeTag(0x0a);
}

function writeSchemaOrBool(writer: ByteWriter, value: unknown, writeSchema: WriteSpecial): void {
  const isSchema = typeof value === "object" && value !== null;
  if (isSchema) {
    writeSchema(writer, value);
    writer.writeTag(0x12);
  }
  writer.writeBool(isSchema || value === true);
  writer.writeTag(0x08);
}

function writeSchemaOrList(
  writer: ByteWriter,
  value: unknown,
  { writeSchema, writeItem }: { readonly writeSchema: WriteSpecial; readonly writeItem: WriteSpecial },
): void {
  if (Array.isArray(value)) {
    for (let i = value.length - 1; i >= 0; i--) {
      writeItem(writer, value[i]);
      writer.writeTag(0x12);
    }
  } else if (typeof value === "object" && value !== null) {
    writeSchema(writer, value);
    writer.writeTag(0x0a);
  }
}
