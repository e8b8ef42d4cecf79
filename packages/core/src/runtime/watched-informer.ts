// One informer and the watches of a controller that use it. The watches may be replaced while the informer runs: a new watch receives an add
// for each object in the cache; the other watches receive nothing.
//
// Changes are reported one after the other, after the cache has them. Resyncs are made here, because an informer that was already started
// by others would never make them.
import type { KubernetesObject, Resource } from "../api/index.ts";
import { type ChildSignal, type Clock, childSignal, type TaskScope, YieldBudget } from "../base/index.ts";
import { type ChangeCause, resourceId } from "../contract/for-drivers.ts";
import type { Change, Watch } from "../contract/index.ts";
import {
  type EventDetails,
  isFinalStateUnknown,
  type ResourceEventHandlerRegistration,
  type SharedIndexInformer,
  type Syncing,
} from "../informer/index.ts";
import type { ControllerCaches } from "./controller-caches.ts";

export interface ChangeListener {
  changed(change: Change, watches: readonly Watch[]): void;
  /** Nothing has changed: the object is reported again to these watches. */
  repeated(change: Change, watches: readonly Watch[]): void;
  /** A DeletedFinalStateUnknown without an object: only its key is known. */
  vanished(key: string, watches: readonly Watch[]): void;
  /** Called when a function of the controller threw, which is a bug in the controller. */
  panicked(where: string, error: unknown): void;
  /** Called when the cache has synced. */
  synced(): Promise<void>;
}

export interface WatchedInformerParts {
  readonly controller: string;
  readonly watches: readonly [Watch, ...Watch[]];
  readonly informer: SharedIndexInformer<KubernetesObject>;
  readonly caches: ControllerCaches;
  readonly listener: ChangeListener;
  readonly clock: Clock;
  readonly scope: TaskScope;
  /** Releases the informer. */
  readonly letGo: () => Promise<void>;
}

export class WatchedInformer {
  readonly resource: Resource;
  readonly registration: ResourceEventHandlerRegistration;
  readonly #parts: WatchedInformerParts;
  readonly #life: ChildSignal;
  #watches: readonly Watch[];
  #resyncs: readonly { readonly everyMs: number; readonly stop: ChildSignal; readonly ended: Promise<void> }[] = [];
  readonly #tasks = new Set<Promise<void>>();
  #isOpen = true;

  constructor(parts: WatchedInformerParts) {
    const { watches, informer, caches, controller, scope } = parts;
    const [watch] = watches;
    this.#parts = parts;
    this.#watches = watches;
    this.resource = watch.resource;
    this.#life = childSignal(scope.signal);
    caches.add(watch, informer, () => this.#isOpen && !informer.isStopped());
    this.registration = informer.addEventHandler(this.#handler(), { name: `${controller} ${watch.resource.plural}` });
    void this.#spawn(() => this.#reportSync());
    this.#updateResyncs();
  }

  get watches(): readonly Watch[] {
    return this.#watches;
  }

  get informer(): SharedIndexInformer<KubernetesObject> {
    return this.#parts.informer;
  }

  /** Must have synced before the workers may start. */
  get syncing(): Syncing {
    const { registration, informer } = this;
    return {
      name: registration.name,
      hasSynced: () => registration.hasSynced(),
      whenSynced: (signal: AbortSignal) => registration.whenSynced(signal),
      get status() {
        return informer.status;
      },
    };
  }

  /** Replaces the watches. A new watch receives an add for each object in the cache. */
  replaceWatches(watches: readonly Watch[]): void {
    const before = countBy(this.#watches.map(describeWatch));
    const isNew = (watch: Watch) => {
      const id = describeWatch(watch);
      const left = before.get(id) ?? 0;
      before.set(id, left - 1);
      return left <= 0;
    };
    const added = watches.filter(isNew);
    this.#watches = watches;
    this.#updateResyncs();
    if (added.length > 0) void this.#spawn(() => this.#reportAll(added, "initial", this.#life.signal));
  }

  async release(): Promise<void> {
    const { caches, letGo, informer } = this.#parts;
    this.#isOpen = false;
    for (const { stop } of this.#resyncs) stop[Symbol.dispose]();
    this.#life.abort();
    this.registration.remove();
    caches.remove(this.resource, informer);
    await Promise.all([letGo(), ...this.#tasks, ...this.#resyncs.map(({ ended }) => ended)]);
  }

  async #reportSync(): Promise<void> {
    const { signal } = this.#life;
    try {
      await this.registration.whenSynced(signal);
      await this.#parts.listener.synced();
    } catch (error) {
      // If the source was released, or its informer stopped, before it has synced, there is nothing to report.
      if (!signal.aborted && !this.#parts.informer.isStopped()) throw error;
    }
  }

  /** Runs one resync for each period that a watch asks for. */
  #updateResyncs(): void {
    const wanted = new Set(this.#watches.flatMap(({ resyncMs = 0 }) => (resyncMs > 0 ? [resyncMs] : [])));
    const kept = this.#resyncs.filter(({ everyMs, stop }) => {
      if (wanted.has(everyMs)) return true;
      stop.abort();
      return false;
    });
    const known = new Set(kept.map(({ everyMs }) => everyMs));
    const added = [...wanted]
      .filter((everyMs) => !known.has(everyMs))
      .map((everyMs) => {
        const stop = childSignal(this.#life.signal);
        return { everyMs, stop, ended: this.#spawn(() => this.#resync(everyMs, stop.signal)) };
      });
    this.#resyncs = [...kept, ...added];
  }

  async #resync(everyMs: number, signal: AbortSignal): Promise<void> {
    const { plural } = this.resource;
    const clock = this.#parts.clock.labelled({ kind: "background", name: `resync of ${plural}` });
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal).catch(() => {});
      const due = () => this.#watches.filter(({ resyncMs }) => resyncMs === everyMs);
      if (!signal.aborted) await this.#reportAll(due(), "resync", signal);
    }
  }

  /** Reports all objects in the cache, and yields to the event loop every few milliseconds. */
  async #reportAll(watches: readonly Watch[], cause: ChangeCause, signal: AbortSignal): Promise<void> {
    const { resource } = this;
    const { informer, listener, clock } = this.#parts;
    const indexer = informer.getIndexer();
    const budget = new YieldBudget(clock);
    for (const key of indexer.listKeys()) {
      if (budget.isUsedUp()) await budget.yield();
      if (signal.aborted) return;
      const object = indexer.getByKey(key);
      if (object === undefined) continue;
      if (cause === "initial") listener.repeated({ type: "add", resource, object, isInitial: true, cause }, watches);
      else listener.repeated({ type: "update", resource, before: object, object, cause }, watches);
    }
  }

  #handler() {
    const { resource } = this;
    const { listener } = this.#parts;
    return {
      onAdd: (object: KubernetesObject, { cause, isInInitialList: isInitial }: EventDetails) =>
        listener.changed({ type: "add", resource, object, isInitial, cause }, this.#watches),
      onUpdate: (before: KubernetesObject, object: KubernetesObject, { cause }: EventDetails) =>
        listener.changed({ type: "update", resource, before, object, cause }, this.#watches),
      onDelete: (gone: Parameters<typeof isFinalStateUnknown<KubernetesObject>>[0], { cause }: EventDetails) => {
        const object = isFinalStateUnknown(gone) ? gone.object : gone;
        if (object !== undefined) listener.changed({ type: "delete", resource, object, cause }, this.#watches);
        else if (isFinalStateUnknown(gone)) listener.vanished(gone.key, this.#watches);
      },
    };
  }

  #spawn(work: () => Promise<void>): Promise<void> {
    const task = this.#parts.scope.spawn(work);
    this.#tasks.add(task);
    const forget = () => void this.#tasks.delete(task);
    task.then(forget, forget);
    return task;
  }
}

/** Returns the same text for watches that do the same. Their functions cannot be compared, because each discovery creates new ones. */
function describeWatch({ wakes, queue = "", afterMs = 0, owner, everyOwner = false, when }: Watch): string {
  const owners = owner === undefined ? "" : resourceId(owner);
  return [wakes, queue, afterMs, owners, everyOwner, when === undefined].join(" ");
}

function countBy(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
