// Informers for resources of which only the place is known, as discovery or a flag names them: objects of any kind, plain.
// A place that is a built-in resource is treated as that one; of any other, kind and scope are what the server says.
import type { GroupVersionResource, KubernetesObject, Resource } from "../../api/index.ts";
import type { Client } from "../../client/index.ts";
import type { InformerStatus } from "../liveness.ts";
import type { SyncResult } from "../wait/sync-result.ts";
import type { InformerFactoryOptions } from "./factory-options.ts";
import { newResourceInformers } from "./new-resource-informers.ts";
import type { AcquiredInformer, ResourceInformer } from "./resource-informer.ts";
import type { ResourceInformers } from "./resource-informers.ts";
import { resourceAt } from "./resource-place.ts";

/** Starting, waiting and ending are as in SharedInformerFactory. */
export class DynamicSharedInformerFactory implements AsyncDisposable {
  readonly #informers: ResourceInformers;

  constructor(client: Client, options: InformerFactoryOptions = {}) {
    this.#informers = newResourceInformers(client, options, "full");
  }

  /**
   * Informer and lister. In a factory of one namespace, a place that is no built-in resource is taken for one with
   * namespaces; a Resource, as discovery gives it, knows better.
   */
  forResource(place: GroupVersionResource | Resource): ResourceInformer<KubernetesObject> {
    return this.#informers.view(resourceAt(place));
  }

  /** For a while: its last user's leaving stops it, as is right for kinds that come and go. */
  acquire(place: GroupVersionResource | Resource): AcquiredInformer<KubernetesObject> {
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
