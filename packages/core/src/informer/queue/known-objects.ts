// What the consumer of a queue has already, and what follows from it when a new list arrives: whatever is neither on the list
// nor marked as deleted must have gone while nobody looked.
import type { ObjectKey } from "../../api/index.ts";
import { DeletedFinalStateUnknown } from "../tombstone.ts";
import type { ObjectDelta } from "./deltas.ts";

/** Any store is one. */
export interface KnownObjects<T> {
  listKeys(): readonly string[];
  getByKey(key: string): T | undefined;
}

export interface Relist<T> {
  readonly listedKeys: ReadonlySet<string>;
  /** The newest delta of each key that waits or is being worked on. */
  readonly newestByKey: ReadonlyMap<string, ObjectDelta<T>>;
  readonly known: KnownObjects<T> | undefined;
}

/** First what is on its way to the consumer, then what only the consumer has; each in its order. */
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

/** The key is whatever the queue's key function names objects by, which for objects of the API is an ObjectKey. */
export function tombstone<T>(key: string, object: T | undefined): DeletedFinalStateUnknown<T> {
  return new DeletedFinalStateUnknown(key as ObjectKey, object);
}
