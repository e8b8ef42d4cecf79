// The options of all factories. For an option that is not given, the informers' default applies.
import type { KubernetesObject, Resource } from "../../api/index.ts";
import type { Clock, Log, Metrics, Random } from "../../base/index.ts";
import type { ListWatchScope } from "../reflector/list-watch.ts";
import type { DeliveryGate } from "../shared/delivery-gate.ts";
import type { InformerName } from "../shared/informer-name.ts";
import type { SharedIndexInformerOptions } from "../shared/shared-index-informer-options.ts";
import type { Transform } from "../store/store.ts";

export interface InformerFactoryOptions {
  /** How often every object is reported to the handlers again. Default: 0, never. */
  readonly resyncMs?: number;
  /** The same for single resources; a Map works too. */
  readonly customResync?: Iterable<readonly [resource: Resource, resyncMs: number]>;
  /** Default: all namespaces. Ignored for cluster-scoped resources. */
  readonly namespace?: string;
  /** Selectors and page size, for all resources or for one; called once for each informer. */
  readonly tweak?: (scope: ListWatchScope, resource: Resource) => ListWatchScope;
  /** Applied to every object before it is cached, for example to drop `metadata.managedFields`, which controllers do not read. */
  readonly transform?: Transform<KubernetesObject>;
  /** The name in the metrics; without it, informers publish no metrics of their own. The factory releases it on shutdown. */
  readonly informerName?: InformerName;
  /** False if the server behind the client does not support WatchList (a watch that begins with initial events). */
  readonly canWatchList?: boolean;
  /** Deep-freeze cached objects, so that code that changes them throws. Costs time; for tests. */
  readonly freeze?: boolean;
  /** While it is closed, no handler of any informer is called. */
  readonly deliveryGate?: DeliveryGate | undefined;
  /**
   * Further options of an informer: error handlers, backoff, the kind of queue, further indexers. Called once for each
   * informer; its result overrides the factory's options.
   */
  readonly informerOptions?: (resource: Resource) => SharedIndexInformerOptions<KubernetesObject>;
  readonly log?: Log;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  readonly random?: Random;
}
