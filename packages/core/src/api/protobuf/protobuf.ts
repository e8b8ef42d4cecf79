// The face of the codec: objects and lists in envelopes, watch frames, and single messages. Made once, when first asked for.

import type { ProtobufTable } from "../protobuf-table.ts";
import { quote } from "../quote.ts";
import { MessageCodec } from "./codec.ts";
import { completeTable } from "./complete-table.ts";
import type { DecodeObserver } from "./decode-observer.ts";
import { type OpenedEnvelope, openEnvelope, wrapRaw } from "./envelope.ts";
import type { LazyDecoder } from "./lazy-decoder.ts";
import { encodeListEnvelope, listEnvelopePieces } from "./list-envelope.ts";
import type { ListHead } from "./list-head.ts";
import type { Kind } from "./message-names.ts";
import { ProtobufError } from "./protobuf-error.ts";
import { encodeWatchFrame } from "./watch-frame.ts";

export interface Protobuf {
  /** Throws a ProtobufError for bytes that are none. */
  openEnvelope(bytes: Uint8Array): OpenedEnvelope;
  /** An object in its envelope, `kind` and `apiVersion` first, as a server's JSON has it. Throws a ProtobufError. */
  decodeEnvelope(bytes: Uint8Array): Record<string, unknown>;
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
  /** By protobuf's name: `k8s.io.api.core.v1.Pod`. `kind` is what the object says first. Throws a ProtobufError. */
  decodeMessage(bytes: Uint8Array, messageName: string, kind?: Kind): Record<string, unknown>;
  /**
   * The same, decoded when it is looked at. The bytes are copied. Throws a ProtobufError; so does reading a field that is malformed, of which the
   * observer is told first.
   */
  decodeLazily(bytes: Uint8Array, messageName: string, kind: Kind, observer?: DecodeObserver): Record<string, unknown>;
  /** The same for many objects of one kind, without anything being made per object but the object. */
  lazyDecoder(messageName: string, kind: Kind, observer?: DecodeObserver): LazyDecoder;
  encodeMessage(object: object, messageName: string): Uint8Array;
  /** `enveloped` is what `encodeEnvelope` makes of the object; for an ERROR, of its Status. */
  encodeWatchFrame(type: string, enveloped: Uint8Array): Uint8Array;
  /** Undefined where a kind has none. */
  messageOfKind(kind: Kind): string | undefined;
}

/** Two documents of discovery say no version, in their envelopes neither. */
interface SaidKind {
  readonly apiVersion?: string;
  readonly kind: string;
}

export function newProtobuf(table: ProtobufTable): Protobuf {
  return facadeOf(new MessageCodec(completeTable(table)));
}

function facadeOf(codec: MessageCodec): Protobuf {
  const messageOf = ({ apiVersion, kind }: Kind): string => {
    const message = codec.messageOfKind({ apiVersion, kind });
    if (message === undefined) throw new ProtobufError(`${kind} of ${quote(apiVersion)} has no protobuf message`);
    return message;
  };
  const encodeRaw = (object: SaidKind, messageName?: string): Uint8Array =>
    codec.encode(object, messageName ?? messageOf({ apiVersion: object.apiVersion ?? "", kind: object.kind }));
  return {
    openEnvelope,
    decodeEnvelope: (bytes) => {
      const { typeMeta, raw } = openEnvelope(bytes);
      return codec.decode(raw, messageOf(typeMeta), typeMeta);
    },
    encodeEnvelope: (object, messageName) =>
      wrapRaw({ apiVersion: object.apiVersion ?? "", kind: object.kind }, encodeRaw(object, messageName)),
    encodeRaw,
    wrapRaw,
    encodeListEnvelope: (head, items) => encodeListEnvelope(codec, head, items),
    listEnvelopePieces: (head, items) => listEnvelopePieces(codec, head, items),
    decodeMessage: (bytes, messageName, kind) => codec.decode(bytes, messageName, kind),
    decodeLazily: (bytes, messageName, kind, observer) =>
      codec.lazyDecoder(messageName, kind, observer)(bytes, 0, bytes.length),
    lazyDecoder: (messageName, kind, observer) => codec.lazyDecoder(messageName, kind, observer),
    encodeMessage: (object, messageName) => codec.encode(object, messageName),
    encodeWatchFrame,
    messageOfKind: (kind) => codec.messageOfKind(kind),
  };
}
