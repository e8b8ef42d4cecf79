// How one informer may differ from others, and one handler from others.
import type { KubernetesObject } from "../../api/index.ts";
import type { QueueKind } from "../controller/make-queue.ts";
import type { Notification } from "../handler/handlers.ts";
import type { ReflectorOptions } from "../reflector/reflector-options.ts";
import type { MutationDetector } from "../store/cache-mutation-detector.ts";
import type { Indexers, KeyFunction, Transform } from "../store/store.ts";
import type { InformerIdentity } from "./informer-name.ts";

/** Sees every failure of listing and watching, those that are retried at once included. */
export type WatchErrorHandler = NonNullable<ReflectorOptions["onError"]>;

export interface HandlerFailure<T> {
  /** The handler's name. */
  readonly handler: string;
  /** What it was being told. */
  readonly notification: Notification<T>;
}

export interface SharedIndexInformerOptions<T extends KubernetesObject>
  extends Omit<ReflectorOptions, "expectedKind" | "shouldResync" | "onError"> {
  /** In logs and errors. What the source lists unless given. */
  readonly name?: string;
  /** How often handlers that do not say are told again of everything; never unless given, and then no handler can be. */
  readonly resyncMs?: number;
  readonly indexers?: Indexers<T>;
  /** Once for each object that comes in, before anyone sees it. */
  readonly transform?: Transform<T>;
  /** Namespace and name unless given. */
  readonly keyOf?: KeyFunction<T>;
  /** In the stream's order unless given. */
  readonly queue?: QueueKind;
  /** Deep-freeze what is cached, so that whoever changes it finds out. Costs time; for tests. */
  readonly freeze?: boolean;
  /** Looks for those who change what is cached. By KUBE_CACHE_MUTATION_DETECTOR unless given. */
  readonly mutationDetector?: MutationDetector;
  /** Who it is in the metrics. Without one it publishes none of an informer's, only its reflector's. */
  readonly identity?: InformerIdentity;
  readonly onWatchError?: WatchErrorHandler;
  /**
   * The cache refused an object: a key or an index function threw. Nobody hears of it, and what the cache had under its key
   * stays until the next change. It is logged as well.
   */
  readonly onCacheError?: (error: Error) => void;
  /** A handler threw or rejected. It is logged and counted as well, and hears what comes next. */
  readonly onHandlerError?: (error: Error, failure: HandlerFailure<T>) => void;
}

export interface EventHandlerOptions {
  /** In logs and errors. Found out from the handler unless given. */
  readonly name?: string;
  /** How often it is told again of everything; 0 for never. The informer's unless given. At least a second. */
  readonly resyncMs?: number;
  /** When so many things wait for a handler that is slow, they are merged by object. They just wait unless given. */
  readonly maxQueued?: number;
}
