// For those who look at every resource there is and need only its metadata: the garbage collector, quota. Where someone else
// has asked for whole objects of a resource, they share that informer; of all others only metadata is cached.
//
// Whichever informer a resource has got first is the one it keeps here, so that lister and handlers belong together. Upstream
// takes whole objects for every built-in resource, needed or not; `wantsObjects` says so where that is wanted.
import type { GroupVersionResource, KubernetesObject, PartialObjectMetadata, Resource } from "../../api/index.ts";
import type { MetadataSharedInformerFactory } from "./metadata-shared-informer-factory.ts";
import type { AcquiredInformer, ResourceInformer } from "./resource-informer.ts";
import { resourceAt } from "./resource-place.ts";
import type { SharedInformerFactory } from "./shared-informer-factory.ts";

export interface ObjectOrMetadataOptions {
  /** Resources whose whole objects are cached although nobody has asked for them yet; none unless given. */
  readonly wantsObjects?: (resource: Resource) => boolean;
}

/** Over two factories that others own: whoever made those waits for them and ends them. */
export class ObjectOrMetadataInformerFactory {
  readonly #objects: SharedInformerFactory;
  readonly #metadata: MetadataSharedInformerFactory;
  readonly #options: ObjectOrMetadataOptions;

  constructor(
    objects: SharedInformerFactory,
    metadata: MetadataSharedInformerFactory,
    options: ObjectOrMetadataOptions = {},
  ) {
    this.#objects = objects;
    this.#metadata = metadata;
    this.#options = options;
  }

  /** Of what it caches, look at `metadata` only: the rest, kind included, may be there or not. */
  forResource(place: GroupVersionResource | Resource): ResourceInformer<KubernetesObject> {
    const resource = resourceAt(place);
    return this.#hasObjects(resource) ? this.#objects.of(resource) : asObjects(this.#metadata.forResource(resource));
  }

  /** For a while: its last user's leaving stops it. */
  acquire(place: GroupVersionResource | Resource): AcquiredInformer<KubernetesObject> {
    const resource = resourceAt(place);
    return this.#hasObjects(resource) ? this.#objects.acquire(resource) : asObjects(this.#metadata.acquire(resource));
  }

  /** Starts what has been asked for of both. */
  start(signal: AbortSignal): void {
    this.#objects.start(signal);
    this.#metadata.start(signal);
  }

  #hasObjects(resource: Resource): boolean {
    if (this.#metadata.has(resource)) return false;
    return this.#objects.has(resource) || this.#options.wantsObjects?.(resource) === true;
  }
}

/** Metadata alone is an object, too; only the compiler, which sees that informers take objects in as well, cannot tell. */
function asObjects<R extends ResourceInformer<KubernetesObject>>(
  informer: Omit<R, "resource" | "informer" | "lister"> & ResourceInformer<PartialObjectMetadata>,
): R {
  return informer as unknown as R;
}
