// Informers for resources known only by group, version and resource, as discovery or a flag names them. Objects are untyped.
// A built-in resource is treated like itself; for any other, the kind is whatever the server sends.
import type { GroupVersionResource, KubernetesObject, Resource } from "../../api/index.ts";
import type { Client } from "../../client/index.ts";
import type { InformerStatus } from "../liveness.ts";
import type { SyncResult } from "../wait/sync-result.ts";
import type { InformerFactoryOptions } from "./factory-options.ts";
import { newResourceInformers } from "./new-resource-informers.ts";
import { resolveResource } from "./resolve-resource.ts";
import type { AcquiredInformer, ResourceInformer } from "./resource-informer.ts";
import type { ResourceInformers } from "./resource-informers.ts";

/** Starting, waiting and stopping work as in SharedInformerFactory. */
export class DynamicSharedInformerFactory implements AsyncDisposable {
  readonly #informers: ResourceInformers;

  constructor(client: Client, options: InformerFactoryOptions = {}) {
    this.#informers = newResourceInformers(client, options, "full");
  }

  /**
   * Returns informer and lister. In a factory for one namespace, a resource that is not built in is assumed to be
   * namespaced; pass a Resource from discovery if that is wrong.
   */
  forResource(place: GroupVersionResource | Resource): ResourceInformer<KubernetesObject> {
    return this.#informers.view(resolveResource(place));
  }

  /** Returns an informer that stops when its last user disposes of it: for kinds that come and go. */
  acquire(place: GroupVersionResource | Resource): AcquiredInformer<KubernetesObject> {
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
