// One resource of a factory: its informer, and the lister that reads that informer's cache. Both are created on first
// access, so a factory offers every resource and watches only the requested ones.
import type { KubernetesObject, Resource } from "../../api/index.ts";
import type { Lister } from "../lister/lister.ts";
import type { SharedIndexInformer } from "../shared/shared-index-informer.ts";

export interface ResourceInformer<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  /** The informer that all users of the factory share. Reading this property keeps it until the factory is shut down. */
  readonly informer: SharedIndexInformer<T>;
  /** Reads that informer's cache; reading this property requests the informer too. */
  readonly lister: Lister<T>;
}

/** An informer for temporary use. It stops when its last user disposes of it. */
export interface AcquiredInformer<T extends KubernetesObject> extends ResourceInformer<T>, AsyncDisposable {}
