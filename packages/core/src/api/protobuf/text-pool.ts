// Reads text off bytes and shares what repeats: labels, images, reasons, namespaces. Bytes are hashed and compared with a text that was read before,
// so that a repeated text costs neither a call into the runtime nor memory.
//
// The pool is a hash table of fixed size without chaining, as `informer/store/string-pool.ts` is: a new text overwrites the one in its slot. So a text
// that occurs once is not kept for ever, the pool never grows, and it may miss a repetition. Only ASCII is pooled.
import type { Buffer } from "node:buffer";

const slotCount = 8192;
/** Longer text is rarely repeated, and comparing it costs what reading it costs. */
const longest = 160;
const hashedLength = 24;

export class TextPool {
  readonly #texts: string[] = new Array(slotCount).fill("");
  readonly #keys: string[] = new Array(slotCount).fill("");

  /** Returns the text between two indexes. What is no UTF-8 is read as U+FFFD, as Go prints it. */
  read(bytes: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === 0) return "";
    if (length > longest) return bytes.toString("utf8", start, end);
    const slot = slotOf(bytes, start, end);
    const known = this.#texts[slot] as string;
    if (known.length === length && isSame(known, bytes, start)) return known;
    const text = bytes.toString("utf8", start, end);
    // Text of as many characters as bytes is ASCII, unless it is not UTF-8; then it never compares equal.
    if (text.length === length) this.#texts[slot] = text;
    return text;
  }

  /** The same for the key of a map: the text is the one that property names are, which is found without being hashed again. */
  readKey(bytes: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === 0 || length > longest) return bytes.toString("utf8", start, end);
    const slot = slotOf(bytes, start, end);
    const known = this.#keys[slot] as string;
    if (known.length === length && isSame(known, bytes, start)) return known;
    const text = bytes.toString("utf8", start, end);
    const key = Object.keys({ [text]: 0 })[0] ?? text;
    if (key.length === length) this.#keys[slot] = key;
    return key;
  }
}

function isSame(text: string, bytes: Buffer, start: number): boolean {
  for (let i = text.length - 1; i >= 0; i--) if (text.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}

/** Hashes the last characters, in which names, times and digests differ, and the length. */
function slotOf(bytes: Buffer, start: number, end: number): number {
  let hash = end - start;
  for (let i = hash > hashedLength ? end - hashedLength : start; i < end; i++) {
    hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
  }
  return (hash ^ (hash >>> 13)) & (slotCount - 1);
}
