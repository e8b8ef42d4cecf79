// The incomplete end of one chunk, to be read together with the next chunk. Uses one buffer again and again.
import { Buffer } from "node:buffer";

const smallBufferBytes = 64 * 1024;

export class CarriedBytes {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends a copy of these bytes. They may be part of the result of `take`. */
  keep(bytes: Buffer): void {
    this.#append(bytes);
    this.#length += bytes.length;
  }

  /** Returns the kept bytes followed by these, and clears. The result is valid until the next `keep`. */
  take(bytes: Buffer): Buffer {
    if (this.#length === 0) return bytes;
    this.#append(bytes);
    const end = this.#length + bytes.length;
    this.#length = 0;
    return this.#buffer.subarray(0, end);
  }

  #append(bytes: Buffer): void {
    const wanted = this.#length + bytes.length;
    if (wanted > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(smallBufferBytes, 2 ** Math.ceil(Math.log2(wanted))));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    bytes.copy(this.#buffer, this.#length);
  }
}
