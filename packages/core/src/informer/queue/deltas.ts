// The items that queues hold between a reflector and a cache: one delta for each event, in order.
import type { Deleted } from "../tombstone.ts";

/** A change of one object. */
export type ObjectDelta<T> =
  | { readonly type: "Added" | "Updated" | "Replaced" | "Sync"; readonly object: T }
  | { readonly type: "Deleted"; readonly object: Deleted<T> };

/** A delta about the whole collection. It is always alone in its batch. */
export type CollectionDelta<T> =
  /** The collection has exactly these objects, as of this version. */
  | { readonly type: "ReplacedAll"; readonly objects: readonly T[]; readonly resourceVersion: string }
  /** Report all objects again to handlers whose resync is due. */
  | { readonly type: "SyncAll" }
  | { readonly type: "Bookmark"; readonly resourceVersion: string };

export type Delta<T> = ObjectDelta<T> | CollectionDelta<T>;

export function isObjectDelta<T>(delta: Delta<T>): delta is ObjectDelta<T> {
  return delta.type !== "ReplacedAll" && delta.type !== "SyncAll" && delta.type !== "Bookmark";
}
