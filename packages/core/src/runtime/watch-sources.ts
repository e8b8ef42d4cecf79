// The informers behind a controller's watches: acquired from the process's factories where a watch looks at all of a resource, and
// shared with whoever looks at the same part where it has a scope. `follow` may be called again with another list, as discovery changes: what is new is opened, what
// is no longer wanted let go.
//
// Handlers are told one change after the other, after the cache has it. Nothing here knows what a change means. Who wants to be told
// again so often is told from here: an informer that others have started would never do it.
import type { KubernetesObject, Resource } from "../api/index.ts";
import {
  type Clock,
  childSignal,
  type Log,
  type Metrics,
  noMetrics,
  type TaskScope,
  untilAborted,
} from "../base/index.ts";
import type { Client } from "../client/index.ts";
import { type Change, type Index, resourceId, type Watch } from "../contract/index.ts";
import {
  type EventDetails,
  isFinalStateUnknown,
  type MetadataSharedInformerFactory,
  namespaceIndexers,
  newListWatchFromClient,
  newMetadataListWatchFromClient,
  ObjectOrMetadataInformerFactory,
  type ResourceEventHandlerRegistration,
  SharedIndexInformer,
  type SharedInformerFactory,
  type Syncing,
} from "../informer/index.ts";
import { type ControllerCaches, scopeIdOf } from "./cache-snapshot.ts";
import { scopedInformersOf } from "./scoped-informers.ts";

export interface WatchSourceOptions {
  readonly client: Client;
  /** Others run them: a process has one set of caches. */
  readonly informers: SharedInformerFactory;
  /** For watches of metadata; whole objects are cached unless given. */
  readonly metadata?: MetadataSharedInformerFactory | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Deep-freeze what is cached for watches of part of a resource; for tests. Factories have such an option of their own. */
  readonly freeze?: boolean | undefined;
}

export interface ChangeListener {
  changed(change: Change, watches: readonly Watch[]): void;
  /** Deleted, and nobody knows what it was. */
  vanished(key: string, watches: readonly Watch[]): void;
}

/** A source that does not show what the server has, and what keeps it from doing so. */
export interface UnsyncedSource {
  readonly name: string;
  readonly reason: string;
}

type AnyInformer = SharedIndexInformer<KubernetesObject>;

interface Source {
  readonly watches: readonly Watch[];
  readonly informer: AnyInformer;
  readonly registration: ResourceEventHandlerRegistration;
  release(): Promise<void>;
}

export class WatchSources {
  readonly #options: WatchSourceOptions;
  readonly #caches: ControllerCaches;
  readonly #indexes: readonly Index[];
  readonly #listener: ChangeListener;
  readonly #controller: string;
  readonly #shared: ObjectOrMetadataInformerFactory | undefined;
  readonly #sources = new Map<string, Source>();

  constructor(
    options: WatchSourceOptions,
    parts: {
      readonly controller: string;
      readonly caches: ControllerCaches;
      readonly indexes: readonly Index[];
      readonly listener: ChangeListener;
    },
  ) {
    this.#options = options;
    this.#caches = parts.caches;
    this.#indexes = parts.indexes;
    this.#listener = parts.listener;
    this.#controller = parts.controller;
    const { informers, metadata } = options;
    this.#shared = metadata === undefined ? undefined : new ObjectOrMetadataInformerFactory(informers, metadata);
  }

  /** What handlers have to have heard of before work may begin. */
  get syncing(): readonly Syncing[] {
    return [...this.#sources.values()].map(({ informer, registration }) => ({
      name: registration.name,
      hasSynced: () => registration.hasSynced(),
      whenSynced: (signal: AbortSignal) => registration.whenSynced(signal),
      get status() {
        return informer.status;
      },
    }));
  }

  /** Sources not filled yet, and those that were and hear nothing any more. */
  unsynced(): readonly UnsyncedSource[] {
    return [...this.#sources.values()].flatMap((source) => {
      const reason = findFault(source);
      return reason === undefined ? [] : [{ name: source.registration.name, reason }];
    });
  }

  get resources(): readonly Resource[] {
    return [...this.#sources.values()].flatMap(({ watches }) => watches.slice(0, 1).map(({ resource }) => resource));
  }

  /** Watches these, and lets go of others unless they are to be kept. */
  async follow(
    watches: readonly Watch[],
    options: { readonly isKept: (resource: Resource) => boolean; readonly scope: TaskScope },
  ): Promise<void> {
    const wanted = new Map<string, Watch[]>();
    for (const watch of watches) {
      const id = `${resourceId(watch.resource)} ${scopeIdOf(watch)}`;
      wanted.set(id, [...(wanted.get(id) ?? []), watch]);
    }
    for (const [id, group] of wanted)
      if (!this.#sources.has(id)) this.#sources.set(id, this.#open(group, options.scope));
    const gone = [...this.#sources].filter(
      ([id, { watches: its }]) => !wanted.has(id) && !its.some(({ resource }) => options.isKept(resource)),
    );
    for (const [id] of gone) this.#sources.delete(id);
    await Promise.all(gone.map(([, source]) => source.release()));
  }

  /** Lets go of all. */
  async close(): Promise<void> {
    const all = [...this.#sources.values()];
    this.#sources.clear();
    await Promise.all(all.map((source) => source.release()));
  }

  #open(watches: readonly Watch[], scope: TaskScope): Source {
    const [watch] = watches;
    if (watch === undefined) throw new Error("a source without a watch");
    const { informer, letGo } = this.#acquire(watches, watch, scope);
    this.#addIndexes(watch.resource, informer);
    let isOpen = true;
    this.#caches.add(watch, informer, () => isOpen && !informer.isStopped());
    const registration = informer.addEventHandler(this.#handlerOf(watches, watch.resource), {
      name: `${this.#controller} ${watch.resource.plural}`,
    });
    const resyncing = childSignal(scope.signal);
    const resyncs = watches
      .filter(({ resyncMs = 0 }) => resyncMs > 0)
      .map((each) => scope.spawn(() => this.#resync(each, informer, resyncing.signal)));
    return {
      watches,
      informer,
      registration,
      release: async () => {
        isOpen = false;
        resyncing.abort();
        resyncing[Symbol.dispose]();
        registration.remove();
        this.#caches.remove(watch);
        await Promise.all([letGo(), ...resyncs]);
      },
    };
  }

  /** Tells of everything again, every so often; a thousand at a time, so that others have their turn. */
  async #resync(watch: Watch, informer: AnyInformer, signal: AbortSignal): Promise<void> {
    const { resource, resyncMs = 0 } = watch;
    const clock = this.#options.clock.labelled({ kind: "background", name: `resync of ${resource.plural}` });
    while (!signal.aborted) {
      await clock.sleep(resyncMs, signal).catch(() => {});
      const indexer = informer.getIndexer();
      for (const [i, key] of indexer.listKeys().entries()) {
        if (i % 1000 === 999) await clock.yield();
        if (signal.aborted) return;
        const object = indexer.getByKey(key);
        if (object === undefined) continue;
        this.#listener.changed({ type: "update", resource, before: object, object, cause: "resync" }, [watch]);
      }
    }
  }

  #acquire(
    watches: readonly Watch[],
    watch: Watch,
    scope: TaskScope,
  ): { informer: AnyInformer; letGo: () => Promise<void> } {
    const isMetadata = watches.every(({ metadataOnly }) => metadataOnly === true);
    const { resource } = watch;
    if (scopeIdOf(watch).trim() !== "") {
      const id = `${resourceId(resource)} ${scopeIdOf(watch)} ${isMetadata ? "metadata" : "full"}`;
      const held = scopedInformersOf(this.#options.client).hold(id, () => this.#newInformer(watch, isMetadata));
      void scope.spawn((signal) => untilAborted(held.ended, signal));
      return { informer: held.informer, letGo: () => held.release() };
    }
    const shared = isMetadata && this.#shared !== undefined ? this.#shared : undefined;
    const acquired = shared?.acquire(resource) ?? this.#options.informers.acquire(resource);
    return { informer: acquired.informer, letGo: async () => await acquired[Symbol.asyncDispose]() };
  }

  #newInformer(watch: Watch, isMetadata: boolean): AnyInformer {
    const { client, clock, log, metrics = noMetrics, freeze = false } = this.#options;
    const { namespace, labelSelector, fieldSelector, resource } = watch;
    const scope = {
      clock,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    };
    const source = isMetadata
      ? newMetadataListWatchFromClient(client, resource, scope)
      : newListWatchFromClient(client, resource, scope);
    return new SharedIndexInformer<KubernetesObject>(source, {
      clock,
      log,
      metrics,
      freeze,
      indexers: namespaceIndexers,
    });
  }

  #addIndexes(resource: Resource, informer: AnyInformer): void {
    const has = informer.getIndexer().getIndexers();
    for (const index of this.#indexes) {
      if (resourceId(index.resource) !== resourceId(resource) || Object.hasOwn(has, index.name)) continue;
      informer.addIndexers({ [index.name]: (object) => index.valuesOf(object) });
    }
  }

  #handlerOf(watches: readonly Watch[], resource: Resource) {
    const listener = this.#listener;
    return {
      onAdd: (object: KubernetesObject, { cause, isInInitialList: isInitial }: EventDetails) =>
        listener.changed({ type: "add", resource, object, isInitial, cause }, watches),
      onUpdate: (before: KubernetesObject, object: KubernetesObject, { cause }: EventDetails) =>
        listener.changed({ type: "update", resource, before, object, cause }, watches),
      onDelete: (gone: Parameters<typeof isFinalStateUnknown<KubernetesObject>>[0], { cause }: EventDetails) => {
        const object = isFinalStateUnknown(gone) ? gone.object : gone;
        if (object !== undefined) listener.changed({ type: "delete", resource, object, cause }, watches);
        else if (isFinalStateUnknown(gone)) listener.vanished(gone.key, watches);
      },
    };
  }
}

function findFault({ informer, registration }: Source): string | undefined {
  const hasSynced = registration.hasSynced();
  // Before it has synced, its first failure is worth telling; afterwards it may fail for a while.
  const health = informer.checkHealth(hasSynced ? {} : { maxFailingMs: 0 });
  if (!health.isHealthy) return health.reason;
  if (hasSynced) return undefined;
  if (!informer.isStarted()) return "its informer has not been started";
  if (!informer.hasSynced()) return `its informer is ${informer.status.phase}`;
  return `${registration.pending} of its objects are still to be told`;
}
