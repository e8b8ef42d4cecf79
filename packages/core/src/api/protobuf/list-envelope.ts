// Lists are put together from encodings that exist already: that of the list's metadata, and those of its items, which are the
// same bytes that travel in the items' own envelopes. Nothing is encoded twice, and a long list can be sent in pieces.
import { Buffer } from "node:buffer";
import type { MessageCodec } from "./codec.ts";
import { delimitedSize, delimiter } from "./delimited.ts";
import { envelopeHead, envelopeTail } from "./envelope.ts";
import type { ListHead } from "./list-head.ts";
import { isOldMetadataList, meta } from "./message-names.ts";

/** In all lists but one, in which they are the other way round. */
const tags = { metadata: 0x0a, items: 0x12 } as const;
const oldTags = { items: 0x0a, metadata: 0x12 } as const;
const pieceBytes = 64 * 1024;

/** `items` are the encodings of the objects alone, without envelopes. */
export function encodeListEnvelope(codec: MessageCodec, head: ListHead, items: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([...listEnvelopePieces(codec, head, items)]);
}

/** The same bytes, in pieces of about 64 KiB. */
export function* listEnvelopePieces(
  codec: MessageCodec,
  head: ListHead,
  items: readonly Uint8Array[],
): Generator<Uint8Array, void, undefined> {
  const isOld = isOldMetadataList(head);
  const { metadata: metadataTag, items: itemsTag } = isOld ? oldTags : tags;
  const metadata = codec.encode(head.metadata, `${meta}.ListMeta`);
  const own = [delimiter(metadataTag, metadata.length), metadata];
  let length = delimitedSize(metadata.length);
  for (const item of items) length += delimitedSize(item.length);
  let piece: Uint8Array[] = [envelopeHead(head, length), ...(isOld ? [] : own)];
  let size = 0;
  for (const item of items) {
    piece.push(delimiter(itemsTag, item.length), item);
    size += item.length;
    if (size < pieceBytes) continue;
    yield Buffer.concat(piece);
    piece = [];
    size = 0;
  }
  piece.push(...(isOld ? own : []), envelopeTail);
  yield Buffer.concat(piece);
}
