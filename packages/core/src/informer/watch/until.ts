// Waits until things have come about: conditions on what a watch tells, each to hold in turn. A condition that holds for the
// event that fulfilled the one before need not wait for another. How long to wait is the signal's to say: `timeoutSignal`.
import type { KubernetesObject } from "../../api/index.ts";
import { KubeloopError, untilAborted } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";
import type { ReadonlyIndexer } from "../store/store.ts";
import { type InformerWatcherOptions, openInformerWatcher } from "./informer-watcher.ts";
import { RetryWatcher, type RetryWatcherOptions } from "./retry-watcher.ts";

/** Whether this is what was waited for. What it throws ends the wait. */
export type WatchCondition<T extends KubernetesObject> = (event: WatchEvent<T>) => boolean | Promise<boolean>;

/** The watch ended before all conditions held. */
export class WatchClosedError extends KubeloopError {
  /** The last event there was, if any. */
  readonly lastEvent: WatchEvent | undefined;

  constructor(lastEvent: WatchEvent | undefined) {
    super("watch ended before what was waited for", { reason: "WatchClosed" });
    this.lastEvent = lastEvent;
  }
}

/** Follows any events there are, as far as they go. Gives the event that fulfilled the last condition. */
export async function untilWithoutRetry<T extends KubernetesObject>(
  events: AsyncIterable<WatchEvent<T>>,
  conditions: readonly WatchCondition<T>[],
  signal: AbortSignal,
): Promise<WatchEvent<T> | undefined> {
  signal.throwIfAborted();
  const reading = events[Symbol.asyncIterator]();
  let last: WatchEvent<T> | undefined;
  try {
    for (const condition of conditions) {
      let isMet = last !== undefined && (await condition(last));
      while (!isMet) {
        const next = await untilAborted(reading.next(), signal);
        if (next.done === true) throw new WatchClosedError(last);
        last = next.value;
        isMet = await condition(last);
      }
    }
    return last;
  } finally {
    const left = Promise.resolve(reading.return?.());
    // One that may be stuck is not waited for: the signal lets go of it.
    if (signal.aborted) left.catch(() => {});
    else await left;
  }
}

export interface UntilOptions<T extends KubernetesObject> extends RetryWatcherOptions {
  readonly conditions: readonly WatchCondition<T>[];
}

/** Watches from a version on, however often the watch has to be opened again. */
export async function until<T extends KubernetesObject>(
  source: Pick<ListerWatcher<T>, "watch">,
  { conditions, ...options }: UntilOptions<T>,
  signal: AbortSignal,
): Promise<WatchEvent<T> | undefined> {
  return await untilWithoutRetry(new RetryWatcher(source, options, signal), conditions, signal);
}

export interface ListWatchUntilOptions<T extends KubernetesObject>
  extends Omit<RetryWatcherOptions, "resourceVersion"> {
  readonly conditions: readonly WatchCondition<T>[];
}

/** Begins with what is there, each object as if it had just been added, and goes on with what happens to it. */
export async function listWatchUntil<T extends KubernetesObject>(
  source: ListerWatcher<T>,
  { conditions, ...options }: ListWatchUntilOptions<T>,
  signal: AbortSignal,
): Promise<WatchEvent<T> | undefined> {
  async function* events(): AsyncGenerator<WatchEvent<T>, void, undefined> {
    let objects: T[] = [];
    const onRestart = () => {
      objects = [];
    };
    const list = source.list({ resourceVersion: "", pageSize: 500, onRestart }, signal);
    for await (const batch of list.batches()) objects.push(...batch);
    for (const object of objects) yield { type: "ADDED", object };
    yield* new RetryWatcher(source, { ...options, resourceVersion: list.resourceVersion }, signal);
  }
  return await untilWithoutRetry(events(), conditions, signal);
}

export interface UntilWithSyncOptions<T extends KubernetesObject> extends InformerWatcherOptions<T> {
  readonly conditions: readonly WatchCondition<T>[];
  /** Asked once the cache is in sync: true, and there is nothing to wait for. */
  readonly precondition?: (store: ReadonlyIndexer<T>) => boolean | Promise<boolean>;
}

/** Follows an informer of its own, which survives what a watch does not. Undefined when the precondition held. */
export async function untilWithSync<T extends KubernetesObject>(
  source: ListerWatcher<T>,
  { conditions, precondition, ...options }: UntilWithSyncOptions<T>,
  signal: AbortSignal,
): Promise<WatchEvent<T> | undefined> {
  await using watcher = openInformerWatcher(source, options, signal);
  if (precondition !== undefined) {
    await watcher.whenSynced(signal);
    if (await precondition(watcher.indexer)) return undefined;
  }
  return await untilWithoutRetry(watcher, conditions, signal);
}
