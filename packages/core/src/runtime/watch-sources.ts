// The informers behind a controller's watches. A watch of all objects of a resource acquires its informer from the process's factories; a
// watch of a part of a resource shares an informer with the watches of the same scope. `follow` may be called again with another list when
// discovery changes: it opens new sources, releases those that are no longer wanted, and replaces the watches of the others.
import type { KubernetesObject, Resource } from "../api/index.ts";
import { type Clock, type Log, type Metrics, noMetrics, type TaskScope, untilAborted } from "../base/index.ts";
import type { Client } from "../client/index.ts";
import { resourceId } from "../contract/for-drivers.ts";
import type { Index, Watch } from "../contract/index.ts";
import {
  type MetadataSharedInformerFactory,
  namespaceIndexers,
  newListWatchFromClient,
  newMetadataListWatchFromClient,
  ObjectOrMetadataInformerFactory,
  SharedIndexInformer,
  type SharedInformerFactory,
  type Syncing,
} from "../informer/index.ts";
import { type ControllerCaches, scopeIdOf } from "./controller-caches.ts";
import { scopedInformersOf } from "./scoped-informers.ts";
import { addIndexes } from "./shared-indexes.ts";
import { type ChangeListener, WatchedInformer } from "./watched-informer.ts";

export interface WatchSourceOptions {
  /** Used by informers for a part of a resource. */
  readonly informerClient: Client;
  /** The process runs these informers, not the controller, because a process has one set of caches. */
  readonly informers: SharedInformerFactory;
  /** Used for watches of metadata only; such watches cache whole objects unless given. */
  readonly metadata?: MetadataSharedInformerFactory | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Deep-freezes the cached objects of informers for a part of a resource; for tests. Factories have their own option for this. */
  readonly freeze?: boolean | undefined;
}

/** A source that does not show the current state of the server, and the reason. */
export interface UnsyncedSource {
  readonly name: string;
  readonly reason: string;
}

type AnyInformer = SharedIndexInformer<KubernetesObject>;

export class WatchSources {
  readonly #options: WatchSourceOptions;
  readonly #caches: ControllerCaches;
  readonly #indexes: readonly Index[];
  readonly #listener: ChangeListener;
  readonly #controller: string;
  readonly #shared: ObjectOrMetadataInformerFactory | undefined;
  readonly #sources = new Map<string, WatchedInformer>();

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

  /** The sources that must have synced before the workers may start. */
  get syncing(): readonly Syncing[] {
    return [...this.#sources.values()].map(({ syncing }) => syncing);
  }

  /** Returns the sources that have not synced yet, and those that no longer receive events. */
  unsynced(): readonly UnsyncedSource[] {
    return [...this.#sources.values()].flatMap((source) => {
      const reason = findFault(source);
      return reason === undefined ? [] : [{ name: source.registration.name, reason }];
    });
  }

  /** Opens these watches, and releases the others unless `isKept` returns true for their resource. Returns whether a source was opened. */
  async follow(
    watches: readonly Watch[],
    options: { readonly isKept: (resource: Resource) => boolean; readonly scope: TaskScope },
  ): Promise<boolean> {
    const wanted = new Map<string, [Watch, ...Watch[]]>();
    for (const watch of watches) {
      const id = `${resourceId(watch.resource)} ${scopeIdOf(watch)}`;
      const others = wanted.get(id);
      if (others === undefined) wanted.set(id, [watch]);
      else others.push(watch);
    }
    const gone: WatchedInformer[] = [];
    for (const [id, source] of this.#sources) {
      const group = wanted.get(id);
      const isGone = group === undefined && !options.isKept(source.resource);
      // Whole objects need another informer than metadata only, so the source is replaced.
      if (!isGone && (group === undefined || isMetadataOnly(group) === isMetadataOnly(source.watches))) continue;
      gone.push(source);
      this.#sources.delete(id);
    }
    let hasOpened = false;
    for (const [id, group] of wanted) {
      const source = this.#sources.get(id);
      if (source !== undefined) source.replaceWatches(group);
      else {
        this.#sources.set(id, this.#open(group, options.scope));
        hasOpened = true;
      }
    }
    await Promise.all(gone.map((source) => source.release()));
    return hasOpened;
  }

  /** Releases all informers. */
  async close(): Promise<void> {
    const all = [...this.#sources.values()];
    this.#sources.clear();
    await Promise.all(all.map((source) => source.release()));
  }

  #open(watches: readonly [Watch, ...Watch[]], scope: TaskScope): WatchedInformer {
    const [watch] = watches;
    const { informer, letGo } = this.#acquire(watches, watch, scope);
    addIndexes(informer, watch.resource, {
      controller: this.#controller,
      indexes: this.#indexes,
      panicked: this.#listener.panicked,
    });
    const { clock } = this.#options;
    const parts = { controller: this.#controller, caches: this.#caches, listener: this.#listener, clock, scope };
    return new WatchedInformer({ ...parts, watches, informer, letGo });
  }

  #acquire(
    watches: readonly Watch[],
    watch: Watch,
    scope: TaskScope,
  ): { informer: AnyInformer; letGo: () => Promise<void> } {
    const isMetadata = isMetadataOnly(watches);
    const { resource } = watch;
    if (scopeIdOf(watch).trim() !== "") {
      const id = `${resourceId(resource)} ${scopeIdOf(watch)} ${isMetadata ? "metadata" : "full"}`;
      const held = scopedInformersOf(this.#options.informerClient).hold(id, () => this.#newInformer(watch, isMetadata));
      void scope.spawn((signal) => untilAborted(held.ended, signal));
      return { informer: held.informer, letGo: () => held.release() };
    }
    const shared = isMetadata && this.#shared !== undefined ? this.#shared : undefined;
    const acquired = shared?.acquire(resource) ?? this.#options.informers.acquire(resource);
    return { informer: acquired.informer, letGo: async () => await acquired[Symbol.asyncDispose]() };
  }

  #newInformer(watch: Watch, isMetadata: boolean): AnyInformer {
    const { informerClient: client, informers, clock, log, metrics = noMetrics, freeze = false } = this.#options;
    const { deliveryGate } = informers;
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
      ...(deliveryGate && { deliveryGate }),
      indexers: namespaceIndexers,
    });
  }
}

const isMetadataOnly = (watches: readonly Watch[]) => watches.every(({ metadataOnly }) => metadataOnly === true);

function findFault({ informer, registration }: WatchedInformer): string | undefined {
  const hasSynced = registration.hasSynced();
  // Before the informer has synced, its first failure is reported. After that, it may fail for a while before it counts as unhealthy.
  const health = informer.checkHealth(hasSynced ? {} : { maxFailingMs: 0 });
  if (!health.isHealthy) return health.reason;
  if (hasSynced) return undefined;
  if (!informer.isStarted()) return "its informer has not been started";
  if (!informer.hasSynced()) return `its informer is ${informer.status.phase}`;
  return `${registration.pending} of its objects are still to be reported`;
}
