// One resource of a factory: its informer, and the lister that reads that informer's cache. Neither is made before it is
// asked for, so a factory offers every resource there is and watches only those that someone wants.
import type { KubernetesObject, Resource } from "../../api/index.ts";
import type { Lister } from "../lister/lister.ts";
import type { SharedIndexInformer } from "../shared/shared-index-informer.ts";

export interface ResourceInformer<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  /** The one that all users of the factory share. Asking for it keeps it for as long as the factory lives. */
  readonly informer: SharedIndexInformer<T>;
  /** Reads that informer's cache, so it asks for the informer, too. */
  readonly lister: Lister<T>;
}

/** An informer that is needed for a while. When its last user disposes of it, it is stopped. */
export interface AcquiredInformer<T extends KubernetesObject> extends ResourceInformer<T>, AsyncDisposable {}
