// The objects that the consumer of a queue already has, and the deletions that follow when a new list arrives: an object that is neither in
// the list nor already marked as deleted was deleted while the watch was down.
import type { ObjectKey } from "../../api/index.ts";
import { DeletedFinalStateUnknown } from "../tombstone.ts";
import type { ObjectDelta } from "./deltas.ts";

/** Every store implements it. */
export interface KnownObjects<T> {
  listKeys(): readonly string[];
  getByKey(key: string): T | undefined;
}

export interface Relist<T> {
  readonly listedKeys: ReadonlySet<string>;
  /** The newest delta of each key that waits or is being processed. */
  readonly newestByKey: ReadonlyMap<string, ObjectDelta<T>>;
  readonly known: KnownObjects<T> | undefined;
}

/** First the tombstones of objects that are queued or being processed, then of those that only the consumer has; each in order. */
export function tombstonesOf<T>({ listedKeys, newestByKey, known }: Relist<T>): DeletedFinalStateUnknown<T>[] {
  const tombstones: DeletedFinalStateUnknown<T>[] = [];
  for (const [key, newest] of newestByKey) {
    if (newest.type !== "Deleted" && !listedKeys.has(key)) tombstones.push(tombstone(key, newest.object));
  }
  for (const key of known?.listKeys() ?? []) {
    if (!listedKeys.has(key) && !newestByKey.has(key)) tombstones.push(tombstone(key, known?.getByKey(key)));
  }
  return tombstones;
}

/** The key is the result of the queue's key function, which for API objects is an ObjectKey. */
export function tombstone<T>(key: string, object: T | undefined): DeletedFinalStateUnknown<T> {
  return new DeletedFinalStateUnknown(key as ObjectKey, object);
}
