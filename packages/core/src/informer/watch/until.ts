// Waits for conditions on the events of a watch, each in turn. If the event that fulfilled one condition also fulfils the next,
// no further event is needed. The signal limits the time: `timeoutSignal`.
import type { KubernetesObject } from "../../api/index.ts";
import { KubeloopError, untilAborted } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";
import type { ReadonlyIndexer } from "../store/store.ts";
import { type InformerWatcherOptions, openInformerWatcher } from "./informer-watcher.ts";
import { RetryWatcher, type RetryWatcherOptions } from "./retry-watcher.ts";

/** Whether the condition is fulfilled. An error ends the wait. */
export type WatchCondition<T extends KubernetesObject> = (event: WatchEvent<T>) => boolean | Promise<boolean>;

/** The watch ended before all conditions held. */
export class WatchClosedError extends KubeloopError {
  /** The last event, if any. */
  readonly lastEvent: WatchEvent | undefined;

  constructor(lastEvent: WatchEvent | undefined) {
    super("watch ended before all conditions were fulfilled", { reason: "WatchClosed" });
    this.lastEvent = lastEvent;
  }
}

/** Reads any stream of events, without reopening it when it ends. Returns the event that fulfilled the last condition. */
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
    // Not awaited after an abort, because it may be stuck: the signal releases it.
    if (signal.aborted) left.catch(() => {});
    else await left;
  }
}

export interface UntilOptions<T extends KubernetesObject> extends RetryWatcherOptions {
  readonly conditions: readonly WatchCondition<T>[];
}

/** Watches from a version on; the watch is reopened as often as needed. */
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

/** Lists first, passes each object as an ADDED event, and then watches. */
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
  /** Called once the cache has synced: if it returns true, there is nothing to wait for. */
  readonly precondition?: (store: ReadonlyIndexer<T>) => boolean | Promise<boolean>;
}

/** Uses its own informer, which survives failures that end a watch. Returns undefined if the precondition held. */
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
