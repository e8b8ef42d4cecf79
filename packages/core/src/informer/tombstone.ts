// What a handler gets when an object is gone and nobody saw it go: the watch was down when it was deleted, and a later list
// no longer had it. Its last state in the cache may be old, or unknown altogether; its key is always right.
import { type KubernetesObject, keyOf, type ObjectKey } from "../api/index.ts";

export class DeletedFinalStateUnknown<T> {
  readonly kind = "DeletedFinalStateUnknown";
  readonly key: ObjectKey;
  /** As the cache had it last: perhaps not what was deleted. */
  readonly object: T | undefined;

  constructor(key: ObjectKey, object: T | undefined) {
    this.key = key;
    this.object = object;
    Object.freeze(this);
  }
}

/** What `onDelete` gets. */
export type Deleted<T> = T | DeletedFinalStateUnknown<T>;

export function isFinalStateUnknown<T>(gone: Deleted<T>): gone is DeletedFinalStateUnknown<T> {
  return gone instanceof DeletedFinalStateUnknown;
}

/** The last state there is, known to be the final one or not. */
export function lastStateOf<T>(gone: Deleted<T>): T | undefined {
  return isFinalStateUnknown(gone) ? gone.object : gone;
}

/** The key of an object, or the one a tombstone carries: for handlers that treat deletes as any other change. */
export function deletionHandlingKeyOf(gone: Deleted<KubernetesObject>): ObjectKey {
  return isFinalStateUnknown(gone) ? gone.key : keyOf(gone);
}
