// Objects that are decoded when they are looked at. An object's kind, its scalars and its metadata are decoded at once; messages, lists and maps, and
// the metadata's managedFields, on first reading (`deferred.ts`). What is read equals what `MessageReader.readInto` reads at once.
//
// The bytes are copied, so that they may lie in a chunk that is used again. What is wrong within a deferred field is found when it is read: then the
// reader gets a ProtobufError that names kind and field, and the observer, if there is one, gets it too. What is wrong in the rest is thrown at once.
import { Buffer } from "node:buffer";
import { asBuffer, ByteReader } from "./byte-reader.ts";
import type { CompiledField } from "./compile-field.ts";
import type { DecodeObserver } from "./decode-observer.ts";
import { deferredProperty, deferTo, printAsPlain } from "./deferred.ts";
import type { LazyDecoder } from "./lazy-decoder.ts";
import { type Kind, meta } from "./message-names.ts";
import type { Draft, MessageReader, MessageReaders } from "./message-reader.ts";
import { malformed, ProtobufError } from "./protobuf-error.ts";
import type { TextPool } from "./text-pool.ts";

export class LazyObjects {
  readonly #readers: MessageReaders;
  readonly #reader: ByteReader;
  readonly #kinds = new Map<string, LazyMessage>();
  /** Where the encodings of deferred fields are read. */
  #scratch = Buffer.allocUnsafeSlow(16 * 1024);

  constructor(readers: MessageReaders, texts: TextPool) {
    this.#readers = readers;
    this.#reader = new ByteReader(new Uint8Array(), texts);
  }

  /** Returns what reads objects of this message between two indexes. It throws ProtobufErrors; the observer is told of what is found malformed later. */
  decoderOf(messageName: string, kind: Kind, observer?: DecodeObserver): LazyDecoder {
    let message = this.#kinds.get(messageName);
    if (message === undefined) {
      message = this.#newMessage(this.#readers.of(messageName), kind.kind);
      this.#kinds.set(messageName, message);
    }
    const known = message;
    return (bytes, from, end) => {
      this.#reader.reset(asBuffer(bytes), from, end);
      try {
        return known.read(this.#reader, kind, observer);
      } catch (error) {
        throw error instanceof ProtobufError ? malformed(kind.kind, error) : error;
      }
    };
  }

  #newMessage(reader: MessageReader, kind: string): LazyMessage {
    const open = (encoded: string): ByteReader => this.#open(encoded);
    const metadata = new LazyMessage(this.#readers.of(objectMeta), {
      kind,
      open,
      isDeferred: ({ name }) => name === "managedFields",
      metadata: undefined,
    });
    return new LazyMessage(reader, {
      kind,
      open,
      isDeferred: ({ name, type, isDeferrable }) => isDeferrable && (name !== "metadata" || type !== objectMeta),
      metadata,
    });
  }

  #open(encoded: string): ByteReader {
    if (encoded.length > this.#scratch.length) this.#scratch = Buffer.allocUnsafeSlow(2 * encoded.length);
    this.#scratch.write(encoded, "latin1");
    this.#reader.reset(this.#scratch, 0, encoded.length);
    return this.#reader;
  }
}

const objectMeta = `${meta}.ObjectMeta`;

interface LazyOptions {
  /** For errors. */
  readonly kind: string;
  readonly open: (encoded: string) => ByteReader;
  readonly isDeferred: (field: CompiledField) => boolean;
  /** How the field `metadata` is read. */
  readonly metadata: LazyMessage | undefined;
}

/** Reads one kind of message in this way. */
class LazyMessage {
  readonly #message: MessageReader;
  readonly #options: LazyOptions;
  /** By index of the field; undefined where it is read at once. */
  readonly #properties: readonly (PropertyDescriptor | undefined)[];

  constructor(message: MessageReader, options: LazyOptions) {
    this.#message = message;
    this.#options = options;
    const deferred = message.fields.flatMap((field, index) => (options.isDeferred(field) ? [index] : []));
    const path = options.metadata === undefined ? "metadata." : "";
    const read = (encoded: string, at: number) => this.#readDeferred(encoded, deferred[at] ?? 0, path);
    this.#properties = message.fields.map((field, index) => {
      const at = deferred.indexOf(index);
      return at === -1 ? undefined : deferredProperty(field.name, at, deferred.length, read);
    });
  }

  /** Reads what is left of the message that the reader stands in. */
  read(reader: ByteReader, kind: Kind | undefined, observer: DecodeObserver | undefined): Draft {
    const { fields } = this.#message;
    const { notes } = reader;
    const object = this.#message.newObject(kind);
    const base = this.#message.note(reader);
    const { end } = reader;
    let keptFrom = end;
    for (let i = 0, note = base; i < fields.length; i++, note += 2) {
      const field = fields[i] as CompiledField;
      if (notes.first(note) === 0) {
        if (field.readAbsent !== undefined) object[field.name] = field.readAbsent(reader);
        continue;
      }
      const property = this.#properties[i];
      if (property === undefined) this.#readAtOnce(field, object, reader, note, observer);
      else {
        if (keptFrom === end) printAsPlain(object);
        keptFrom = Math.min(keptFrom, notes.firstTag(note));
        Object.defineProperty(object, field.name, property);
      }
    }
    notes.close(base);
    if (keptFrom < end) deferTo(object, reader.bytes.toString("latin1", keptFrom, end), observer);
    return object;
  }

  #readAtOnce(
    field: CompiledField,
    object: Draft,
    reader: ByteReader,
    note: number,
    observer: DecodeObserver | undefined,
  ): void {
    const { metadata } = this.#options;
    try {
      if (
        field.name === "metadata" &&
        field.type === objectMeta &&
        metadata !== undefined &&
        !reader.notes.hasParts(note)
      ) {
        reader.at = reader.notes.firstTag(note);
        reader.readTag();
        const outer = reader.enter();
        object[field.name] = metadata.read(reader, undefined, observer);
        reader.leave(outer);
        return;
      }
      const value = field.read(reader, note);
      if (!field.omitsZero || (value !== "" && value !== 0 && value !== false && value !== null))
        object[field.name] = value;
    } catch (error) {
      if (error instanceof ProtobufError) error.foundIn(field.name);
      throw error;
    }
  }

  #readDeferred(encoded: string, index: number, path: string): unknown {
    const field = this.#message.fields[index] as CompiledField;
    const reader = this.#options.open(encoded);
    try {
      const base = this.#message.note(reader);
      return field.read(reader, base + 2 * index);
    } catch (error) {
      if (!(error instanceof ProtobufError)) throw error;
      error.foundIn(`${path}${field.name}`);
      throw malformed(this.#options.kind, error);
    }
  }
}
