// The end of one chunk that is read together with the next one. One buffer, used again.
import { Buffer } from "node:buffer";

const smallBufferBytes = 64 * 1024;

export class CarriedBytes {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Keeps a copy of these behind what is kept already. They may come from what `take` gave. */
  keep(bytes: Buffer): void {
    this.#append(bytes);
    this.#length += bytes.length;
  }

  /** What was kept, with these behind it; then nothing is kept. To be read before anything else is kept. */
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
