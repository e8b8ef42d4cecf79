// Encodes the JSON of messages, byte for byte as Go does, by functions made once per message from field numbers and schema: one
// per field, kept from the last to the first, for writing goes backwards.
//
// Go writes what it holds by value even when it is zero, and what it holds by pointer, list or map only when it is there. The
// schema tells which is which: a scalar's `isPointer`; an object whose default is `{}` is held by value; whatever Go embeds is.
// Objects are trusted to be in their schema's normal form: nothing is checked, and fields without a number are left out.
import type { ProtobufField, ProtobufMessage, ProtobufTable } from "../protobuf-table.ts";
import type { ObjectSchema, Slot } from "../schema.ts";
import { schemaNamed } from "../schema-table.ts";
import { wireTypes } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { isListMessage } from "./message-plan.ts";
import { ProtobufError } from "./protobuf-error.ts";
import { specialWriters, type WriteSpecial, writeItems } from "./write-special.ts";

type JsonObject = { readonly [key: string]: unknown };
type WriteField = (writer: ByteWriter, object: JsonObject) => void;
/** Writes one value, and its length where it has one; not its tag. */
type WriteValue = (writer: ByteWriter, value: unknown) => void;

export class MessageWriters {
  readonly #table: ProtobufTable;
  readonly #writers = new Map<string, MessageWriter>();
  readonly #specials: ReadonlyMap<string, WriteSpecial>;

  constructor(table: ProtobufTable) {
    this.#table = table;
    this.#specials = specialWriters((name, writer, value) => writeNested(writer, this.of(name), value));
  }

  of(name: string): MessageWriter {
    let writer = this.#writers.get(name);
    if (writer === undefined) {
      const message = this.messageNamed(name);
      writer = new MessageWriter(this, message, schemaNamed(message.schemaName));
      this.#writers.set(name, writer);
    }
    return writer;
  }

  messageNamed(name: string): ProtobufMessage {
    const message = this.#table.messageNamed(name);
    if (message === undefined) throw new ProtobufError(`there is no message ${name}`);
    return message;
  }

  specialOf(name: string): WriteSpecial | undefined {
    return this.#specials.get(name) ?? (isListMessage(this.messageNamed(name)) ? writeItems : undefined);
  }
}

/** Writes one kind of message. Its fields are compiled when the first one comes. */
export class MessageWriter {
  readonly #writers: MessageWriters;
  readonly #message: ProtobufMessage;
  readonly #schema: ObjectSchema | undefined;
  #fields: readonly WriteField[] | undefined;

  /** The schema is that of the object in whose JSON the fields lie: of an embedded message, its parent's. */
  constructor(writers: MessageWriters, message: ProtobufMessage, schema: ObjectSchema | undefined) {
    this.#writers = writers;
    this.#message = message;
    this.#schema = schema;
  }

  writeFields(writer: ByteWriter, object: JsonObject): void {
    this.#fields ??= this.#compile();
    for (const writeField of this.#fields) writeField(writer, object);
  }

  #compile(): readonly WriteField[] {
    return [...this.#message.fieldsByNumber.values()]
      .sort((a, b) => b.number - a.number)
      .map((field) => this.#compileField(field));
  }

  #compileField(field: ProtobufField): WriteField {
    const { name, type } = field;
    const tag = field.number * 8 + wireTypeOf(field);
    if (field.isInline) {
      return inlineWriter(tag, new MessageWriter(this.#writers, this.#writers.messageNamed(type), this.#schema));
    }
    const write = valueWriter(field, this.#writers);
    const zero = zeroOf(field);
    if (field.container === "map") return mapWriter(name, tag, { write, zero });
    if (field.container === "repeated") return listWriter(name, tag, { write, zero });
    const isAlways = isHeldByValue(field, this.#message, this.#schema?.fields.get(name));
    return singleWriter(name, tag, { write, zero, isAlways });
  }
}

function isHeldByValue(
  { name, type, isMessage }: ProtobufField,
  message: ProtobufMessage,
  slot: Slot | undefined,
): boolean {
  // The few messages in use that no document describes are metadata views, and every object holds its metadata by value.
  if (slot === undefined) return name === "metadata";
  if (!isMessage) return slot.isPointer === false && type !== "bytes";
  switch (slot.schema.type) {
    case "scalar":
      return slot.isPointer === false;
    case "object":
      return slot.isZeroDefault;
    case "json":
      return slot.isRequired || message.name === "k8s.io.api.apps.v1.ControllerRevision";
    default:
      return false;
  }
}

function zeroOf({ type, isMessage }: ProtobufField): unknown {
  if (isMessage) return undefined;
  if (type === "string") return "";
  if (type === "bytes") return null;
  return type === "bool" ? false : 0;
}

function wireTypeOf({ container, isMessage, type }: ProtobufField): number {
  if (container === "map" || isMessage || type === "string" || type === "bytes") return wireTypes.bytes;
  return type === "double" ? wireTypes.fixed64 : wireTypes.varint;
}

function valueWriter({ type, isMessage }: ProtobufField, writers: MessageWriters): WriteValue {
  if (isMessage) {
    const special = writers.specialOf(type);
    if (special !== undefined) return (writer, value) => writeSpecial(writer, special, value);
    const message = writers.of(type);
    return (writer, value) => writeNested(writer, message, value);
  }
  const write = scalarWriters.get(type);
  if (write === undefined) throw new ProtobufError(`there is no scalar ${type}`);
  return write;
}

const scalarWriters = new Map<string, WriteValue>([
  ["string", (writer, value) => writer.writeString(value as string)],
  ["bytes", (writer, value) => writer.writeBytes(Buffer.from(value as string, "base64"))],
  ["bool", (writer, value) => writer.writeBool(value as boolean)],
  ["int32", (writer, value) => writer.writeInt64(value as number)],
  ["int64", (writer, value) => writer.writeInt64(value as number)],
  ["double", (writer, value) => writer.writeDouble(value as number)],
]);

function writeSpecial(writer: ByteWriter, special: WriteSpecial, value: unknown): void {
  const mark = writer.written;
  special(writer, value);
  writer.writeLengthSince(mark);
}

const emptyObject: JsonObject = {};

function writeNested(writer: ByteWriter, message: MessageWriter, value: unknown): void {
  const mark = writer.written;
  message.writeFields(writer, (value ?? emptyObject) as JsonObject);
  writer.writeLengthSince(mark);
}

interface Held {
  readonly write: WriteValue;
  /** For what is null, or absent and yet written. */
  readonly zero: unknown;
}

function singleWriter(
  name: string,
  tag: number,
  { write, zero, isAlways }: Held & { readonly isAlways: boolean },
): WriteField {
  return (writer, object) => {
    const value = object[name] ?? undefined;
    if (value === undefined && !isAlways) return;
    write(writer, value === undefined ? zero : value);
    writer.writeTag(tag);
  };
}

function inlineWriter(tag: number, message: MessageWriter): WriteField {
  return (writer, object) => {
    writeNested(writer, message, object);
    writer.writeTag(tag);
  };
}

function listWriter(name: string, tag: number, { write, zero }: Held): WriteField {
  return (writer, object) => {
    const list = object[name] as readonly unknown[] | null | undefined;
    if (list === undefined || list === null) return;
    for (let i = list.length - 1; i >= 0; i--) {
      write(writer, list[i] ?? zero);
      writer.writeTag(tag);
    }
  };
}

function mapWriter(name: string, tag: number, { write, zero }: Held): WriteField {
  return (writer, object) => {
    const map = object[name] as JsonObject | null | undefined;
    if (map === undefined || map === null) return;
    const keys = sortedKeys(map);
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i] ?? "";
      const mark = writer.written;
      const value = map[key] ?? zero;
      // Only of bytes there can be none.
      if (value !== null) {
        write(writer, value);
        writer.writeTag(0x12);
      }
      writer.writeString(key);
      writer.writeTag(0x0a);
      writer.writeLengthSince(mark);
      writer.writeTag(tag);
    }
  };
}

/** Go sorts by bytes, JavaScript by halves of UTF-16: they part where surrogates come in. */
function sortedKeys(map: JsonObject): readonly string[] {
  const keys = Object.keys(map);
  if (keys.length < 2) return keys;
  return keys.some((key) => surrogate.test(key)) ? keys.sort(compareBytes) : keys.sort();
}

const surrogate = /[\ud800-\udfff]/;

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
}
