// Writes protobuf's primitives from the end towards the beginning, as Go does: when a message's length is to be written, its
// content stands already, so nothing is measured beforehand and nothing is moved. Whoever writes writes a value first, then its
// length if it has one, then its tag; and the last field of a message first.
//
// One scratch buffer is kept between messages and grows as needed; `take` copies the result out of it.

const twoTo32 = 4_294_967_296;
const twoTo63 = 2 ** 63;
const maxVarint = 10;
const firstCapacity = 16 * 1024;
/** A scratch buffer that one huge object made larger than this is not kept for ever. */
const keptCapacity = 1024 * 1024;
/** Up to here a loop is quicker than crossing into the platform. */
const shortString = 32;

export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(firstCapacity);
  /** Where what is written begins. */
  #start = firstCapacity;

  /** How much is written; a mark for `writeLengthSince`. */
  get written(): number {
    return this.#bytes.length - this.#start;
  }

  /** All that was written, and the writer begins anew. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.#bytes.buffer.slice(this.#start));
    if (this.#bytes.length > keptCapacity) this.#bytes = Buffer.allocUnsafeSlow(firstCapacity);
    this.#start = this.#bytes.length;
    return taken;
  }

  /** Forgets what was written. */
  clear(): void {
    this.#start = this.#bytes.length;
  }

  /** The length of what was written since there were `mark` bytes. */
  writeLengthSince(mark: number): void {
    this.writeUint32(this.written - mark);
  }

  /** Field number × 8 + wire type. */
  writeTag(tag: number): void {
    this.writeUint32(tag);
  }

  writeUint32(value: number): void {
    this.#reserve(maxVarint);
    if (value < 0x80) this.#bytes[--this.#start] = value;
    else this.#writeVarint(value, 0);
  }

  /** Any integer of 64 bits; what a rounded number puts beyond them is the nearest of them. */
  writeInt64(value: number): void {
    if (value >= 0 && value < twoTo32) this.writeUint32(value);
    else {
      this.#reserve(maxVarint);
      if (value >= twoTo63) this.#writeVarint(0xffff_ffff, 0x7fff_ffff);
      else if (value <= -twoTo63) this.#writeVarint(0, 0x8000_0000);
      else this.#writeVarint((value % twoTo32) >>> 0, Math.floor(value / twoTo32) >>> 0);
    }
  }

  writeBigInt64(value: bigint): void {
    this.#reserve(maxVarint);
    this.#writeVarint(Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n)));
  }

  writeBool(value: boolean): void {
    this.#reserve(1);
    this.#bytes[--this.#start] = value ? 1 : 0;
  }

  writeDouble(value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#bytes.writeDoubleLE(value, this.#start);
  }

  /** With its length. */
  writeString(text: string): void {
    const size = text.length <= shortString ? this.#writeShort(text) : this.#writeLong(text);
    this.writeUint32(size);
  }

  /** With their length. */
  writeBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#start -= bytes.length;
    this.#bytes.set(bytes, this.#start);
    this.writeUint32(bytes.length);
  }

  #writeShort(text: string): number {
    const size = text.length;
    this.#reserve(size);
    const start = this.#start - size;
    for (let i = 0; i < size; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) return this.#writeLong(text);
      this.#bytes[start + i] = code;
    }
    this.#start = start;
    return size;
  }

  #writeLong(text: string): number {
    const size = Buffer.byteLength(text, "utf8");
    this.#reserve(size);
    this.#start -= size;
    this.#bytes.write(text, this.#start, size, "utf8");
    return size;
  }

  #writeVarint(low: number, high: number): void {
    const bytes = this.#bytes;
    let start = this.#start - varintSize(low, high);
    this.#start = start;
    let restLow = low;
    let restHigh = high;
    while (restHigh !== 0 || restLow > 0x7f) {
      bytes[start++] = (restLow & 0x7f) | 0x80;
      restLow = ((restLow >>> 7) | (restHigh << 25)) >>> 0;
      restHigh >>>= 7;
    }
    bytes[start] = restLow;
  }

  #reserve(size: number): void {
    if (size <= this.#start) return;
    const { written } = this;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, written + size));
    this.#bytes.copy(grown, grown.length - written, this.#start);
    this.#bytes = grown;
    this.#start = grown.length - written;
  }
}

function varintSize(low: number, high: number): number {
  const bits = high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high);
  return Math.ceil(bits / 7) || 1;
}
