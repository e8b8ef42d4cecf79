// The informers of a factory by resource, with their listers: the implementation behind the public factories.
//
// One key identifies one resource, so the informer under it has that resource's type. The casts for this are only in this file.
import type { KubernetesObject, Resource } from "../../api/index.ts";
import type { Log } from "../../base/index.ts";
import { Lister } from "../lister/lister.ts";
import type { InformerStatus } from "../liveness.ts";
import type { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import type { SyncResult } from "../wait/sync-result.ts";
import { InformerPool } from "./informer-pool.ts";
import { resourceKeyOf } from "./resolve-resource.ts";
import type { AcquiredInformer, ResourceInformer } from "./resource-informer.ts";

type AnyInformer = SharedIndexInformer<KubernetesObject>;

export interface ResourceInformersOptions {
  readonly make: (resource: Resource) => AnyInformer;
  readonly log: Log;
  /** Called when all informers have ended. */
  readonly onEnd: () => void;
}

export class ResourceInformers implements AsyncDisposable {
  readonly #options: ResourceInformersOptions;
  readonly #pool = new InformerPool<AnyInformer>();
  readonly #views = new Map<string, ResourceInformer<KubernetesObject>>();
  readonly #listers = new WeakMap<AnyInformer, Lister<KubernetesObject>>();

  constructor(options: ResourceInformersOptions) {
    this.#options = options;
  }

  has(resource: Resource): boolean {
    return this.#pool.has(resourceKeyOf(resource));
  }

  get statuses(): readonly InformerStatus[] {
    return this.#pool.informers.map(({ status }) => status);
  }

  /** Does not create an informer yet. */
  view<T extends KubernetesObject>(resource: Resource): ResourceInformer<T> {
    const key = resourceKeyOf(resource);
    const view = this.#views.get(key) ?? this.#newView(resource);
    this.#views.set(key, view);
    return view as unknown as ResourceInformer<T>;
  }

  informer<T extends KubernetesObject>(
    resource: Resource,
    make?: () => SharedIndexInformer<T>,
  ): SharedIndexInformer<T> {
    const informer = this.#pool.get(resourceKeyOf(resource), this.#makerFor(resource, make));
    return informer as unknown as SharedIndexInformer<T>;
  }

  acquire<T extends KubernetesObject>(resource: Resource, make?: () => SharedIndexInformer<T>): AcquiredInformer<T> {
    const share = this.#pool.acquire(resourceKeyOf(resource), this.#makerFor(resource, make));
    const { informer } = share;
    const acquired: AcquiredInformer<KubernetesObject> = {
      resource,
      informer,
      lister: this.#lister(resource, informer),
      [Symbol.asyncDispose]: () => share[Symbol.asyncDispose](),
    };
    return acquired as unknown as AcquiredInformer<T>;
  }

  start(signal: AbortSignal): void {
    this.#pool.start(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#ending(this.#pool.run(signal));
  }

  waitForCacheSync(signal: AbortSignal): Promise<SyncResult> {
    return this.#pool.waitForCacheSync(signal);
  }

  async shutdown(): Promise<void> {
    await this.#ending(this.#pool.shutdown());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  #newView(resource: Resource): ResourceInformer<KubernetesObject> {
    const informer = () => this.informer<KubernetesObject>(resource);
    const lister = () => this.#lister(resource, informer());
    return {
      resource,
      get informer() {
        return informer();
      },
      get lister() {
        return lister();
      },
    };
  }

  #lister(resource: Resource, informer: AnyInformer): Lister<KubernetesObject> {
    const lister =
      this.#listers.get(informer) ?? new Lister(informer.getIndexer(), resource, { log: this.#options.log });
    this.#listers.set(informer, lister);
    return lister;
  }

  #makerFor<T extends KubernetesObject>(resource: Resource, make?: () => SharedIndexInformer<T>): () => AnyInformer {
    return (make as (() => AnyInformer) | undefined) ?? (() => this.#options.make(resource));
  }

  async #ending(work: Promise<void>): Promise<void> {
    try {
      await work;
    } finally {
      this.#options.onEnd();
    }
  }
}
