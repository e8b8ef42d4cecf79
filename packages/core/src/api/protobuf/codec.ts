// Protobuf messages of the built-in kinds to the JSON they stand for, and back. A message is compiled from the table of field
// numbers when it is first met.
//
// What is decoded is what a Go server prints of the same bytes: fields in its order, no zeros where it omits them, nulls and empty objects where it
// prints them. What is encoded must be in that form, too.
import type { ProtobufTable } from "../protobuf-table.ts";
import { asBuffer, ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { DecodeObserver } from "./decode-observer.ts";
import type { LazyDecoder } from "./lazy-decoder.ts";
import { LazyObjects } from "./lazy-objects.ts";
import { type Kind, schemaNameOfKind } from "./message-names.ts";
import { type Draft, MessageReaders } from "./message-reader.ts";
import { MessageWriters } from "./message-writer.ts";
import { TextPool } from "./text-pool.ts";

export class MessageCodec {
  readonly #table: ProtobufTable;
  readonly #readers: MessageReaders;
  readonly #writers: MessageWriters;
  readonly #writer = new ByteWriter();
  readonly #texts = new TextPool();
  readonly #reader = new ByteReader(new Uint8Array(), this.#texts);
  readonly #lazy: LazyObjects;
  readonly #messagesByKind = new Map<string, string>();

  constructor(table: ProtobufTable) {
    this.#table = table;
    this.#readers = new MessageReaders(table);
    this.#lazy = new LazyObjects(this.#readers, this.#texts);
    this.#writers = new MessageWriters(table);
  }

  /** Returns the JSON of a server, after `kind`. Throws a ProtobufError. */
  decode(bytes: Uint8Array, messageName: string, kind?: Kind): Draft {
    const message = this.#readers.of(messageName);
    this.#reader.reset(asBuffer(bytes), 0, bytes.byteLength);
    return message.readInto(this.#reader, message.newObject(kind));
  }

  /** The same, but decoded when it is looked at; see lazy-objects.ts. */
  lazyDecoder(messageName: string, kind: Kind, observer?: DecodeObserver): LazyDecoder {
    return this.#lazy.decoderOf(messageName, kind, observer);
  }

  encode(object: object, messageName: string): Uint8Array {
    try {
      this.#writers.of(messageName).writeFields(this.#writer, object as Draft);
      return this.#writer.take();
    } finally {
      this.#writer.clear();
    }
  }

  /** Undefined where the kind has none. */
  messageOfKind({ apiVersion, kind }: Kind): string | undefined {
    const id = `${apiVersion}/${kind}`;
    const known = this.#messagesByKind.get(id);
    if (known !== undefined) return known;
    const schemaName = schemaNameOfKind({ apiVersion, kind });
    const message = schemaName === undefined ? undefined : this.#table.messageOfSchema(schemaName)?.name;
    // Options may come under whatever name: only names that the server knows are kept.
    if (message !== undefined && kind !== "DeleteOptions") this.#messagesByKind.set(id, message);
    return message;
  }
}
