// A cache that follows a source, for one handler that shares it with nobody: client-go's NewInformer and NewIndexerInformer.
//
// Other than with a shared informer, the handler is told before the next batch reaches the cache, so the two are never far
// apart, a slow handler holds up its cache, and being in sync means that the handler has been told, too. What it throws is
// reported, and the next event comes. A relist of what has not changed is not told.
import type { KubernetesObject } from "../../api/index.ts";
import { type Clock, defaultLog, systemClock, toError, YieldBudget } from "../../base/index.ts";
import type { Notification, ResourceEventHandler } from "../handler/handlers.ts";
import { repeatsTheKnown } from "../handler/repeats-the-known.ts";
import { tell } from "../handler/tell.ts";
import { applyDeltasInSlices } from "../queue/apply-deltas.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";
import { IndexedStore } from "../store/indexed-store.ts";
import { metaNamespaceKeyFunc } from "../store/key-functions.ts";
import type { Indexers, KeyFunction, ReadonlyIndexer, ReadonlyStore, Transform } from "../store/store.ts";
import { Controller, type ControllerConfig } from "./controller.ts";
import { makeQueue, type QueueKind } from "./make-queue.ts";

type OwnConfig = "queue" | "listerWatcher" | "process" | "fullResyncPeriodMs" | "shouldResync" | "retryOnError";

export interface NewInformerOptions<T extends KubernetesObject> extends Omit<ControllerConfig<T>, OwnConfig> {
  /** How often the handler is told again of everything; never unless given. */
  readonly resyncMs?: number;
  readonly transform?: Transform<T>;
  /** Namespace and name unless given. */
  readonly keyOf?: KeyFunction<T>;
  /** In the stream's order unless given. */
  readonly queue?: QueueKind;
  readonly freeze?: boolean;
  /** The handler threw or rejected. It is logged as well. */
  readonly onHandlerError?: (error: Error, notification: Notification<T>) => void;
}

export interface NewIndexerInformerOptions<T extends KubernetesObject> extends NewInformerOptions<T> {
  readonly indexers: Indexers<T>;
}

/** Run the controller to have the store follow. */
export function newInformer<T extends KubernetesObject>(
  source: ListerWatcher<T>,
  handler: ResourceEventHandler<T>,
  options: NewInformerOptions<T> = {},
): { readonly store: ReadonlyStore<T>; readonly controller: Controller<T> } {
  const { indexer, controller } = newIndexerInformer(source, handler, { ...options, indexers: {} });
  return { store: indexer, controller };
}

export function newIndexerInformer<T extends KubernetesObject>(
  source: ListerWatcher<T>,
  handler: ResourceEventHandler<T>,
  options: NewIndexerInformerOptions<T>,
): { readonly indexer: ReadonlyIndexer<T>; readonly controller: Controller<T> } {
  const { resyncMs, transform, queue: kind, freeze = false, onHandlerError, indexers, ...others } = options;
  const { keyOf = metaNamespaceKeyFunc, ...config } = others;
  const { clock = systemClock, log = defaultLog } = config;
  const store = new IndexedStore<T>({ keyOf, indexers, freeze });
  const queue = makeQueue(kind, { keyOf, transform, known: store, clock, log });
  const onFailure = (thrown: unknown, notification: Notification<T>) => {
    const error = toError(thrown);
    log.error("event handler failed", { event: notification.type, error });
    try {
      onHandlerError?.(error, notification);
    } catch (failure) {
      log.error("error handler failed", { error: failure });
    }
  };
  const controller = new Controller<T>({
    ...config,
    queue,
    listerWatcher: source,
    fullResyncPeriodMs: resyncMs ?? 0,
    process: async (batch, signal) => {
      const told: Notification<T>[] = [];
      const target = {
        store,
        notify: (notification: Notification<T>) => void told.push(notification),
        onError: (error: Error) => log.error("cache refused an object", { error }),
      };
      await applyDeltasInSlices(batch, target, { clock }, signal);
      await tellAll(told, { handler, onFailure, clock }, signal);
    },
  });
  return { indexer: store, controller };
}

interface Listening<T> {
  readonly handler: ResourceEventHandler<T>;
  readonly onFailure: (error: unknown, notification: Notification<T>) => void;
  readonly clock: Clock;
}

async function tellAll<T extends KubernetesObject>(
  told: readonly Notification<T>[],
  { handler, onFailure, clock }: Listening<T>,
  signal: AbortSignal,
): Promise<void> {
  const budget = new YieldBudget(clock);
  for (const notification of told) {
    if (notification.details.cause !== "resync" && repeatsTheKnown(notification)) continue;
    signal.throwIfAborted();
    try {
      const answer = tell(handler, notification);
      if (answer !== undefined) await budget.pause(answer);
    } catch (error) {
      onFailure(error, notification);
    }
    if (budget.isUsedUp()) await budget.yield();
  }
}
