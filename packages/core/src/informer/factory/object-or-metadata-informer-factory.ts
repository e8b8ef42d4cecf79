// For controllers that read every resource and need only its metadata: the garbage collector, quota. If whole objects of
// a resource are already requested elsewhere, that informer is shared; for all other resources only metadata is cached.
//
// The first choice for a resource is kept here, so that lister and handlers use the same informer. Upstream
// caches whole objects of every built-in resource, needed or not; `wantsObjects` does the same for chosen resources.
import type { GroupVersionResource, KubernetesObject, PartialObjectMetadata, Resource } from "../../api/index.ts";
import type { MetadataSharedInformerFactory } from "./metadata-shared-informer-factory.ts";
import { resolveResource } from "./resolve-resource.ts";
import type { AcquiredInformer, ResourceInformer } from "./resource-informer.ts";
import type { SharedInformerFactory } from "./shared-informer-factory.ts";

export interface ObjectOrMetadataOptions {
  /** Resources whose whole objects are cached although nobody has requested them yet. Default: none. */
  readonly wantsObjects?: (resource: Resource) => boolean;
}

/** Uses two factories that it does not own: their owner waits for them and stops them. */
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

  /** Read only `metadata` of its objects: other fields, including kind, may be missing. */
  forResource(place: GroupVersionResource | Resource): ResourceInformer<KubernetesObject> {
    const resource = resolveResource(place);
    return this.#hasObjects(resource) ? this.#objects.of(resource) : asObjects(this.#metadata.forResource(resource));
  }

  /** Returns an informer that stops when its last user disposes of it. */
  acquire(place: GroupVersionResource | Resource): AcquiredInformer<KubernetesObject> {
    const resource = resolveResource(place);
    return this.#hasObjects(resource) ? this.#objects.acquire(resource) : asObjects(this.#metadata.acquire(resource));
  }

  /** Starts the requested informers of both factories. */
  start(signal: AbortSignal): void {
    this.#objects.start(signal);
    this.#metadata.start(signal);
  }

  #hasObjects(resource: Resource): boolean {
    if (this.#metadata.has(resource)) return false;
    return this.#objects.has(resource) || this.#options.wantsObjects?.(resource) === true;
  }
}

/** Metadata alone is a valid object too, but the compiler cannot see that, because informers also take objects as input. */
function asObjects<R extends ResourceInformer<KubernetesObject>>(
  informer: Omit<R, "resource" | "informer" | "lister"> & ResourceInformer<PartialObjectMetadata>,
): R {
  return informer as unknown as R;
}
