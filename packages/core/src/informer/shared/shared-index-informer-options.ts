// The options of an informer and of a handler.
import type { KubernetesObject } from "../../api/index.ts";
import type { QueueKind } from "../controller/make-queue.ts";
import type { Notification } from "../handler/handlers.ts";
import type { ReflectorOptions } from "../reflector/reflector-options.ts";
import type { MutationDetector } from "../store/cache-mutation-detector.ts";
import type { Indexers, KeyFunction, Transform } from "../store/store.ts";
import type { DeliveryGate } from "./delivery-gate.ts";
import type { InformerIdentity } from "./informer-name.ts";

/** Called with every failure of a list or watch, including those that are retried immediately. */
export type WatchErrorHandler = NonNullable<ReflectorOptions["onError"]>;

export interface HandlerFailure<T> {
  /** The handler's name. */
  readonly handler: string;
  /** The notification that the handler was called with. */
  readonly notification: Notification<T>;
}

export interface SharedIndexInformerOptions<T extends KubernetesObject>
  extends Omit<ReflectorOptions, "expectedKind" | "shouldResync" | "onError"> {
  /** For logs and errors. Default: what the source lists. */
  readonly name?: string;
  /** The default resync period of handlers. Default: never, and then no handler can have a resync. */
  readonly resyncMs?: number;
  readonly indexers?: Indexers<T>;
  /** Applied once to each incoming object, before it is cached or reported. */
  readonly transform?: Transform<T>;
  /** Default: namespace and name. */
  readonly keyOf?: KeyFunction<T>;
  /** Default: in the stream's order. */
  readonly queue?: QueueKind;
  /** Deep-freeze cached objects, so that code that changes them throws. Costs time; for tests. */
  readonly freeze?: boolean;
  /** Detects changes of cached objects. Default: on if KUBE_CACHE_MUTATION_DETECTOR is true. */
  readonly mutationDetector?: MutationDetector;
  /** The identity in the metrics. Without one, only the reflector's metrics are published. */
  readonly identity?: InformerIdentity;
  /** While it is closed, handlers are not called; the cache goes on. Default: always open. */
  readonly deliveryGate?: DeliveryGate;
  readonly onWatchError?: WatchErrorHandler;
  /**
   * Called if the cache rejected an object because a key or index function threw. No handler receives the change, and the cache keeps the
   * previous state under that key until the next change. It is also logged.
   */
  readonly onCacheError?: (error: Error) => void;
  /** Called if a handler threw or rejected. It is also logged and counted, and the handler gets the next event. */
  readonly onHandlerError?: (error: Error, failure: HandlerFailure<T>) => void;
}

export interface EventHandlerOptions {
  /** For logs and errors. Default: derived from the handler. */
  readonly name?: string;
  /** How often all objects are reported again; 0 for never. At least one second. Default: the informer's period. */
  readonly resyncMs?: number;
  /** Once this many notifications wait, further ones are merged per object. Default: no limit. */
  readonly maxQueued?: number;
}
