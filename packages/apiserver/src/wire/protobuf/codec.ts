// Protobuf messages of the built-in kinds to the JSON they stand for, and back. A message is compiled from the table of field
// numbers when it is first met.
//
// What is decoded is not yet in normal form: zero values and nulls that the bytes hold are there (Go writes them always) for the
// same normal form to drop that JSON bodies go through. What is encoded must be in normal form.
import type { ProtobufTable } from "@kubeloop/core/api";
import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { type Kind, schemaNameOfKind } from "./message-names.ts";
import { type Draft, MessageReaders } from "./message-reader.ts";
import { MessageWriters } from "./message-writer.ts";

export class MessageCodec {
  readonly #table: ProtobufTable;
  readonly #readers: MessageReaders;
  readonly #writers: MessageWriters;
  readonly #writer = new ByteWriter();
  readonly #messagesByKind = new Map<string, string>();

  constructor(table: ProtobufTable) {
    this.#table = table;
    this.#readers = new MessageReaders(table);
    this.#writers = new MessageWriters(table);
  }

  /** Reads into `target`, which may have fields already. Throws a ProtobufError. */
  decode(bytes: Uint8Array, messageName: string, target: Draft = {}): Draft {
    this.#readers.of(messageName).readInto(new ByteReader(bytes), target);
    return target;
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
