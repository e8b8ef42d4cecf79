// Applies one object's delta: a write to the store, and then its notification. If the key is already in the store, it is
// an update, whatever the delta's type, also if it is another object with the same name (a delete and a create, seen
// as one). Otherwise it is an add. A delete is reported even if the store had no such object. If the store rejects the object, that is
// reported to `onError`, and no notification is sent.
import { toError } from "../../base/index.ts";
import type { Notification } from "../handler/handlers.ts";
import { type Deleted, isFinalStateUnknown } from "../tombstone.ts";
import { type ApplyTarget, type CacheStore, detailsOf, notificationOf } from "./apply-target.ts";
import type { ObjectDelta } from "./deltas.ts";
import type { Batch } from "./queue.ts";

export function applyObject<T>(delta: ObjectDelta<T>, batch: Batch<T>, target: ApplyTarget<T>): void {
  const notification = write(delta, batch, target);
  if (notification !== undefined) target.notify(notification);
}

/** Writes to the store and returns the notification to send. */
function write<T>(delta: ObjectDelta<T>, batch: Batch<T>, target: ApplyTarget<T>): Notification<T> | undefined {
  try {
    return delta.type === "Deleted" ? writeDeletion(delta.object, batch, target) : writeObject(delta, batch, target);
  } catch (error) {
    target.onError(toError(error));
    return undefined;
  }
}

const causes = { Added: "change", Updated: "change", Replaced: "relist", Sync: "resync" } as const;

function writeObject<T>(
  { type, object }: Exclude<ObjectDelta<T>, { readonly type: "Deleted" }>,
  batch: Batch<T>,
  { store }: ApplyTarget<T>,
): Notification<T> {
  const before = store.exchange === undefined ? exchange(object, store) : store.exchange(object);
  return notificationOf(before, object, detailsOf(batch, causes[type]));
}

function exchange<T>(object: T, store: CacheStore<T>): T | undefined {
  const before = store.get(object);
  if (before === undefined) store.add(object);
  else store.update(object);
  return before;
}

function writeDeletion<T>(gone: Deleted<T>, batch: Batch<T>, { store }: ApplyTarget<T>): Notification<T> {
  const isTombstone = isFinalStateUnknown(gone);
  // A tombstone may have no object; then the stored object of its key is the deleted one.
  const object = isTombstone ? store.getByKey(gone.key) : gone;
  if (object !== undefined) store.delete(object);
  return { type: "delete", gone, details: detailsOf(batch, isTombstone ? "relist" : "change") };
}
