// What all factories can be told. Whatever is not given is left to the informers.
import type { KubernetesObject, Resource } from "../../api/index.ts";
import type { Clock, Log, Metrics, Random } from "../../base/index.ts";
import type { ListWatchScope } from "../reflector/list-watch.ts";
import type { InformerName } from "../shared/informer-name.ts";
import type { SharedIndexInformerOptions } from "../shared/shared-index-informer-options.ts";
import type { Transform } from "../store/store.ts";

export interface InformerFactoryOptions {
  /** How often handlers are told of everything once more; 0, for never, unless given. */
  readonly resyncMs?: number;
  /** The same for single resources; a Map is fine. */
  readonly customResync?: Iterable<readonly [resource: Resource, resyncMs: number]>;
  /** All unless given. Means nothing to what lives in no namespace. */
  readonly namespace?: string;
  /** Selectors and page size, for all resources or for one; called once for each informer. */
  readonly tweak?: (scope: ListWatchScope, resource: Resource) => ListWatchScope;
  /** What caches keep of objects of any kind: `metadata.managedFields` is nothing a controller reads. */
  readonly transform?: Transform<KubernetesObject>;
  /** For the metrics; without it, informers publish none of their own. The factory releases it when it is shut down. */
  readonly informerName?: InformerName;
  /** False when the server behind the client cannot begin a watch with all there is. */
  readonly canWatchList?: boolean;
  /** Deep-freeze what is cached, so that whoever changes it finds out. Costs time; for tests. */
  readonly freeze?: boolean;
  /**
   * Whatever else an informer can be told: error handlers, back-off, the kind of queue, further indexers. Called once for each;
   * what it gives counts before what the factory says.
   */
  readonly informerOptions?: (resource: Resource) => SharedIndexInformerOptions<KubernetesObject>;
  readonly log?: Log;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  readonly random?: Random;
}
