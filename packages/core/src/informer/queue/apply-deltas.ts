// Puts what was taken from a queue into the cache and tells of it: client-go's processDeltas. For each object the store holds
// the change, indexes and all, before anyone hears of it. What the store refuses is reported, and only that: the rest comes.
//
// `applyDeltas` does all of it at once. `applyDeltasInSlices` lets the event loop have its turns while a long list or resync
// is worked off; whoever asks the store meanwhile sees the old list or all of the new one. Whoever joins meanwhile has to
// wait until the batch is done, or would hear of a part of it twice.
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
 * A promise only where there is something to wait for. Aborted, it stops in between: with the old content and nobody told,
 * or with the new one and some told of it.
 */
export function applyDeltasInSlices<T>(
  batch: Batch<T>,
  target: ApplyTarget<NoInfer<T>>,
  { clock }: SliceOptions,
  signal: AbortSignal,
): Promise<void> | undefined {
  // Such a delta is always alone.
  const [first] = batch.deltas;
  if (first !== undefined && isLong(first, target.store)) {
    return runInSlices(stepsOf(first, batch, target), target.store, new YieldBudget(clock), signal);
  }
  applyDeltas(batch, target);
  return undefined;
}

/** Below this many objects a promise costs more than it is worth. */
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

/** Gives what was thrown. */
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
