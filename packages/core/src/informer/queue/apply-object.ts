// What one object's delta means: a write to the store, and then the notification of it. An object whose key is in the store is
// an update, whatever its delta is called, and also when it is another object of that name (a deletion and a new one, seen
// as one). Any other is an add. A deletion is told of even if nothing was there. What the store refuses is reported, and
// nobody is told.
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

/** What to tell, now that the store has it. */
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
  // A tombstone may come without its object; what the store has under its key is what goes.
  const object = isTombstone ? store.getByKey(gone.key) : gone;
  if (object !== undefined) store.delete(object);
  return { type: "delete", gone, details: detailsOf(batch, isTombstone ? "relist" : "change") };
}
