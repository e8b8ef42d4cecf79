// The caches that one controller reads. They are its snapshot, and its read-your-writes gate checks them. A resource may be watched more than
// once, in different scopes; then a read returns the objects of all these caches, each object once.
//
// Promises: reading a resource that is not watched throws. Reading a cache that has not synced throws a StaleReadError, and the driver
// requeues the key, because an unsynced cache must not be mistaken for an empty one. Only mappings and models, which are called while caches
// sync, read unsynced caches (`partial`). The cost of a read does not depend on how many caches the controller has.
import { type KubernetesObject, keyOf, matchesSelector, parseSelector, type Resource, splitKey } from "../api/index.ts";
import { KubeloopError } from "../base/index.ts";
import { resourceId, type SnapshotListOptions } from "../contract/for-drivers.ts";
import type { Index, Served, Snapshot, Watch } from "../contract/index.ts";
import { namespaceIndex, type SharedIndexInformer } from "../informer/index.ts";
import { coversNamespace } from "./cache-scope.ts";
import type { ScopedCache } from "./settle-writes.ts";
import { StaleReadError } from "./stale-read-error.ts";

type AnyInformer = SharedIndexInformer<KubernetesObject>;

interface Cache {
  readonly informer: AnyInformer;
  readonly scoped: ScopedCache;
  hasSynced: boolean;
}

/** Two watches of the same scope read the same cache. */
export function scopeIdOf({ namespace = "", labelSelector = "", fieldSelector = "" }: Watch): string {
  return [namespace, labelSelector, fieldSelector].join(" ");
}

export class ControllerCaches implements Snapshot {
  served: Served | undefined;
  /** The same caches, readable also while they are still syncing. */
  readonly partial: Snapshot;
  /** Set when `partial` has read a cache that has not synced. */
  hasReadUnsynced = false;
  readonly #byId = new Map<string, readonly Cache[]>();
  /** Filled from `#byId`. Callers mostly pass the same Resource objects, and a lookup by object does not have to build a string. */
  readonly #byResource = new Map<Resource, readonly Cache[]>();
  readonly #scoped = new Map<Resource, readonly ScopedCache[]>();

  constructor() {
    const caches = this;
    this.partial = {
      get served() {
        return caches.served;
      },
      get: (resource, key) => this.#get(resource, key, false),
      list: (resource, options) => this.#list(resource, options ?? {}, false),
      byIndex: (index, value) => this.#byIndex(index, value, false),
    };
  }

  add(watch: Watch, informer: AnyInformer, isFollowing: () => boolean): void {
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
    const cache = { informer, scoped, hasSynced: false };
    this.#set(watch.resource, [...(this.#byId.get(resourceId(watch.resource)) ?? []), cache]);
  }

  /** Removes only the cache of this informer, because another informer with the same scope may have replaced it already. */
  remove(resource: Resource, informer: AnyInformer): void {
    const caches = this.#byId.get(resourceId(resource)) ?? [];
    this.#set(
      resource,
      caches.filter((cache) => cache.informer !== informer),
    );
  }

  /** Returns an empty list for a resource that is not watched. */
  cachesOf(resource: Resource): readonly ScopedCache[] {
    const known = this.#scoped.get(resource);
    if (known !== undefined) return known;
    const caches = this.#of(resource).map(({ scoped }) => scoped);
    if (caches.length > 0) this.#scoped.set(resource, caches);
    return caches;
  }

  get<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined {
    return this.#get(resource, key, true);
  }

  list<T extends KubernetesObject>(resource: Resource<T>, options: SnapshotListOptions = {}): readonly T[] {
    return this.#list(resource, options, true);
  }

  byIndex<T extends KubernetesObject>(index: Index<T>, value: string): readonly T[] {
    return this.#byIndex(index, value, true);
  }

  #get<T extends KubernetesObject>(resource: Resource<T>, key: string, mustBeSynced: boolean): T | undefined {
    const all = this.#of(resource);
    const [only] = all;
    if (only !== undefined && all.length === 1 && only.scoped.scope.namespace === undefined) {
      this.#check(only, resource, mustBeSynced);
      return only.informer.getIndexer().getByKey(key) as T | undefined;
    }
    const namespace = resource.namespaced ? splitKey(key).namespace : undefined;
    for (const cache of this.#require(resource, namespace, mustBeSynced)) {
      const found = cache.informer.getIndexer().getByKey(key);
      if (found !== undefined) return found as T;
    }
    return undefined;
  }

  #list<T extends KubernetesObject>(
    resource: Resource<T>,
    options: SnapshotListOptions,
    mustBeSynced: boolean,
  ): readonly T[] {
    const { namespace, selector } = options;
    const namespaces = namespace === undefined ? options.namespaces : [namespace];
    const found =
      namespaces === undefined
        ? readAll<T>(this.#require(resource, undefined, mustBeSynced), ({ informer }) => informer.getIndexer().list())
        : [...new Set(namespaces)].flatMap((name) =>
            readAll<T>(this.#require(resource, name, mustBeSynced), (cache) => listIn(cache, name)),
          );
    if (selector === undefined) return found;
    const wanted = typeof selector === "string" ? parseSelector(selector) : selector;
    return found.filter(({ metadata }) => matchesSelector(wanted, metadata.labels));
  }

  #byIndex<T extends KubernetesObject>({ resource, name }: Index<T>, value: string, mustBeSynced: boolean) {
    const caches = this.#require(resource, undefined, mustBeSynced);
    return readAll<T>(caches, ({ informer }) => informer.getIndexer().byIndex(name, value));
  }

  #require(resource: Resource, namespace: string | undefined, mustBeSynced: boolean): readonly Cache[] {
    const caches = this.#of(resource);
    const covering =
      namespace === undefined ? caches : caches.filter(({ scoped }) => coversNamespace(scoped.scope, namespace));
    if (covering.length === 0) throw newNotWatched(resource, caches.length === 0 ? undefined : namespace);
    for (const cache of covering) this.#check(cache, resource, mustBeSynced);
    return covering;
  }

  #check(cache: Cache, resource: Resource, mustBeSynced: boolean): void {
    if (cache.hasSynced) return;
    cache.hasSynced = cache.informer.hasSynced();
    if (cache.hasSynced) return;
    if (!mustBeSynced) this.hasReadUnsynced = true;
    else throw new StaleReadError(resource.plural, "their cache has not synced yet");
  }

  #of(resource: Resource): readonly Cache[] {
    const known = this.#byResource.get(resource);
    if (known !== undefined) return known;
    const caches = this.#byId.get(resourceId(resource)) ?? [];
    if (caches.length > 0) this.#byResource.set(resource, caches);
    return caches;
  }

  #set(resource: Resource, caches: readonly Cache[]): void {
    if (caches.length === 0) this.#byId.delete(resourceId(resource));
    else this.#byId.set(resourceId(resource), caches);
    this.#byResource.clear();
    this.#scoped.clear();
  }
}

function listIn({ informer }: Cache, namespace: string): readonly KubernetesObject[] {
  const indexer = informer.getIndexer();
  if (Object.hasOwn(indexer.getIndexers(), namespaceIndex)) return indexer.byIndex(namespaceIndex, namespace);
  return indexer.list().filter(({ metadata }) => metadata.namespace === namespace);
}

function readAll<T>(caches: readonly Cache[], read: (cache: Cache) => readonly KubernetesObject[]): readonly T[] {
  const [first, ...others] = caches;
  if (first === undefined) return [];
  if (others.length === 0) return read(first) as unknown as readonly T[];
  const byKey = new Map(caches.flatMap(read).map((object) => [keyOf(object), object]));
  return [...byKey.values()] as unknown as readonly T[];
}

function newNotWatched({ plural }: Resource, namespace: string | undefined): KubeloopError {
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  const message = `${plural} are read but not watched${where}: watch them, or read them live`;
  return new KubeloopError(message, { reason: "NotWatched", retry: "never" });
}
