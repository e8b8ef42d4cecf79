// One shared informer per resource: controllers that read the same pods share one watch and one cache.
//
//   const factory = new SharedInformerFactory(client, { resyncMs: 0 });
//   const { informer, lister } = factory.core.v1.pods;
//   informer.addEventHandler({ onAdd: (pod) => queue.add(keyOf(pod)) });
//   const running = factory.run(signal);
//   await factory.waitForCacheSync(signal);
//   lister.namespace("default").list("app=web");
//   await running;
//
// Every built-in resource that can be watched has a property, with client-go's name. `of` and `informerFor` take any other Resource:
// from `defineResource`, discovery or `kubeloop generate`.
//
// Promises: no request is sent before `run` or `start`, and then only for requested informers. `run` also starts informers
// that are requested later; it ends, and shuts the factory down, when the signal has aborted and everything has ended.
// `start`, as in client-go, starts the informers requested until then; call it again for later ones. `acquire` is for informers
// that may stop before the factory does.
import {
  findResource,
  type GroupVersionResource,
  type KubernetesObject,
  printGroupVersionResource,
  type Resource,
} from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";
import type { Client } from "../../client/index.ts";
import type { InformerStatus } from "../liveness.ts";
import type { DeliveryGate } from "../shared/delivery-gate.ts";
import type { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import type { SyncResult } from "../wait/sync-result.ts";
import type { InformerFactoryOptions } from "./factory-options.ts";
import { type GroupInformers, type GroupName, groupInformers, type InformersByGroup } from "./informers-by-group.ts";
import { newResourceInformers } from "./new-resource-informers.ts";
import type { AcquiredInformer, ResourceInformer } from "./resource-informer.ts";
import type { ResourceInformers } from "./resource-informers.ts";

export class SharedInformerFactory implements InformersByGroup, AsyncDisposable {
  readonly admissionregistration: GroupInformers<"admissionregistration"> = this.#group("admissionregistration");
  readonly apiextensions: GroupInformers<"apiextensions"> = this.#group("apiextensions");
  readonly apiregistration: GroupInformers<"apiregistration"> = this.#group("apiregistration");
  readonly apps: GroupInformers<"apps"> = this.#group("apps");
  readonly autoscaling: GroupInformers<"autoscaling"> = this.#group("autoscaling");
  readonly batch: GroupInformers<"batch"> = this.#group("batch");
  readonly certificates: GroupInformers<"certificates"> = this.#group("certificates");
  readonly coordination: GroupInformers<"coordination"> = this.#group("coordination");
  readonly core: GroupInformers<"core"> = this.#group("core");
  readonly discovery: GroupInformers<"discovery"> = this.#group("discovery");
  readonly events: GroupInformers<"events"> = this.#group("events");
  readonly flowcontrol: GroupInformers<"flowcontrol"> = this.#group("flowcontrol");
  readonly internal: GroupInformers<"internal"> = this.#group("internal");
  readonly networking: GroupInformers<"networking"> = this.#group("networking");
  readonly node: GroupInformers<"node"> = this.#group("node");
  readonly policy: GroupInformers<"policy"> = this.#group("policy");
  readonly rbac: GroupInformers<"rbac"> = this.#group("rbac");
  readonly resource: GroupInformers<"resource"> = this.#group("resource");
  readonly scheduling: GroupInformers<"scheduling"> = this.#group("scheduling");
  readonly storage: GroupInformers<"storage"> = this.#group("storage");
  readonly storagemigration: GroupInformers<"storagemigration"> = this.#group("storagemigration");
  /** For informers that stand beside those of the factory. */
  readonly deliveryGate: DeliveryGate | undefined;
  readonly #client: Client;
  readonly #informers: ResourceInformers;

  constructor(client: Client, options: InformerFactoryOptions = {}) {
    this.deliveryGate = options.deliveryGate;
    this.#client = client;
    this.#informers = newResourceInformers(client, options, "full");
  }

  /** Returns informer and lister of any resource. */
  of<T extends KubernetesObject>(resource: Resource<T>): ResourceInformer<T> {
    return this.#informers.view<T>(resource);
  }

  /** Returns the informer of any resource; `make` creates it on the first request. */
  informerFor<T extends KubernetesObject>(
    resource: Resource<T>,
    make?: (client: Client) => SharedIndexInformer<T>,
  ): SharedIndexInformer<T> {
    return this.#informers.informer<T>(resource, make === undefined ? undefined : () => make(this.#client));
  }

  /** Returns informer and lister of a built-in resource. Throws for others, because their kind is not known. */
  forResource(place: GroupVersionResource): ResourceInformer<KubernetesObject> {
    const resource = findResource(place);
    if (resource === undefined) {
      const message = `no informer found for ${printGroupVersionResource(place)}`;
      throw new KubeloopError(message, { reason: "NotFound", retry: "never" });
    }
    return this.#informers.view(resource);
  }

  /** Returns an informer for temporary use: `await using pods = factory.acquire(podResource)`. It stops when its last user disposes of it. */
  acquire<T extends KubernetesObject>(resource: Resource<T>): AcquiredInformer<T> {
    return this.#informers.acquire<T>(resource);
  }

  /** Whether the resource's informer was requested. */
  has(resource: Resource): boolean {
    return this.#informers.has(resource);
  }

  /** The status of each informer. */
  get statuses(): readonly InformerStatus[] {
    return this.#informers.statuses;
  }

  /** Ends when the signal has aborted and everything has ended; then the factory is shut down. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#informers.run(signal);
  }

  /** Starts the requested informers that are not started yet, until the signal aborts. Throws after a shutdown. */
  start(signal: AbortSignal): void {
    this.#informers.start(signal);
  }

  /**
   * Resolves when all started informers have synced. Throws a CacheSyncError that says for each other informer since when
   * it has tried, and why it failed.
   */
  async waitForCacheSync(signal: AbortSignal): Promise<SyncResult> {
    return await this.#informers.waitForCacheSync(signal);
  }

  /** Stops everything and waits for it. Caches can still be read afterwards; nothing can be started. */
  async shutdown(): Promise<void> {
    await this.#informers.shutdown();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  #group<G extends GroupName>(name: G): GroupInformers<G> {
    return groupInformers(name, (resource) => this.#informers.view(resource));
  }
}
