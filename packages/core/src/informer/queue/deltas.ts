// What queues hold between a reflector and a cache: one delta for each thing that happened, in the order it did.
import type { Deleted } from "../tombstone.ts";

/** A change of one object. */
export type ObjectDelta<T> =
  | { readonly type: "Added" | "Updated" | "Replaced" | "Sync"; readonly object: T }
  | { readonly type: "Deleted"; readonly object: Deleted<T> };

/** What concerns the whole collection, and is never taken together with anything else. */
export type CollectionDelta<T> =
  /** Exactly these objects from now on, as of this version. */
  | { readonly type: "ReplacedAll"; readonly objects: readonly T[]; readonly resourceVersion: string }
  /** Tell whoever asked for it about everything once more. */
  | { readonly type: "SyncAll" }
  | { readonly type: "Bookmark"; readonly resourceVersion: string };

export type Delta<T> = ObjectDelta<T> | CollectionDelta<T>;

export function isObjectDelta<T>(delta: Delta<T>): delta is ObjectDelta<T> {
  return delta.type !== "ReplacedAll" && delta.type !== "SyncAll" && delta.type !== "Bookmark";
}
