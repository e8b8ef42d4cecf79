// The part of an ordered state that a list asks for. O(log n) and the objects handed out, however many there are before or after.
import type { ObjectTree } from "./past-states.ts";
import type { Range, RangeResult } from "./storage.ts";

export function selectRange(tree: ObjectTree, range: Range): Omit<RangeResult, "revision"> {
  const { prefix = "", after, limit = Number.POSITIVE_INFINITY } = range;
  const last = endOfPrefix(prefix);
  const end = last === undefined ? tree.size : tree.rank(last);
  // No text is between a key and the same with a zero behind it.
  const start = Math.min(end, Math.max(tree.rank(prefix), after === undefined ? 0 : tree.rank(`${after}\0`)));
  const stop = Math.min(end, start + Math.max(0, limit));
  return {
    objects: tree.slice(start, stop),
    remaining: end - stop,
    lastKey: stop === start ? undefined : tree.keyAt(stop - 1),
  };
}

/** The smallest text greater than all that begin with this one; undefined when there is none. */
function endOfPrefix(prefix: string): string | undefined {
  for (let length = prefix.length; length > 0; length--) {
    const unit = prefix.charCodeAt(length - 1);
    if (unit < 0xffff) return prefix.slice(0, length - 1) + String.fromCharCode(unit + 1);
  }
  return undefined;
}
