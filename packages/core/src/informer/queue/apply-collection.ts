// What a delta about the whole collection means for each object, worked out against the cache as it is now. Written as steps,
// so that a long list can be worked off in slices: `undefined` says that here is a good moment to let others have a turn,
// and a ReplacedAll asks for the store's content to be replaced; the answer is what that threw.
//
// The store holds the whole new list before anyone is told of any of it. Then come the deletions, as tombstones, and after
// them the objects in the list's order. A resync tells of everything the store has, as it is.
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
  // Before the store has it: there is no moment at which nobody counts it.
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

/** How many of the store's objects the list has, too. */
function countKnown<T>(beforeList: readonly (T | undefined)[]): number {
  const known = new Set(beforeList);
  known.delete(undefined);
  return known.size;
}

/**
 * Where on the list the objects stand that are in the store now. Of two of one name, as a source of one's own may list them,
 * that is the last: telling of both would be an object added twice.
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

/** What the store has under the object's key. An object without one is refused, and reported, when the store is replaced. */
function storedAs<T>({ store }: ApplyTarget<T>, object: T): T | undefined {
  try {
    return store.get(object);
  } catch {
    return undefined;
  }
}
