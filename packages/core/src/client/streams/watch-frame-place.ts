// Where the parts of an event stand in a frame that is laid out as Kubernetes' encoder writes it: the type, then an extension with an envelope, which says the
// kind and then holds the object, and nothing else. Nothing is made per frame. A frame that is laid out in another way is valid, too, and read more slowly.
import type { Buffer } from "node:buffer";

const types = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"].map((type) => ({
  type,
  bytes: new TextEncoder().encode(type),
}));
const prefix = [0x6b, 0x38, 0x73, 0x00] as const;
/** Content encoding and type, which are never said but written. */
const tail = [0x1a, 0x00, 0x22, 0x00] as const;
const tags = { first: 0x0a, second: 0x12 } as const;
const nowhere = -1;

export class WatchFramePlace {
  type = "";
  kindFrom = 0;
  kindEnd = 0;
  rawFrom = 0;
  rawEnd = 0;
  #at = 0;

  /** Returns whether the frame is laid out so. If not, the fields say nothing. Errors are not events of this layout. */
  find(bytes: Buffer, from: number, end: number): boolean {
    this.#at = from;
    if (!this.#readType(bytes, end)) return false;
    if (this.#enter(bytes, tags.second, end) !== end) return false;
    if (this.#enter(bytes, tags.first, end) !== end) return false;
    if (!this.#skip(bytes, prefix, end)) return false;
    this.kindEnd = this.#enter(bytes, tags.first, end);
    if (this.kindEnd === nowhere) return false;
    this.kindFrom = this.#at;
    this.#at = this.kindEnd;
    this.rawEnd = this.#enter(bytes, tags.second, end);
    if (this.rawEnd === nowhere) return false;
    this.rawFrom = this.#at;
    this.#at = this.rawEnd;
    return this.#at === end || (this.#skip(bytes, tail, end) && this.#at === end);
  }

  #readType(bytes: Buffer, end: number): boolean {
    const typeEnd = this.#enter(bytes, tags.first, end);
    const length = typeEnd - this.#at;
    const known = types.find((each) => each.bytes.length === length && each.bytes[0] === bytes[this.#at]);
    if (typeEnd === nowhere || known === undefined || !this.#skip(bytes, known.bytes, end)) return false;
    this.type = known.type;
    return true;
  }

  /** Over the tag and the length of a field, which must end within the frame. Returns where it ends. */
  #enter(bytes: Buffer, tag: number, end: number): number {
    if (bytes[this.#at] !== tag) return nowhere;
    let length = 0;
    for (let i = this.#at + 1, factor = 1; i < end && factor <= 2 ** 28; i++, factor *= 128) {
      const byte = bytes[i] as number;
      length += (byte & 0x7f) * factor;
      if (byte >= 0x80) continue;
      this.#at = i + 1;
      return this.#at + length > end ? nowhere : this.#at + length;
    }
    return nowhere;
  }

  #skip(bytes: Buffer, expected: ArrayLike<number>, end: number): boolean {
    if (end - this.#at < expected.length) return false;
    for (let i = 0; i < expected.length; i++) if (bytes[this.#at + i] !== expected[i]) return false;
    this.#at += expected.length;
    return true;
  }
}
