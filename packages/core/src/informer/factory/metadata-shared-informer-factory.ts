// Informers that cache metadata only, of any resource: what a garbage collector or a quota needs, at a fraction of the memory.
// The server is asked for PartialObjectMetadata; one that cannot do that sends whole objects, and those are kept.
import type { GroupVersionResource, PartialObjectMetadata, Resource } from "../../api/index.ts";
import type { Client } from "../../client/index.ts";
import type { InformerStatus } from "../liveness.ts";
import type { SyncResult } from "../wait/sync-result.ts";
import type { InformerFactoryOptions } from "./factory-options.ts";
import { newResourceInformers } from "./new-resource-informers.ts";
import type { AcquiredInformer, ResourceInformer } from "./resource-informer.ts";
import type { ResourceInformers } from "./resource-informers.ts";
import { resourceAt } from "./resource-place.ts";

/** Starting, waiting and ending are as in SharedInformerFactory. */
export class MetadataSharedInformerFactory implements AsyncDisposable {
  readonly #informers: ResourceInformers;

  constructor(client: Client, options: InformerFactoryOptions = {}) {
    this.#informers = newResourceInformers(client, options, "metadata");
  }

  /** Informer and lister; of a place that is no built-in resource as in DynamicSharedInformerFactory. */
  forResource(place: GroupVersionResource | Resource): ResourceInformer<PartialObjectMetadata> {
    return this.#informers.view(resourceAt(place));
  }

  /** For a while: its last user's leaving stops it. */
  acquire(place: GroupVersionResource | Resource): AcquiredInformer<PartialObjectMetadata> {
    return this.#informers.acquire(resourceAt(place));
  }

  has(place: GroupVersionResource | Resource): boolean {
    return this.#informers.has(resourceAt(place));
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
