// One informer for each resource, shared by all that ask: controllers that read the same pods watch them once.
//
//   const factory = new SharedInformerFactory(client, { resyncMs: 0 });
//   const { informer, lister } = factory.core.v1.pods;
//   informer.addEventHandler({ onAdd: (pod) => queue.add(keyOf(pod)) });
//   const running = factory.run(signal);
//   await factory.waitForCacheSync(signal);
//   lister.namespace("default").list("app=web");
//   await running;
//
// Every built-in resource that can be watched is here under client-go's name for it; `of` and `informerFor` take any other:
// `defineResource`'s, discovery's, `kubeloop generate`'s.
//
// Promises: nothing goes to the server before `run` or `start`, and then only for what was asked for. `run` also starts what
// is asked for later, as it is asked for; it ends when the signal aborts and everything has ended, and the factory with it.
// `start`, as in client-go, starts what has been asked for by then; call it again for later ones. `acquire` is for informers
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
  readonly #client: Client;
  readonly #informers: ResourceInformers;

  constructor(client: Client, options: InformerFactoryOptions = {}) {
    this.#client = client;
    this.#informers = newResourceInformers(client, options, "full");
  }

  /** Informer and lister of any resource. */
  of<T extends KubernetesObject>(resource: Resource<T>): ResourceInformer<T> {
    return this.#informers.view<T>(resource);
  }

  /** The informer of any resource; `make` makes it, if nobody has asked for it before. */
  informerFor<T extends KubernetesObject>(
    resource: Resource<T>,
    make?: (client: Client) => SharedIndexInformer<T>,
  ): SharedIndexInformer<T> {
    return this.#informers.informer<T>(resource, make === undefined ? undefined : () => make(this.#client));
  }

  /** A built-in resource by where it is served. Throws for others: of those the kind is not known. */
  forResource(place: GroupVersionResource): ResourceInformer<KubernetesObject> {
    const resource = findResource(place);
    if (resource === undefined) {
      const message = `no informer found for ${printGroupVersionResource(place)}`;
      throw new KubeloopError(message, { reason: "NotFound", retry: "never" });
    }
    return this.#informers.view(resource);
  }

  /** An informer for a while: `await using pods = factory.acquire(podResource)`. Its last user's leaving stops it. */
  acquire<T extends KubernetesObject>(resource: Resource<T>): AcquiredInformer<T> {
    return this.#informers.acquire<T>(resource);
  }

  /** Whether someone has asked for the resource's informer. */
  has(resource: Resource): boolean {
    return this.#informers.has(resource);
  }

  /** How each informer is doing. */
  get statuses(): readonly InformerStatus[] {
    return this.#informers.statuses;
  }

  /** Ends when the signal aborts and everything has ended; the factory is shut down then. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#informers.run(signal);
  }

  /** Starts what has been asked for and not been started, until the signal aborts. Throws after a shutdown. */
  start(signal: AbortSignal): void {
    this.#informers.start(signal);
  }

  /**
   * Resolves when all informers that were started have synced; throws a CacheSyncError that says of each other one since when
   * it tries, and why it gets nowhere.
   */
  async waitForCacheSync(signal: AbortSignal): Promise<SyncResult> {
    return await this.#informers.waitForCacheSync(signal);
  }

  /** Stops everything and waits for it. Caches can be read afterwards; nothing can be started. */
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
