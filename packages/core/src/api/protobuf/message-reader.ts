// Decodes messages to the JSON that a server would have sent, by functions made once per message (`message-plan.ts`).
//
// A message is read in two steps. The first walks over its tags and notes where each field stands; a message within is passed over by its length.
// The second builds the object in the order of the JSON and reads each value where it stands. So fields may come in any order, and a message that
// comes in parts is put together before it is read.
//
// As in Go, a message that comes twice is merged, a scalar is the last one, unknown fields are passed over, and a known field of another wire
// type is an error. An error says the path of the field.
import type { ProtobufField, ProtobufTable } from "../protobuf-table.ts";
import { schemaNamed } from "../schema-table.ts";
import { type ByteReader, wireTypes } from "./byte-reader.ts";
import { type CompiledField, codes, compileField, notings, readNested, tagsOf } from "./compile-field.ts";
import type { Kind } from "./message-names.ts";
import { isListMessage, messageNamed, type PlannedMessage, planMessage } from "./message-plan.ts";
import { ProtobufError } from "./protobuf-error.ts";
import { type ReadSpecial, readItems, specialReaders } from "./read-special.ts";

/** An object under construction; only its reader knows it. */
export type Draft = Record<string, unknown>;

export class MessageReaders {
  readonly #table: ProtobufTable;
  readonly #readers = new Map<string, MessageReader>();
  readonly #specials: ReadonlyMap<string, ReadSpecial>;

  constructor(table: ProtobufTable) {
    this.#table = table;
    this.#specials = specialReaders((name, reader) => readNested(reader, this.of(name), undefined));
  }

  of(name: string): MessageReader {
    let reader = this.#readers.get(name);
    if (reader === undefined) {
      reader = new MessageReader(this, name);
      this.#readers.set(name, reader);
    }
    return reader;
  }

  plan(name: string): PlannedMessage {
    const message = messageNamed(name, this.#table);
    return planMessage(message, this.#table, schemaNamed(message.schemaName));
  }

  fieldNumbered(messageName: string, number: number): ProtobufField | undefined {
    return messageNamed(messageName, this.#table).fieldsByNumber.get(number);
  }

  /** For a message that JSON shows as something else than an object with its fields. */
  specialOf(name: string): ReadSpecial | undefined {
    return this.#specials.get(name) ?? (isListMessage(messageNamed(name, this.#table)) ? readItems : undefined);
  }
}

/** What may stand in a message, by tag: the index of a field × 4 + how it is noted, or a message that Go embeds. */
interface Level {
  readonly messageName: string;
  /** The index of its own note, behind those of the fields. */
  readonly index: number;
  readonly entries: readonly (number | Level | undefined)[];
}

interface Compiled {
  readonly fields: readonly CompiledField[];
  readonly level: Level;
  /** Of the fields and of what is embedded. */
  readonly noteCount: number;
}

/** Reads one kind of message. Its fields are compiled when the first one comes. */
export class MessageReader {
  readonly #readers: MessageReaders;
  readonly #name: string;
  readonly #Shape: new () => Draft = newShape();
  #compiled: Compiled | undefined;

  constructor(readers: MessageReaders, name: string) {
    this.#readers = readers;
    this.#name = name;
  }

  /** In the order of the JSON. */
  get fields(): readonly CompiledField[] {
    return this.#compile().fields;
  }

  /** An empty object. The objects of one message have their hidden classes in common. */
  newObject(kind?: Kind): Draft {
    const object = new this.#Shape();
    if (kind !== undefined) {
      object["kind"] = kind.kind;
      object["apiVersion"] = kind.apiVersion;
    }
    return object;
  }

  /** Reads what is left of the message the reader stands in into `target`, which has none of its fields. */
  readInto(reader: ByteReader, target: Draft): Draft {
    const { fields } = this.#compile();
    const { notes } = reader;
    const base = this.note(reader);
    let at: CompiledField | undefined;
    try {
      for (let i = 0, note = base; i < fields.length; i++, note += 2) {
        at = fields[i] as CompiledField;
        const first = notes.first(note);
        if (first !== 0) {
          const value = readField(at, reader, first, note);
          if (!at.omitsZero || !isZero(value)) target[at.name] = value;
        } else if (at.readAbsent !== undefined) target[at.name] = at.readAbsent(reader);
      }
    } catch (error) {
      if (error instanceof ProtobufError && at !== undefined) error.foundIn(at.name);
      throw error;
    }
    notes.close(base);
    return target;
  }

  /** Notes where the fields stand, up to the end of the message. Returns the note of the first. */
  note(reader: ByteReader): number {
    const { level, noteCount } = this.#compile();
    const base = reader.notes.open(noteCount);
    this.#noteFields(reader, base, level);
    return base;
  }

  #noteFields(reader: ByteReader, base: number, level: Level): void {
    const { notes } = reader;
    const { entries } = level;
    while (reader.at < reader.end) {
      const start = reader.at;
      const tag = reader.readTag();
      const entry = entries[tag];
      if (typeof entry === "number") {
        const note = base + 2 * (entry >> 2);
        const noting = entry & 3;
        if (noting === notings.scalar) notes.noteScalar(note, reader.at);
        else if (noting === notings.item) notes.noteItem(note, start);
        else notes.notePart(note, start);
        if ((tag & 7) === wireTypes.bytes) reader.skipBytes();
        else reader.skipValue(tag & 7);
      } else if (entry === undefined) this.#skip(reader, tag, level.messageName);
      else {
        const note = base + 2 * entry.index;
        // Go would merge it. Nobody writes it so, and the parts of its lists would have to be looked for.
        if (notes.first(note) !== 0) throw new ProtobufError(`proto: ${shortName(entry.messageName)} comes in parts`);
        notes.noteScalar(note, reader.at);
        const outer = reader.enter();
        this.#noteFields(reader, base, entry);
        reader.leave(outer);
      }
    }
  }

  #skip(reader: ByteReader, tag: number, messageName: string): void {
    const wireType = tag & 7;
    if (tag < 8) throw new ProtobufError(`proto: ${shortName(messageName)}: illegal tag 0 (wire type ${tag})`);
    if (wireType === wireTypes.groupEnd) {
      throw new ProtobufError(`proto: ${shortName(messageName)}: wiretype end group for non-group`);
    }
    const known = this.#readers.fieldNumbered(messageName, tag >>> 3);
    if (known !== undefined) throw new ProtobufError(`proto: wrong wireType = ${wireType} for field ${goName(known)}`);
    reader.skip(tag);
  }

  #compile(): Compiled {
    if (this.#compiled !== undefined) return this.#compiled;
    const { fields, level } = this.#readers.plan(this.#name);
    const compiled = fields.map((field) => compileField(field, this.#readers));
    let noteCount = fields.length;
    const toLevel = (planned: PlannedMessage["level"]): Level => {
      const entries: (number | Level | undefined)[] = [];
      for (const { field, entry } of planned.entries) {
        for (const tag of tagsOf(field)) {
          while (entries.length <= tag) entries.push(undefined);
          entries[tag] =
            typeof entry === "number" ? entry * 4 + (compiled[entry] as CompiledField).noting : toLevel(entry);
        }
      }
      return { messageName: planned.messageName, entries, index: noteCount++ };
    };
    const root = toLevel(level);
    this.#compiled = { fields: compiled, level: root, noteCount };
    return this.#compiled;
  }
}

/** What most fields are is read here, because a call through the field is slower. */
function readField(field: CompiledField, reader: ByteReader, first: number, note: number): unknown {
  reader.at = first;
  switch (field.code) {
    case codes.text:
      return reader.readString();
    case codes.flag:
      return reader.readBool();
    case codes.int32:
      return reader.readInt32();
    default:
      return field.read(reader, note);
  }
}

function isZero(value: unknown): boolean {
  return value === "" || value === 0 || value === false || value === null;
}

/** A constructor of plain objects. Its own, because objects of one constructor begin with the same hidden class and have room for as many fields as most have. */
function newShape(): new () => Draft {
  function Shape() {}
  Shape.prototype = Object.prototype;
  return Shape as unknown as new () => Draft;
}

function shortName(message: string): string {
  return message.slice(message.lastIndexOf(".") + 1);
}

/** Near enough to what Go calls it: metadata is embedded, and others begin with a capital letter. */
function goName({ name, type }: ProtobufField): string {
  return name === "metadata" ? shortName(type) : name.charAt(0).toUpperCase() + name.slice(1);
}
