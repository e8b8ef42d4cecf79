// One copy of each of the strings that repeat: times, images, node names, paths. A parser makes a new string for every value
// of more than ten characters, so a cache of pods is full of equal ones.
//
// The pool is a table of fixed size and forgets whatever falls on the same place: a name or a uid, seen once, costs a slot
// for a while and no memory for ever. So it never grows, and may miss.

const slotCount = 4096;
const longest = 256;

/** Shorter ones take no more than 32 bytes: looking them up costs more than it saves. */
export const shortestPooled = 16;

export class StringPool {
  readonly #slots: string[] = new Array(slotCount).fill("");

  /** An equal string that was seen before; undefined says that this one is the first, as far as remembered. */
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

/** From the end, where names, times and digests differ. All of it: names of nodes or images differ anywhere in there. */
function placeOf(text: string, length: number): number {
  let hash = length;
  for (let at = length > hashedLength ? length - hashedLength : 0; at < length; at++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  }
  return (hash ^ (hash >>> 15)) & (slotCount - 1);
}
