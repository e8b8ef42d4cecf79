// Reads protobuf's primitives off bytes that may be hostile: nothing is read beyond the end of the message one is in, each read
// moves on, and messages nest only so deep. Who reads a message calls `enter`, reads while `isBeforeEnd`, and calls `leave`.
//
// What Go does with odd bytes is done here: a varint of up to ten bytes whatever its value, int32 cut to its low 32 bits, invalid
// UTF-8 shown as U+FFFD (Go does so when it prints JSON). Integers beyond 2^53 are rounded, as JSON.parse rounds them.
import { Buffer } from "node:buffer";
import { FieldNotes } from "./field-notes.ts";
import {
  integerOverflow,
  negativeLength,
  ProtobufError,
  tooDeep,
  unexpectedEnd,
  unexpectedGroupEnd,
} from "./protobuf-error.ts";
import { TextPool } from "./text-pool.ts";

/** Deeper than any schema of a custom resource that people write; far from where the stack ends. */
export const maxDepth = 1000;

/** The low three bits of a tag. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const;

const twoTo32 = 4_294_967_296;

/** Of readers that are made for one message. A pool of their own would cost more than the message. */
const commonTexts = new TextPool();

export class ByteReader {
  bytes: Buffer;
  /** The index of the next byte. */
  at = 0;
  /** Where the message ends that is being read. */
  end: number;
  /** How many of the messages around were put together from parts. */
  mergers = 0;
  readonly #texts: TextPool;
  #notes: FieldNotes | undefined;
  #depth = 0;
  /** The upper half of the last varint. */
  #high = 0;

  constructor(bytes: Uint8Array, texts: TextPool = commonTexts) {
    this.bytes = asBuffer(bytes);
    this.end = bytes.byteLength;
    this.#texts = texts;
  }

  /** Begins to read other bytes, or a part of them. */
  reset(bytes: Buffer, from: number, end: number): void {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
    this.#depth = 0;
    this.mergers = 0;
    this.#notes?.clear();
  }

  /** A reader of bytes that were put together from parts of this one's. */
  openMerged(bytes: Buffer): ByteReader {
    const inner = new ByteReader(bytes, this.#texts);
    inner.#depth = this.#depth + 1;
    if (inner.#depth > maxDepth) throw tooDeep(maxDepth);
    inner.mergers = this.mergers + 1;
    return inner;
  }

  /** Of the messages that are being read. */
  get notes(): FieldNotes {
    this.#notes ??= new FieldNotes();
    return this.#notes;
  }

  isBeforeEnd(): boolean {
    return this.at < this.end;
  }

  /** Into the message whose length stands here. Returns what `leave` wants back. */
  enter(): number {
    const length = this.readLength();
    const outer = this.end;
    this.#depth += 1;
    if (this.#depth > maxDepth) throw tooDeep(maxDepth);
    this.end = this.at + length;
    return outer;
  }

  leave(outer: number): void {
    this.#depth -= 1;
    this.end = outer;
  }

  /** Field number × 8 + wire type; below 8 for a field number of 0, which there is not. */
  readTag(): number {
    if (this.at < this.end) {
      const byte = this.bytes[this.at] as number;
      if (byte < 0x80) {
        this.at += 1;
        return byte;
      }
    }
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
    return this.bytes.readDoubleLE(start);
  }

  readString(): string {
    const length = this.readLength();
    const start = this.at;
    this.at = start + length;
    return this.#texts.read(this.bytes, start, this.at);
  }

  /** Text that names a property. */
  readKey(): string {
    const length = this.readLength();
    const start = this.at;
    this.at = start + length;
    return this.#texts.readKey(this.bytes, start, this.at);
  }

  /** Text that is unlikely to be repeated. */
  readUniqueString(): string {
    const length = this.readLength();
    const start = this.at;
    this.at = start + length;
    return this.bytes.toString("utf8", start, this.at);
  }

  /** As base64. */
  readBase64(): string {
    const length = this.readLength();
    const start = this.at;
    this.at = start + length;
    return this.bytes.toString("base64", start, this.at);
  }

  /** A view, not a copy. */
  readBytes(): Buffer {
    const length = this.readLength();
    const start = this.at;
    this.at = start + length;
    return this.bytes.subarray(start, this.at);
  }

  /** Returns how many bytes follow; that many there are. */
  readLength(): number {
    if (this.at < this.end) {
      const byte = this.bytes[this.at] as number;
      if (byte < 0x80) {
        this.at += 1;
        if (byte > this.end - this.at) throw unexpectedEnd();
        return byte;
      }
    }
    const length = this.#readVarint();
    if (this.#high !== 0 || length < 0) throw this.#high >>> 31 === 1 ? negativeLength() : unexpectedEnd();
    if (length > this.end - this.at) throw unexpectedEnd();
    return length;
  }

  /** Over text, bytes or a message. */
  skipBytes(): void {
    const length = this.readLength();
    this.at += length;
  }

  /** Over the value of a field of this wire type, which is no group. */
  skipValue(wireType: number): void {
    switch (wireType) {
      case wireTypes.varint:
        this.#readVarint();
        break;
      case wireTypes.fixed64:
        this.#advance(8);
        break;
      case wireTypes.bytes:
        this.skipBytes();
        break;
      case wireTypes.fixed32:
        this.#advance(4);
        break;
      default:
        throw new ProtobufError(`proto: illegal wireType ${wireType}`);
    }
  }

  /** Over a field nobody knows, groups and all. */
  skip(tag: number): void {
    let groups = 0;
    for (let next = tag; ; next = this.readTag()) {
      if (next < 8) throw new ProtobufError(`proto: illegal tag 0 (wire type ${next})`);
      const wireType = next & 7;
      if (wireType === wireTypes.groupStart) groups += 1;
      else if (wireType !== wireTypes.groupEnd) this.skipValue(wireType);
      else if (groups === 0) throw unexpectedGroupEnd();
      else groups -= 1;
      if (groups === 0) return;
    }
  }

  /** Returns where the bytes begin that are passed over. */
  #advance(length: number): number {
    const start = this.at;
    if (length > this.end - start) throw unexpectedEnd();
    this.at = start + length;
    return start;
  }

  /** The lower half, signed; the upper one is left in `#high`. */
  #readVarint(): number {
    const bytes = this.bytes;
    const end = this.end;
    let position = this.at;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (position >= end) throw unexpectedEnd();
      const byte = bytes[position++] as number;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.at = position;
        this.#high = high;
        return low;
      }
    }
    throw integerOverflow();
  }
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
