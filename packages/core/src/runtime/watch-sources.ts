// The informers behind a controller's watches: acquired from the process's factories where a watch looks at all of a resource, and
// shared between watches of the same scope where it looks at a part. `follow` may be called again with another list, as discovery
// changes: new sources are opened, those no longer wanted are let go of, and watches of the others are replaced.
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
  /** For informers of part of a resource. */
  readonly informerClient: Client;
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

/** A source that does not show what the server has, and what keeps it from doing so. */
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

  /** What must have been reported before work may begin. */
  get syncing(): readonly Syncing[] {
    return [...this.#sources.values()].map(({ syncing }) => syncing);
  }

  /** Sources that have not synced yet, and those that no longer receive anything. */
  unsynced(): readonly UnsyncedSource[] {
    return [...this.#sources.values()].flatMap((source) => {
      const reason = findFault(source);
      return reason === undefined ? [] : [{ name: source.registration.name, reason }];
    });
  }

  /** Watches these, and lets go of others unless they are to be kept. Returns whether some were not watched before. */
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
      // Whole objects need another informer than metadata does.
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

  /** Lets go of all. */
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
    const { informerClient: client, clock, log, metrics = noMetrics, freeze = false } = this.#options;
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
}

const isMetadataOnly = (watches: readonly Watch[]) => watches.every(({ metadataOnly }) => metadataOnly === true);

function findFault({ informer, registration }: WatchedInformer): string | undefined {
  const hasSynced = registration.hasSynced();
  // Before it has synced, its first failure is worth telling; afterwards it may fail for a while.
  const health = informer.checkHealth(hasSynced ? {} : { maxFailingMs: 0 });
  if (!health.isHealthy) return health.reason;
  if (hasSynced) return undefined;
  if (!informer.isStarted()) return "its informer has not been started";
  if (!informer.hasSynced()) return `its informer is ${informer.status.phase}`;
  return `${registration.pending} of its objects are still to be reported`;
}
