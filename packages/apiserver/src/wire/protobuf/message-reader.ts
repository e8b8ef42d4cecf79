// Decodes messages to the JSON they stand for, by functions made once per message from the field numbers: one per field, found
// by the field's tag. Nothing is looked up by name while bytes are read, and no intermediate object is made.
//
// Presence is exact: what the bytes have is in the answer, zeros and empty messages included, and nothing else. As in Go, a
// message that comes twice is merged, a scalar is the last one, unknown fields are passed over, and a known field of another wire
// type is an error.
import type { ProtobufField, ProtobufMessage, ProtobufTable } from "@kubeloop/core/api";
import { ByteReader, wireTypes } from "./byte-reader.ts";
import { ProtobufError } from "./protobuf-error.ts";
import { type ReadSpecial, readItems, specialReaders } from "./read-special.ts";

/** An object under construction; only its reader knows it. */
export type Draft = Record<string, unknown>;

type ReadField = (reader: ByteReader, target: Draft) => void;
/** Reads one value, its length included. */
type ReadValue = (reader: ByteReader) => unknown;

export class MessageReaders {
  readonly #table: ProtobufTable;
  readonly #readers = new Map<string, MessageReader>();
  readonly #specials: ReadonlyMap<string, ReadSpecial>;

  constructor(table: ProtobufTable) {
    this.#table = table;
    this.#specials = specialReaders((name, reader) => readNested(reader, this.of(name)));
  }

  of(name: string): MessageReader {
    let reader = this.#readers.get(name);
    if (reader === undefined) {
      reader = new MessageReader(this, name);
      this.#readers.set(name, reader);
    }
    return reader;
  }

  messageNamed(name: string): ProtobufMessage {
    const message = this.#table.messageNamed(name);
    if (message === undefined) throw new ProtobufError(`there is no message ${name}`);
    return message;
  }

  /** For a message that JSON shows as something else than an object with its fields. */
  specialOf(name: string): ReadSpecial | undefined {
    return this.#specials.get(name) ?? (isListMessage(this.messageNamed(name)) ? readItems : undefined);
  }
}

/** `Verbs`, `ExtraValue`: a list in JSON. No object of Kubernetes' holds nothing but strings called items. */
export function isListMessage({ fieldsByNumber }: ProtobufMessage): boolean {
  const only = fieldsByNumber.size === 1 ? fieldsByNumber.get(1) : undefined;
  return only?.name === "items" && only.container === "repeated" && only.type === "string";
}

/** Reads one kind of message. Its fields are compiled when the first one comes. */
export class MessageReader {
  readonly #readers: MessageReaders;
  readonly #name: string;
  #fields: readonly (ReadField | undefined)[] | undefined;

  constructor(readers: MessageReaders, name: string) {
    this.#readers = readers;
    this.#name = name;
  }

  /** What is left of the message the reader stands in. */
  readInto(reader: ByteReader, target: Draft): void {
    this.#fields ??= this.#compile();
    const fields = this.#fields;
    while (reader.isBeforeEnd()) {
      const tag = reader.readTag();
      const readField = fields[tag];
      if (readField === undefined) this.#skip(reader, tag);
      else readField(reader, target);
    }
  }

  #skip(reader: ByteReader, tag: number): void {
    const wireType = tag & 7;
    if (tag < 8) throw new ProtobufError(`proto: ${shortName(this.#name)}: illegal tag 0 (wire type ${tag})`);
    if (wireType === wireTypes.groupEnd) {
      throw new ProtobufError(`proto: ${shortName(this.#name)}: wiretype end group for non-group`);
    }
    const known = this.#readers.messageNamed(this.#name).fieldsByNumber.get(tag >>> 3);
    if (known !== undefined) {
      throw new ProtobufError(`proto: wrong wireType = ${wireType} for field ${goName(known)}`);
    }
    reader.skip(tag);
  }

  #compile(): readonly (ReadField | undefined)[] {
    const fields: (ReadField | undefined)[] = [];
    for (const field of this.#readers.messageNamed(this.#name).fieldsByNumber.values()) {
      for (const [wireType, read] of compileField(field, this.#readers)) {
        const tag = field.number * 8 + wireType;
        while (fields.length <= tag) fields.push(undefined);
        fields[tag] = read;
      }
    }
    return fields;
  }
}

/** By wire type: a list of numbers may come packed or one by one. */
function compileField(field: ProtobufField, readers: MessageReaders): readonly (readonly [number, ReadField])[] {
  const { name, type } = field;
  if (field.container === "map")
    return [
      [wireTypes.bytes, mapReader(name, { read: valueReader(field, readers), makeZero: zeroMaker(field, readers) })],
    ];
  if (field.isInline) return [[wireTypes.bytes, inlineReader(readers.of(type))]];
  const read = valueReader(field, readers);
  const wireType = wireTypeOf(field);
  if (field.container === "repeated") {
    const one: ReadField = (reader, target) => listOf(target, name).push(read(reader));
    return wireType === wireTypes.bytes
      ? [[wireType, one]]
      : [
          [wireType, one],
          [wireTypes.bytes, packedReader(name, read)],
        ];
  }
  if (field.isMessage && readers.specialOf(type) === undefined)
    return [[wireType, messageReader(name, readers.of(type))]];
  return [
    [
      wireType,
      (reader, target) => {
        target[name] = read(reader);
      },
    ],
  ];
}

function wireTypeOf({ isMessage, type }: ProtobufField): number {
  if (isMessage || type === "string" || type === "bytes") return wireTypes.bytes;
  return type === "double" ? wireTypes.fixed64 : wireTypes.varint;
}

function valueReader({ type, isMessage }: ProtobufField, readers: MessageReaders): ReadValue {
  if (isMessage) {
    const special = readers.specialOf(type);
    if (special !== undefined) return (reader) => readSpecial(reader, special);
    const message = readers.of(type);
    return (reader) => readNested(reader, message);
  }
  const read = scalarReaders.get(type);
  if (read === undefined) throw new ProtobufError(`there is no scalar ${type}`);
  return read;
}

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

function readSpecial(reader: ByteReader, special: ReadSpecial): unknown {
  const outer = reader.enter();
  const value = special(reader);
  reader.leave(outer);
  return value;
}

function readNested(reader: ByteReader, message: MessageReader): Draft {
  const target: Draft = {};
  const outer = reader.enter();
  message.readInto(reader, target);
  reader.leave(outer);
  return target;
}

function messageReader(name: string, message: MessageReader): ReadField {
  return (reader, target) => {
    let inner = target[name];
    if (inner === undefined) {
      inner = {};
      target[name] = inner;
    }
    const outer = reader.enter();
    message.readInto(reader, inner as Draft);
    reader.leave(outer);
  };
}

/** What Go embeds lies flat in JSON. */
function inlineReader(message: MessageReader): ReadField {
  return (reader, target) => {
    const outer = reader.enter();
    message.readInto(reader, target);
    reader.leave(outer);
  };
}

function packedReader(name: string, read: ReadValue): ReadField {
  return (reader, target) => {
    const list = listOf(target, name);
    const outer = reader.enter();
    while (reader.isBeforeEnd()) list.push(read(reader));
    reader.leave(outer);
  };
}

interface EntryValue {
  readonly read: ReadValue;
  readonly makeZero: () => unknown;
}

function mapReader(name: string, value: EntryValue): ReadField {
  return (reader, target) => {
    let map = target[name];
    if (map === undefined) {
      map = {};
      target[name] = map;
    }
    readEntry(reader, map as Draft, value);
  };
}

function readEntry(reader: ByteReader, map: Draft, { read, makeZero }: EntryValue): void {
  let key = "";
  let value: unknown;
  const outer = reader.enter();
  while (reader.isBeforeEnd()) {
    const tag = reader.readTag();
    if (tag === 0x0a) key = reader.readString();
    else if (tag === 0x12) value = read(reader);
    else reader.skip(tag);
  }
  reader.leave(outer);
  if (value === undefined) value = makeZero();
  if (key === "__proto__") Object.defineProperty(map, key, { value, ...ordinaryProperty });
  else map[key] = value;
}

const ordinaryProperty = { configurable: true, enumerable: true, writable: true };

const emptyReader = new ByteReader(new Uint8Array());

/** What an entry without a value holds. */
function zeroMaker({ type, isMessage }: ProtobufField, readers: MessageReaders): () => unknown {
  if (!isMessage) return type === "bytes" ? () => null : () => "";
  const special = readers.specialOf(type);
  return special === undefined ? () => ({}) : () => special(emptyReader);
}

function listOf(target: Draft, name: string): unknown[] {
  let list = target[name];
  if (list === undefined) {
    list = [];
    target[name] = list;
  }
  return list as unknown[];
}

function shortName(message: string): string {
  return message.slice(message.lastIndexOf(".") + 1);
}

/** Near enough to what Go calls it: metadata is embedded, and others begin with a capital letter. */
function goName({ name, type }: ProtobufField): string {
  return name === "metadata" ? shortName(type) : name.charAt(0).toUpperCase() + name.slice(1);
}
