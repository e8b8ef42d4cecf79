// The functions that read the fields of a message, made once from what is planned of them (`message-plan.ts`).
import { Buffer } from "node:buffer";
import type { ProtobufField } from "../protobuf-table.ts";
import { ByteReader, wireTypes } from "./byte-reader.ts";
import type { Kind } from "./message-names.ts";
import { type PlannedField, wireTypeOf } from "./message-plan.ts";
import type { Draft, MessageReader, MessageReaders } from "./message-reader.ts";
import { ProtobufError, tooSplit } from "./protobuf-error.ts";
import type { ReadSpecial } from "./read-special.ts";

export interface CompiledField {
  readonly name: string;
  /** A scalar's type, or the name of a message. */
  readonly type: string;
  /** How its places in the bytes are noted. */
  readonly noting: (typeof notings)[keyof typeof notings];
  readonly code: (typeof codes)[keyof typeof codes];
  /** Reads the value that is noted there. */
  readonly read: (reader: ByteReader, note: number) => unknown;
  /** What is printed where the bytes have nothing. Undefined if nothing is. */
  readonly readAbsent: ((reader: ByteReader) => unknown) | undefined;
  /** Zero is not printed. */
  readonly omitsZero: boolean;
  /** Whether reading it may be put off: it is a message, a list or a map, which is printed if the bytes have it. */
  readonly isDeferrable: boolean;
}

/** A scalar counts if it is the last one, items of lists and maps are all kept, parts of a message are put together. */
export const notings = { scalar: 0, item: 1, part: 2 } as const;

/** Values that need no function of the field's own. */
export const codes = { other: 0, text: 1, flag: 2, int32: 3 } as const;

/** Reads one value, its length included, where the reader stands. */
type ReadValue = (reader: ByteReader) => unknown;

/** A real server writes a message in one part. Parts of parts are copied, so their depth is limited. */
const maxMergers = 8;

export function compileField(planned: PlannedField, readers: MessageReaders): CompiledField {
  const { name, field, holding, isAlwaysPrinted } = planned;
  const omitsZero = !isAlwaysPrinted && (holding === "value" || (holding === "slice" && field.container === "single"));
  const special = field.isMessage ? readers.specialOf(field.type) : undefined;
  const isDeferrable = field.container !== "single" || (field.isMessage && special === undefined);
  const common = { name, type: field.type, omitsZero, isDeferrable, readAbsent: absentReader(planned, readers) };
  if (field.container === "map")
    return { ...common, noting: notings.item, code: codes.other, read: mapReader(field, readers) };
  if (field.container === "repeated")
    return { ...common, noting: notings.item, code: codes.other, read: listReader(planned, readers) };
  if (field.isMessage && special === undefined) {
    return { ...common, noting: notings.part, code: codes.other, read: partsReader(readers.of(field.type)) };
  }
  return { ...common, noting: notings.scalar, code: codeOf(field), read: scalarReader(valueReader(field, readers)) };
}

/** The tags under which the field may come: a list of numbers may come packed or one by one. */
export function tagsOf(field: ProtobufField): readonly number[] {
  const tag = field.number * 8 + wireTypeOf(field);
  const isPackable = field.container === "repeated" && wireTypeOf(field) !== wireTypes.bytes;
  return isPackable ? [tag, field.number * 8 + wireTypes.bytes] : [tag];
}

/** Of what Go holds by value; of lists, maps, bytes and pointers it is null. */
function absentReader(planned: PlannedField, readers: MessageReaders): CompiledField["readAbsent"] {
  const { field, holding, isAlwaysPrinted } = planned;
  if (!isAlwaysPrinted) return undefined;
  return holding === "value" ? zeroReader(field, readers) : () => null;
}

/** Go's zero value, as it prints. */
function zeroReader({ type, isMessage }: ProtobufField, readers: MessageReaders): ReadValue {
  if (!isMessage) {
    const zero = type === "string" || type === "bytes" ? "" : type === "bool" ? false : 0;
    return () => zero;
  }
  const special = readers.specialOf(type);
  if (special !== undefined) return () => special(new ByteReader(new Uint8Array()));
  return () => {
    const message = readers.of(type);
    return message.readInto(new ByteReader(new Uint8Array()), message.newObject());
  };
}

function codeOf({ name, type }: ProtobufField): CompiledField["code"] {
  if (type === "string") return uniqueFields.has(name) ? codes.other : codes.text;
  if (type === "bool") return codes.flag;
  return type === "int32" ? codes.int32 : codes.other;
}

function scalarReader(read: ReadValue): CompiledField["read"] {
  return (reader, note) => {
    reader.at = reader.notes.first(note);
    return read(reader);
  };
}

function partsReader(message: MessageReader): CompiledField["read"] {
  return (reader, note) => {
    const parts = reader.notes.takeParts(note);
    if (parts !== undefined) return readParts(reader, parts, message);
    reader.at = reader.notes.firstTag(note);
    reader.readTag();
    return readNested(reader, message, undefined);
  };
}

function readParts(reader: ByteReader, parts: readonly number[], message: MessageReader): Draft {
  if (reader.mergers === maxMergers) throw tooSplit(maxMergers);
  const whole = Buffer.concat(
    parts.map((at) => {
      reader.at = at;
      reader.readTag();
      return reader.readBytes();
    }),
  );
  return message.readInto(reader.openMerged(whole), message.newObject());
}

/** `kind` is what the object says first. */
export function readNested(reader: ByteReader, message: MessageReader, kind: Kind | undefined): Draft {
  const outer = reader.enter();
  const object = message.readInto(reader, message.newObject(kind));
  reader.at = reader.end;
  reader.leave(outer);
  return object;
}

function readSpecial(reader: ByteReader, special: ReadSpecial): unknown {
  const outer = reader.enter();
  const value = special(reader);
  reader.leave(outer);
  return value;
}

function valueReader({ name, type, isMessage }: ProtobufField, readers: MessageReaders, kind?: Kind): ReadValue {
  if (isMessage) {
    const special = readers.specialOf(type);
    if (special !== undefined) return (reader) => readSpecial(reader, special);
    const message = readers.of(type);
    return (reader) => readNested(reader, message, kind);
  }
  if (type === "string" && uniqueFields.has(name)) return (reader) => reader.readUniqueString();
  const read = scalarReaders.get(type);
  if (read === undefined) throw new ProtobufError(`there is no scalar ${type}`);
  return read;
}

/** Looking for an earlier text would be in vain, and would push others out of the pool. */
const uniqueFields: ReadonlySet<string> = new Set(["uid", "resourceVersion", "containerID"]);

const scalarReaders = new Map<string, ReadValue>([
  ["string", (reader) => reader.readString()],
  ["bytes", (reader) => reader.readBase64()],
  ["bool", (reader) => reader.readBool()],
  ["int32", (reader) => reader.readInt32()],
  ["int64", (reader) => reader.readInt64()],
  ["double", (reader) => readFinite(reader)],
]);

/** JSON has no others. */
function readFinite(reader: ByteReader): number {
  const number = reader.readDouble();
  if (!Number.isFinite(number)) throw new ProtobufError(`unsupported value: ${number}`);
  return number;
}

function listReader({ field, impliedKind }: PlannedField, readers: MessageReaders): CompiledField["read"] {
  const [single = 0, packed] = tagsOf(field);
  const read = valueReader(field, readers, impliedKind);
  return (reader, note) => {
    const last = reader.notes.lastItem(note);
    const list: unknown[] = [];
    reader.at = reader.notes.firstTag(note);
    // The last part begins there: no field of another message lies in between.
    while (reader.at <= last) {
      const tag = reader.readTag();
      if (tag === single) list.push(read(reader));
      else if (tag === packed) {
        const outer = reader.enter();
        while (reader.isBeforeEnd()) list.push(read(reader));
        reader.leave(outer);
      } else reader.skip(tag);
    }
    return list;
  };
}

function mapReader(field: ProtobufField, readers: MessageReaders): CompiledField["read"] {
  const [single] = tagsOf(field);
  const read = valueReader(field, readers);
  const readZero = zeroReader(field, readers);
  return (reader, note) => {
    const last = reader.notes.lastItem(note);
    const map: Draft = {};
    reader.at = reader.notes.firstTag(note);
    while (reader.at <= last) {
      const tag = reader.readTag();
      if (tag === single) readEntry(reader, map, read, readZero);
      else reader.skip(tag);
    }
    return map;
  };
}

function readEntry(reader: ByteReader, map: Draft, read: ReadValue, readZero: ReadValue): void {
  let key = "";
  let value: unknown;
  const outer = reader.enter();
  while (reader.isBeforeEnd()) {
    const tag = reader.readTag();
    if (tag === 0x0a) key = reader.readKey();
    else if (tag === 0x12) value = read(reader);
    else reader.skip(tag);
  }
  reader.leave(outer);
  if (value === undefined) value = readZero(reader);
  if (key === "__proto__") Object.defineProperty(map, key, { value, ...ordinaryProperty });
  else map[key] = value;
}

const ordinaryProperty = { configurable: true, enumerable: true, writable: true };
