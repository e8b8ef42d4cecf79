// The deltas of one object since it was last popped, oldest first. Only consecutive deletions are merged: the one with
// more information is kept, because both report the same deletion. A compressor may merge more.
import { isFinalStateUnknown } from "../tombstone.ts";
import type { ObjectDelta } from "./deltas.ts";

/** Reduces the deltas of one object, oldest first. An empty result removes the object from the queue. Must not change its argument. */
export type DeltaCompressor<T> = (deltas: readonly ObjectDelta<T>[]) => readonly ObjectDelta<T>[];

/** Appends in place. */
export function appendDelta<T>(deltas: ObjectDelta<T>[], delta: ObjectDelta<T>): void {
  const last = deltas.at(-1);
  if (last?.type !== "Deleted" || delta.type !== "Deleted") deltas.push(delta);
  else if (isFinalStateUnknown(last.object)) deltas[deltas.length - 1] = delta;
}
