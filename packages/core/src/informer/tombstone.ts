// The tombstone that a handler gets when the delete event was missed: the watch was down when the object was deleted, and a later list
// no longer had it. The last cached state may be old or missing; the key is always right.
import { type KubernetesObject, keyOf, type ObjectKey } from "../api/index.ts";

export class DeletedFinalStateUnknown<T> {
  readonly kind = "DeletedFinalStateUnknown";
  readonly key: ObjectKey;
  /** The last cached state: perhaps older than the deleted one. */
  readonly object: T | undefined;

  constructor(key: ObjectKey, object: T | undefined) {
    this.key = key;
    this.object = object;
    Object.freeze(this);
  }
}

/** The argument of `onDelete`. */
export type Deleted<T> = T | DeletedFinalStateUnknown<T>;

export function isFinalStateUnknown<T>(gone: Deleted<T>): gone is DeletedFinalStateUnknown<T> {
  return gone instanceof DeletedFinalStateUnknown;
}

/** Returns the last state, whether it is known to be the final one or not. */
export function lastStateOf<T>(gone: Deleted<T>): T | undefined {
  return isFinalStateUnknown(gone) ? gone.object : gone;
}

/** Returns the key of an object or of a tombstone, for handlers that treat deletes like other changes. */
export function deletionHandlingKeyOf(gone: Deleted<KubernetesObject>): ObjectKey {
  return isFinalStateUnknown(gone) ? gone.key : keyOf(gone);
}
