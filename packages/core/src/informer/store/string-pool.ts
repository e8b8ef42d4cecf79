// Shares equal strings: times, images, node names, paths. A parser creates a new string for every value
// of more than ten characters, so a cache of pods has many equal ones.
//
// The pool is a hash table of fixed size without chaining: a new string overwrites the one in its slot. So a name or a uid that occurs once
// uses a slot for a while but is not kept for ever. The pool never grows, and may miss a repetition.

const slotCount = 4096;
const longest = 256;

/** Shorter strings take at most 32 bytes: looking them up costs more than it saves. */
export const shortestPooled = 16;

export class StringPool {
  readonly #slots: string[] = new Array(slotCount).fill("");

  /** Returns an equal string that was seen before; if the pool has none, remembers this one and returns undefined. */
  seen(text: string): string | undefined {
    const { length } = text;
    if (length < shortestPooled || length > longest) return undefined;
    const place = placeOf(text, length);
    const found = this.#slots[place];
    if (found === text) return found;
    this.#slots[place] = text;
    return undefined;
  }
}

const hashedLength = 64;

/** Hashes the last 64 characters, where names, times and digests differ. All of those, because names of nodes or images differ anywhere. */
function placeOf(text: string, length: number): number {
  let hash = length;
  for (let at = length > hashedLength ? length - hashedLength : 0; at < length; at++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  }
  return (hash ^ (hash >>> 15)) & (slotCount - 1);
}
