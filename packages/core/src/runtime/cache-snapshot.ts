// The caches one controller reads: its snapshot, and what its gate looks at. A resource may be watched more than once, in
// different scopes; then it is read from all of them, each object once. Reading where nothing is watched is refused.
import { type KubernetesObject, keyOf, matchesSelector, parseSelector, type Resource, splitKey } from "../api/index.ts";
import { KubeloopError } from "../base/index.ts";
import {
  type Index,
  resourceId,
  type Served,
  type Snapshot,
  type SnapshotListOptions,
  type Watch,
} from "../contract/index.ts";
import { namespaceIndex, type SharedIndexInformer } from "../informer/index.ts";
import { coversNamespace } from "./cache-scope.ts";
import type { ScopedCache } from "./settle-writes.ts";

type AnyInformer = SharedIndexInformer<KubernetesObject>;

interface Cache {
  readonly scopeId: string;
  readonly informer: AnyInformer;
  readonly scoped: ScopedCache;
}

/** Two watches of the same scope read the same cache. */
export function scopeIdOf({ namespace = "", labelSelector = "", fieldSelector = "" }: Watch): string {
  return [namespace, labelSelector, fieldSelector].join(" ");
}

export class ControllerCaches implements Snapshot {
  served: Served | undefined;
  readonly #byResource = new Map<string, Cache[]>();

  add(watch: Watch, informer: AnyInformer, isFollowing: () => boolean): void {
    const caches = this.#byResource.get(resourceId(watch.resource)) ?? [];
    const indexer = informer.getIndexer();
    const { namespace, labelSelector, fieldSelector } = watch;
    const scoped: ScopedCache = {
      scope: { namespace, labelSelector, fieldSelector },
      isFollowing,
      getByKey: (key) => indexer.getByKey(key),
      list: () => indexer.list(),
      get resourceVersion() {
        return indexer.resourceVersion;
      },
    };
    caches.push({ scopeId: scopeIdOf(watch), informer, scoped });
    this.#byResource.set(resourceId(watch.resource), caches);
  }

  remove(watch: Watch): void {
    const id = resourceId(watch.resource);
    const left = this.#byResource.get(id)?.filter(({ scopeId }) => scopeId !== scopeIdOf(watch)) ?? [];
    if (left.length === 0) this.#byResource.delete(id);
    else this.#byResource.set(id, left);
  }

  cachesOf(resource: Resource): readonly ScopedCache[] {
    return this.#byResource.get(resourceId(resource))?.map(({ scoped }) => scoped) ?? [];
  }

  get<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined {
    const { namespace } = splitKey(key);
    for (const { informer } of this.#require(resource, resource.namespaced ? namespace : undefined)) {
      const found = informer.getIndexer().getByKey(key);
      if (found !== undefined) return found as T;
    }
    return undefined;
  }

  list<T extends KubernetesObject>(resource: Resource<T>, options: SnapshotListOptions = {}): readonly T[] {
    const { namespace, selector } = options;
    const namespaces = namespace === undefined ? options.namespaces : [namespace];
    const found =
      namespaces === undefined
        ? this.#fromAll<T>(this.#require(resource), ({ informer }) => informer.getIndexer().list())
        : [...new Set(namespaces)].flatMap((name) => this.#listIn<T>(resource, name));
    if (selector === undefined) return found;
    const wanted = typeof selector === "string" ? parseSelector(selector) : selector;
    return found.filter(({ metadata }) => matchesSelector(wanted, metadata.labels));
  }

  #listIn<T>(resource: Resource, namespace: string): readonly T[] {
    return this.#fromAll<T>(this.#require(resource, namespace), ({ informer }) => {
      const indexer = informer.getIndexer();
      if (Object.hasOwn(indexer.getIndexers(), namespaceIndex)) return indexer.byIndex(namespaceIndex, namespace);
      return indexer.list().filter(({ metadata }) => metadata.namespace === namespace);
    });
  }

  byIndex<T extends KubernetesObject>(index: Index<T>, value: string): readonly T[] {
    return this.#fromAll<T>(this.#require(index.resource), ({ informer }) =>
      informer.getIndexer().byIndex(index.name, value),
    );
  }

  #fromAll<T>([first, ...others]: readonly Cache[], read: (cache: Cache) => readonly KubernetesObject[]): readonly T[] {
    if (first === undefined) return [];
    if (others.length === 0) return read(first) as unknown as readonly T[];
    const byKey = new Map([first, ...others].flatMap(read).map((object) => [keyOf(object), object]));
    return [...byKey.values()] as unknown as readonly T[];
  }

  #require(resource: Resource, namespace?: string): readonly Cache[] {
    const caches = this.#byResource.get(resourceId(resource)) ?? [];
    const covering =
      namespace === undefined ? caches : caches.filter(({ scoped }) => coversNamespace(scoped.scope, namespace));
    if (covering.length > 0) return covering;
    const where = caches.length === 0 ? "" : ` in namespace ${namespace}`;
    const message = `${resource.plural} are read but not watched${where}: watch them, or read them live`;
    throw new KubeloopError(message, { reason: "NotWatched", retry: "never" });
  }
}
