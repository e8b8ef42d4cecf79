// A frame of a protobuf watch: four bytes that say how long what follows is, then a bare WatchEvent whose object is an envelope.
import { delimitedSize, delimiter } from "./delimited.ts";

const tags = { type: 0x0a, object: 0x12, raw: 0x0a } as const;

/** `enveloped` is what `encodeEnvelope` makes of the object; for an ERROR, of its Status. */
export function encodeWatchFrame(type: string, enveloped: Uint8Array): Uint8Array {
  const word = Buffer.from(type, "utf8");
  const objectLength = delimitedSize(enveloped.length);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(delimitedSize(word.length) + delimitedSize(objectLength));
  return Buffer.concat([
    length,
    delimiter(tags.type, word.length),
    word,
    delimiter(tags.object, objectLength),
    delimiter(tags.raw, enveloped.length),
    enveloped,
  ]);
}
