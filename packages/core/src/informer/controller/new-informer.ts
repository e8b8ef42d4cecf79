// A cache that follows a source, for a single handler: client-go's NewInformer and NewIndexerInformer.
//
// Unlike with a shared informer, the handler is called before the next batch reaches the cache. So handler and cache are never far
// apart, a slow handler delays the cache, and "synced" means that the handler has also received the first list. An error of the
// handler is reported, and the next event follows. A relist reports only objects that changed.
import type { KubernetesObject } from "../../api/index.ts";
import { type Clock, defaultLog, systemClock, toError, YieldBudget } from "../../base/index.ts";
import { callHandler } from "../handler/call-handler.ts";
import type { Notification, ResourceEventHandler } from "../handler/handlers.ts";
import { isUnchanged } from "../handler/is-unchanged.ts";
import { applyDeltasInSlices } from "../queue/apply-deltas.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";
import { IndexedStore } from "../store/indexed-store.ts";
import { metaNamespaceKeyFunc } from "../store/key-functions.ts";
import type { Indexers, KeyFunction, ReadonlyIndexer, ReadonlyStore, Transform } from "../store/store.ts";
import { Controller, type ControllerConfig } from "./controller.ts";
import { makeQueue, type QueueKind } from "./make-queue.ts";

type OwnConfig = "queue" | "listerWatcher" | "process" | "fullResyncPeriodMs" | "shouldResync" | "retryOnError";

export interface NewInformerOptions<T extends KubernetesObject> extends Omit<ControllerConfig<T>, OwnConfig> {
  /** How often every object is reported to the handler again. Default: never. */
  readonly resyncMs?: number;
  readonly transform?: Transform<T>;
  /** Default: namespace and name. */
  readonly keyOf?: KeyFunction<T>;
  /** Default: in the stream's order. */
  readonly queue?: QueueKind;
  readonly freeze?: boolean;
  /** Called when the handler throws or rejects, which is also logged. */
  readonly onHandlerError?: (error: Error, notification: Notification<T>) => void;
}

export interface NewIndexerInformerOptions<T extends KubernetesObject> extends NewInformerOptions<T> {
  readonly indexers: Indexers<T>;
}

/** The store is filled while the controller runs. */
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
      const notifications: Notification<T>[] = [];
      const target = {
        store,
        notify: (notification: Notification<T>) => void notifications.push(notification),
        onError: (error: Error) => log.error("cache refused an object", { error }),
      };
      await applyDeltasInSlices(batch, target, { clock }, signal);
      await notifyHandler(notifications, { handler, onFailure, clock }, signal);
    },
  });
  return { indexer: store, controller };
}

interface Listening<T> {
  readonly handler: ResourceEventHandler<T>;
  readonly onFailure: (error: unknown, notification: Notification<T>) => void;
  readonly clock: Clock;
}

async function notifyHandler<T extends KubernetesObject>(
  notifications: readonly Notification<T>[],
  { handler, onFailure, clock }: Listening<T>,
  signal: AbortSignal,
): Promise<void> {
  const budget = new YieldBudget(clock);
  for (const notification of notifications) {
    if (notification.details.cause !== "resync" && isUnchanged(notification)) continue;
    signal.throwIfAborted();
    try {
      const answer = callHandler(handler, notification);
      if (answer !== undefined) await budget.pause(answer);
    } catch (error) {
      onFailure(error, notification);
    }
    if (budget.isUsedUp()) await budget.yield();
  }
}
