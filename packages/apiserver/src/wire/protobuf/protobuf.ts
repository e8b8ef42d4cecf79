// The face of the codec: objects and lists in envelopes, watch frames, and single messages. Made once, when first asked for.

import { loadProtobufTable, quote } from "@kubeloop/core/api";
import { MessageCodec } from "./codec.ts";
import { completeTable } from "./complete-table.ts";
import { type DecodedEnvelope, decodeEnvelope, type ExpectedKind, wrapRaw } from "./envelope.ts";
import { encodeListEnvelope, type ListHead, listEnvelopePieces } from "./list-envelope.ts";
import type { Kind } from "./message-names.ts";
import { ProtobufError } from "./protobuf-error.ts";

export interface Protobuf {
  /** A request's body. Throws 400; see envelope.ts about `expected`. */
  decodeEnvelope(bytes: Uint8Array, expected?: ExpectedKind): DecodedEnvelope;
  /** As the message of a resource's codec; without one, as that of its kind, which is no resource. Throws a ProtobufError for a kind that has none. */
  encodeEnvelope<T extends SaidKind>(object: T, messageName?: string): Uint8Array;
  /** An object without its envelope: what lists are made of. Worth keeping beside the object. */
  encodeRaw<T extends SaidKind>(object: T, messageName?: string): Uint8Array;
  /** The envelope of what `encodeRaw` gave. */
  wrapRaw(kind: Kind, raw: Uint8Array): Uint8Array;
  /** `items` are what `encodeRaw` gave. */
  encodeListEnvelope(head: ListHead, items: readonly Uint8Array[]): Uint8Array;
  /** The same bytes in pieces of about 64 KiB, made as they are asked for. */
  listEnvelopePieces(head: ListHead, items: readonly Uint8Array[]): Iterable<Uint8Array>;
  /** By protobuf's name: `k8s.io.api.core.v1.Pod`. Throws a ProtobufError. */
  decodeMessage(bytes: Uint8Array, messageName: string): Record<string, unknown>;
  encodeMessage(object: object, messageName: string): Uint8Array;
  /** Undefined where a kind has none. */
  messageOfKind(kind: Kind): string | undefined;
}

/** Two documents of discovery say no version, in their envelopes neither. */
interface SaidKind {
  readonly apiVersion?: string;
  readonly kind: string;
}

let loading: Promise<Protobuf> | undefined;

/** Loads the table of messages. Inside virtual time, hold a token meanwhile. */
export function loadProtobuf(): Promise<Protobuf> {
  loading ??= loadProtobufTable().then((table) => facadeOf(new MessageCodec(completeTable(table))));
  return loading;
}

function facadeOf(codec: MessageCodec): Protobuf {
  const encodeRaw = (object: SaidKind, messageName?: string): Uint8Array => {
    const { apiVersion = "", kind } = object;
    const message = messageName ?? codec.messageOfKind({ apiVersion, kind });
    if (message === undefined) throw new ProtobufError(`${kind} of ${quote(apiVersion)} has no protobuf message`);
    return codec.encode(object, message);
  };
  return {
    decodeEnvelope: (bytes, expected) => decodeEnvelope(codec, bytes, expected),
    encodeEnvelope: (object, messageName) =>
      wrapRaw({ apiVersion: object.apiVersion ?? "", kind: object.kind }, encodeRaw(object, messageName)),
    encodeRaw,
    wrapRaw,
    encodeListEnvelope: (head, items) => encodeListEnvelope(codec, head, items),
    listEnvelopePieces: (head, items) => listEnvelopePieces(codec, head, items),
    decodeMessage: (bytes, messageName) => codec.decode(bytes, messageName),
    encodeMessage: (object, messageName) => codec.encode(object, messageName),
    messageOfKind: (kind) => codec.messageOfKind(kind),
  };
}
