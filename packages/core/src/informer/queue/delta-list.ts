// What happened to one object since it was last taken, oldest first. Only one thing is merged here: of two deletions in a row
// the one stays that knows more, since the second reports the same event. Whatever else may be merged is the user's to say.
import { isFinalStateUnknown } from "../tombstone.ts";
import type { ObjectDelta } from "./deltas.ts";

/** Makes fewer deltas of many, oldest first; none at all means that nothing is left to tell. Must not change what it gets. */
export type DeltaCompressor<T> = (deltas: readonly ObjectDelta<T>[]) => readonly ObjectDelta<T>[];

/** Appends in place. */
export function appendDelta<T>(deltas: ObjectDelta<T>[], delta: ObjectDelta<T>): void {
  const last = deltas.at(-1);
  if (last?.type !== "Deleted" || delta.type !== "Deleted") deltas.push(delta);
  else if (isFinalStateUnknown(last.object)) deltas[deltas.length - 1] = delta;
}
