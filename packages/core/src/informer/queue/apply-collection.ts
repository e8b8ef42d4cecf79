// Computes what a delta about the whole collection means for each object, by comparing it with the current cache. It is a generator,
// so that a long list can be processed in slices: yielding `undefined` marks a point where the caller may yield to the event loop,
// and yielding a ReplacedAll asks the caller to replace the store's content; `next` is then called with the error of that, if any.
//
// The store holds the whole new list before any notification is sent. Then come the deletions, as tombstones, and after
// them the objects in the list's order. A resync reports every object of the store, unchanged.
import { toError } from "../../base/index.ts";
import type { EventDetails } from "../handler/handlers.ts";
import { TransactionError } from "../store/store-errors.ts";
import { type ApplyProgress, type ApplyTarget, detailsOf, notificationOf } from "./apply-target.ts";
import type { CollectionDelta } from "./deltas.ts";
import { tombstone } from "./known-objects.ts";
import type { Batch } from "./queue.ts";

export type ReplacedAll<T> = Extract<CollectionDelta<T>, { readonly type: "ReplacedAll" }>;

export type ApplySteps<T> = Generator<ReplacedAll<T> | undefined, void, unknown>;

const objectsBetweenPauses = 32;

const nobodyAsks = (): ApplyProgress => ({ waiting: 0, unreported: 0 });

export function* replaceSteps<T>(delta: ReplacedAll<T>, batch: Batch<T>, target: ApplyTarget<T>): ApplySteps<T> {
  const details = detailsOf(batch, "relist");
  const { store, progress = nobodyAsks() } = target;
  const beforeList: (T | undefined)[] = [];
  const isFirst = store.size === 0;
  for (let at = 0; at < delta.objects.length && !isFirst; at++) {
    beforeList.push(storedAs(target, delta.objects[at] as T));
    if (beforeList.length % objectsBetweenPauses === 0) yield undefined;
  }
  const contentBefore = store.objectsByKey ?? new Map(store.listKeys().map((key) => [key, store.getByKey(key)]));
  // Counted before the store holds the list, so that there is no moment at which the list is not counted.
  progress.waiting = 0;
  progress.unreported = delta.objects.length + contentBefore.size - countKnown(beforeList);
  const thrown = yield delta;
  if (thrown !== undefined && !(thrown instanceof TransactionError)) return target.onError(toError(thrown));
  for (const error of thrown?.errors ?? []) target.onError(error);
  yield* deleteSteps(contentBefore, target, details);
  const isEachKept = thrown === undefined && store.size === delta.objects.length;
  if (isFirst && isEachKept && target.notifyOfAll !== undefined) {
    progress.unreported = 0;
    return target.notifyOfAll(delta.objects, details);
  }
  const places = isEachKept ? delta.objects.keys() : keptPlaces(delta, target, thrown?.successfulIndices);
  for (const at of places) {
    progress.unreported--;
    target.notify(notificationOf(beforeList[at], delta.objects[at] as T, details));
    if (at % objectsBetweenPauses === 0) yield undefined;
  }
}

export function* syncSteps<T>(batch: Batch<T>, target: ApplyTarget<T>): ApplySteps<T> {
  const details = detailsOf(batch, "resync");
  const { progress = nobodyAsks() } = target;
  const objects = target.store.list();
  progress.waiting = objects.length;
  for (const [at, object] of objects.entries()) {
    progress.waiting--;
    target.notify({ type: "update", before: object, after: object, details });
    if (at % objectsBetweenPauses === 0) yield undefined;
  }
}

function* deleteSteps<T>(
  contentBefore: ReadonlyMap<string, T | undefined>,
  { store, notify, progress = nobodyAsks() }: ApplyTarget<T>,
  details: EventDetails,
): ApplySteps<T> {
  let looked = 0;
  for (const [key, before] of contentBefore) {
    if (store.getByKey(key) === undefined) {
      progress.unreported--;
      notify({ type: "delete", gone: tombstone(key, before), details });
    }
    if (++looked % objectsBetweenPauses === 0) yield undefined;
  }
}

/** Returns how many of the store's objects are also in the list. */
function countKnown<T>(beforeList: readonly (T | undefined)[]): number {
  const known = new Set(beforeList);
  known.delete(undefined);
  return known.size;
}

/**
 * Returns the indexes in the list of the objects that are now in the store. If a custom source lists two objects with the same key,
 * that is the last one: notifying of both would report one object as added twice.
 */
function keptPlaces<T>(
  { objects }: ReplacedAll<T>,
  target: ApplyTarget<T>,
  accepted: Iterable<number> = objects.keys(),
): Iterable<number> {
  const placeByKept = new Map<T | undefined, number>();
  for (const at of accepted) {
    const kept = storedAs(target, objects[at] as T);
    placeByKept.delete(kept);
    placeByKept.set(kept, at);
  }
  return placeByKept.values();
}

/** Returns the stored object with the same key. An object without a key is rejected, and reported, when the store is replaced. */
function storedAs<T>({ store }: ApplyTarget<T>, object: T): T | undefined {
  try {
    return store.get(object);
  } catch {
    return undefined;
  }
}
