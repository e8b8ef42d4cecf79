// Applies the deltas of a batch to the cache and sends the notifications: client-go's processDeltas. The store, including its indexes,
// holds each change before its notification. If the store rejects an object, only that object is skipped and reported.
//
// `applyDeltas` does everything synchronously. `applyDeltasInSlices` yields to the event loop while it processes a long list or
// resync; a reader of the store meanwhile sees the old content or all of the new one. A handler that is added meanwhile has to
// wait until the batch is done, otherwise it would receive a part of the batch twice.
import { assertNever, type Clock, YieldBudget } from "../../base/index.ts";
import { type ApplySteps, type ReplacedAll, replaceSteps, syncSteps } from "./apply-collection.ts";
import { applyObject } from "./apply-object.ts";
import type { ApplyTarget, CacheStore } from "./apply-target.ts";
import { type CollectionDelta, type Delta, isObjectDelta } from "./deltas.ts";
import type { Batch } from "./queue.ts";

export function applyDeltas<T>(batch: Batch<T>, target: ApplyTarget<NoInfer<T>>): void {
  for (const delta of batch.deltas) {
    if (isObjectDelta(delta)) applyObject(delta, batch, target);
    else runAtOnce(stepsOf(delta, batch, target), target.store);
  }
}

export interface SliceOptions {
  readonly clock: Clock;
}

/**
 * Returns a promise only if it has to wait. If aborted, it stops in between: with the old content and no notification sent,
 * or with the new content and some of the notifications sent.
 */
export function applyDeltasInSlices<T>(
  batch: Batch<T>,
  target: ApplyTarget<NoInfer<T>>,
  { clock }: SliceOptions,
  signal: AbortSignal,
): Promise<void> | undefined {
  // A collection delta is always alone in its batch.
  const [first] = batch.deltas;
  if (first !== undefined && isLong(first, target.store)) {
    return runInSlices(stepsOf(first, batch, target), target.store, new YieldBudget(clock), signal);
  }
  applyDeltas(batch, target);
  return undefined;
}

/** Below this number of objects, a promise costs more than it saves. */
const fewObjects = 256;

function isLong<T>(delta: Delta<T>, store: CacheStore<T>): delta is CollectionDelta<T> {
  if (delta.type === "SyncAll") return store.size > fewObjects;
  return delta.type === "ReplacedAll" && delta.objects.length + store.size > fewObjects;
}

function* stepsOf<T>(delta: CollectionDelta<T>, batch: Batch<T>, target: ApplyTarget<T>): ApplySteps<T> {
  if (delta.type === "ReplacedAll") yield* replaceSteps(delta, batch, target);
  else if (delta.type === "SyncAll") yield* syncSteps(batch, target);
  else if (delta.type === "Bookmark") target.store.bookmark(delta.resourceVersion);
  else assertNever(delta);
}

function runAtOnce<T>(steps: ApplySteps<T>, store: CacheStore<T>): void {
  for (let step = steps.next(); !step.done; ) {
    step = steps.next(step.value === undefined ? undefined : replace(step.value, store));
  }
}

async function runInSlices<T>(
  steps: ApplySteps<T>,
  store: CacheStore<T>,
  budget: YieldBudget,
  signal: AbortSignal,
): Promise<void> {
  for (let step = steps.next(); !step.done; ) {
    let thrown: unknown;
    if (step.value !== undefined) thrown = await replaceInSlices(step.value, store, budget, signal);
    else if (budget.isUsedUp()) await budget.yield();
    signal.throwIfAborted();
    step = steps.next(thrown);
  }
}

/** Returns the error that was thrown, if any. */
function replace<T>({ objects, resourceVersion }: ReplacedAll<T>, store: CacheStore<T>): unknown {
  try {
    store.replace(objects, resourceVersion);
    return undefined;
  } catch (error) {
    return error;
  }
}

async function replaceInSlices<T>(
  delta: ReplacedAll<T>,
  store: CacheStore<T>,
  budget: YieldBudget,
  signal: AbortSignal,
): Promise<unknown> {
  if (store.replaceInSlices === undefined) return replace(delta, store);
  const pause = () => (budget.isUsedUp() ? budget.yield() : undefined);
  try {
    await store.replaceInSlices(delta.objects, delta.resourceVersion, { pause }, signal);
    return undefined;
  } catch (error) {
    return error;
  }
}
