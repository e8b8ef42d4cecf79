// Informers that cache only metadata, of any resource: enough for a garbage collector or quota, at a fraction of the memory.
// They request PartialObjectMetadata; a server that does not support it sends whole objects, and those are cached.
import type { GroupVersionResource, PartialObjectMetadata, Resource } from "../../api/index.ts";
import type { Client } from "../../client/index.ts";
import type { InformerStatus } from "../liveness.ts";
import type { SyncResult } from "../wait/sync-result.ts";
import type { InformerFactoryOptions } from "./factory-options.ts";
import { newResourceInformers } from "./new-resource-informers.ts";
import { resolveResource } from "./resolve-resource.ts";
import type { AcquiredInformer, ResourceInformer } from "./resource-informer.ts";
import type { ResourceInformers } from "./resource-informers.ts";

/** Starting, waiting and stopping work as in SharedInformerFactory. */
export class MetadataSharedInformerFactory implements AsyncDisposable {
  readonly #informers: ResourceInformers;

  constructor(client: Client, options: InformerFactoryOptions = {}) {
    this.#informers = newResourceInformers(client, options, "metadata");
  }

  /** Returns informer and lister. For a resource that is not built in, see DynamicSharedInformerFactory. */
  forResource(place: GroupVersionResource | Resource): ResourceInformer<PartialObjectMetadata> {
    return this.#informers.view(resolveResource(place));
  }

  /** Returns an informer that stops when its last user disposes of it. */
  acquire(place: GroupVersionResource | Resource): AcquiredInformer<PartialObjectMetadata> {
    return this.#informers.acquire(resolveResource(place));
  }

  has(place: GroupVersionResource | Resource): boolean {
    return this.#informers.has(resolveResource(place));
  }

  get statuses(): readonly InformerStatus[] {
    return this.#informers.statuses;
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#informers.run(signal);
  }

  start(signal: AbortSignal): void {
    this.#informers.start(signal);
  }

  async waitForCacheSync(signal: AbortSignal): Promise<SyncResult> {
    return await this.#informers.waitForCacheSync(signal);
  }

  async shutdown(): Promise<void> {
    await this.#informers.shutdown();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }
}
