// Reads protobuf's primitives off bytes that may be hostile: nothing is read beyond the end of the message one is in, each read
// moves on, and messages nest only so deep. Who reads a message calls `enter`, reads while `isBeforeEnd`, and calls `leave`.
//
// What Go does with odd bytes is done here: a varint of up to ten bytes whatever its value, int32 cut to its low 32 bits, invalid
// UTF-8 shown as U+FFFD (Go does so when it prints JSON). Integers beyond 2^53 are rounded, as JSON.parse rounds them.
import {
  integerOverflow,
  negativeLength,
  ProtobufError,
  tooDeep,
  unexpectedEnd,
  unexpectedGroupEnd,
} from "./protobuf-error.ts";

/** Deeper than any schema of a custom resource that people write; far from where the stack ends. */
export const maxDepth = 1000;

/** The low three bits of a tag. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const;

const twoTo32 = 4_294_967_296;

export class ByteReader {
  readonly #bytes: Buffer;
  #position = 0;
  #end: number;
  #depth = 0;
  /** The upper half of the last varint. */
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.byteLength;
  }

  isBeforeEnd(): boolean {
    return this.#position < this.#end;
  }

  /** Into the message whose length stands here. Answers what `leave` wants back. */
  enter(): number {
    const length = this.#readLength();
    const outer = this.#end;
    this.#depth += 1;
    if (this.#depth > maxDepth) throw tooDeep(maxDepth);
    this.#end = this.#position + length;
    return outer;
  }

  leave(outer: number): void {
    this.#depth -= 1;
    this.#end = outer;
  }

  /** Field number × 8 + wire type; below 8 for a field number of 0, which there is not. */
  readTag(): number {
    const tag = this.#readVarint() >>> 0;
    return this.#high === 0 ? tag : 0;
  }

  readInt32(): number {
    return this.#readVarint();
  }

  readInt64(): number {
    const low = this.#readVarint() >>> 0;
    return this.#high === 0 ? low : (this.#high | 0) * twoTo32 + low;
  }

  readBigInt64(): bigint {
    const low = this.#readVarint() >>> 0;
    return BigInt(this.#high | 0) * BigInt(twoTo32) + BigInt(low);
  }

  readBool(): boolean {
    const low = this.#readVarint();
    return low !== 0 || this.#high !== 0;
  }

  readDouble(): number {
    const start = this.#advance(8);
    return this.#bytes.readDoubleLE(start);
  }

  readString(): string {
    const length = this.#readLength();
    const start = this.#advance(length);
    return this.#bytes.toString("utf8", start, start + length);
  }

  /** As base64. */
  readBase64(): string {
    const length = this.#readLength();
    const start = this.#advance(length);
    return this.#bytes.toString("base64", start, start + length);
  }

  /** A view, not a copy. */
  readBytes(): Uint8Array {
    const length = this.#readLength();
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Over a field nobody knows, groups and all. */
  skip(tag: number): void {
    let groups = 0;
    for (let next = tag; ; next = this.readTag()) {
      if (next < 8) throw new ProtobufError(`proto: illegal tag 0 (wire type ${next})`);
      switch (next & 7) {
        case wireTypes.varint:
          this.#readVarint();
          break;
        case wireTypes.fixed64:
          this.#advance(8);
          break;
        case wireTypes.bytes:
          this.#advance(this.#readLength());
          break;
        case wireTypes.groupStart:
          groups += 1;
          break;
        case wireTypes.groupEnd:
          if (groups === 0) throw unexpectedGroupEnd();
          groups -= 1;
          break;
        case wireTypes.fixed32:
          this.#advance(4);
          break;
        default:
          throw new ProtobufError(`proto: illegal wireType ${next & 7}`);
      }
      if (groups === 0) return;
    }
  }

  #readLength(): number {
    const length = this.#readVarint();
    if (this.#high !== 0 || length < 0) throw this.#high >>> 31 === 1 ? negativeLength() : unexpectedEnd();
    if (length > this.#end - this.#position) throw unexpectedEnd();
    return length;
  }

  /** Answers where the bytes begin that are passed over. */
  #advance(length: number): number {
    const start = this.#position;
    if (length > this.#end - start) throw unexpectedEnd();
    this.#position = start + length;
    return start;
  }

  /** The lower half, signed; the upper one is left in `#high`. */
  #readVarint(): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let position = this.#position;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (position >= end) throw unexpectedEnd();
      const byte = bytes[position++] ?? 0;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.#position = position;
        this.#high = high;
        return low;
      }
    }
    throw integerOverflow();
  }
}
