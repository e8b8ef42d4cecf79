// The caches as one run of a procedure reads them: objects that this run has written replace the cached ones until the caches show the
// writes. So a read after a write is never older than that write, and the procedure does not have to wait for a watch event.
//
// If the result of a write is unknown (its answer was lost, or a collection is being deleted), the view does not guess: a read of the object
// throws, and the key is requeued until the write is settled. Before the first write, the view adds no cost to a read.
import { type KubernetesObject, keyOf, type Resource } from "../api/index.ts";
import { isListed, keyOfAction, resourceId, type SnapshotListOptions } from "../contract/for-drivers.ts";
import type { Action, ActionResult, Index, Served, Snapshot } from "../contract/index.ts";
import { isOutside } from "./cache-scope.ts";
import type { ControllerCaches } from "./controller-caches.ts";
import { expectedAfter, objectOf } from "./expected-writes.ts";
import type { ScopedCache } from "./settle-writes.ts";
import { afterEarlier, type Expected, isSighted, lacksVersion } from "./sightings.ts";
import { StaleReadError } from "./stale-read-error.ts";

const unknownWrite = "the result of the last write is not known yet";

interface OwnWrite {
  /** "*" for any object of the resource. */
  readonly key: string;
  readonly shows: { readonly object: KubernetesObject } | "absence" | "nothing certain";
  readonly awaited: readonly Awaited[];
}

interface Awaited {
  readonly expected: Expected;
  readonly cache: ScopedCache;
}

/** A controller's snapshot, and the caches behind it. */
export type WrittenCaches = Snapshot & Pick<ControllerCaches, "cachesOf">;

const anyKey = "*";

export class OwnWritesView implements Snapshot {
  readonly #caches: WrittenCaches;
  /** By resource and key; created at the first write. */
  #writes: Map<string, Map<string, OwnWrite>> | undefined;

  constructor(caches: WrittenCaches) {
    this.#caches = caches;
  }

  get served(): Served | undefined {
    return this.#caches.served;
  }

  note(action: Action, result: ActionResult): void {
    if (!("resource" in action)) return;
    const noted = this.#caches
      .cachesOf(action.resource)
      .flatMap((cache) => expectedAfter(action, result, cache).map((expected) => ({ expected, cache })));
    if (noted.length === 0) return;
    const shows = noted.some(isGone) ? "absence" : shownBy(action, result);
    const key = typeof shows === "object" ? keyOf(shows.object) : (keyOfAction(action) ?? anyKey);
    const id = resourceId(action.resource);
    this.#writes ??= new Map();
    const writes = this.#writes.get(id) ?? new Map<string, OwnWrite>();
    const earlier = writes.get(key)?.awaited ?? [];
    // A later write to an object replaces an earlier one. Writes with key "*" do not replace each other: the caches must show all of them.
    const awaited = key === anyKey ? [...earlier, ...noted] : noted.map((each) => follow(each, earlier));
    this.#writes.set(id, writes.set(key, { key, shows, awaited }));
  }

  get<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined {
    if (this.#writes === undefined) return this.#caches.get(resource, key);
    const own = this.#unseenAt(resource, key) ?? this.#unseenAt(resource, anyKey);
    if (own === undefined) return this.#caches.get(resource, key);
    if (own.shows === "nothing certain") throw new StaleReadError(`${resource.plural} ${key}`, unknownWrite);
    return own.shows === "absence" || !isShown(own) ? undefined : (own.shows.object as T);
  }

  list<T extends KubernetesObject>(resource: Resource<T>, options: SnapshotListOptions = {}): readonly T[] {
    return this.#laidOver(resource, this.#caches.list(resource, options), (object) => isListed(object, options));
  }

  byIndex<T extends KubernetesObject>(index: Index<T>, value: string): readonly T[] {
    const { resource } = index;
    return this.#laidOver(resource, this.#caches.byIndex(index, value), (object) =>
      index.valuesOf(object).includes(value),
    );
  }

  #laidOver<T extends KubernetesObject>(
    resource: Resource<T>,
    cached: readonly T[],
    isWanted: (object: T) => boolean,
  ): readonly T[] {
    const own = this.#unseen(resource);
    if (own.length === 0) return cached;
    if (own.some(({ shows }) => shows === "nothing certain")) throw new StaleReadError(resource.plural, unknownWrite);
    const keys = new Set(own.map(({ key }) => key));
    const written = own.flatMap((write) =>
      typeof write.shows === "object" && isShown(write) ? [write.shows.object as T] : [],
    );
    return [...cached.filter((object) => !keys.has(keyOf(object))), ...written.filter(isWanted)];
  }

  /** Returns the writes that the caches do not show yet, and forgets the others. */
  #unseen(resource: Resource): readonly OwnWrite[] {
    const writes = this.#writes?.get(resourceId(resource));
    return writes === undefined ? [] : [...writes.keys()].flatMap((key) => this.#unseenAt(resource, key) ?? []);
  }

  #unseenAt(resource: Resource, key: string): OwnWrite | undefined {
    const writes = this.#writes?.get(resourceId(resource));
    const own = writes?.get(key);
    const isSeen = own?.awaited.every(({ expected, cache }) => isSighted(expected, cache)) === true;
    if (isSeen) writes?.delete(key);
    return isSeen ? undefined : own;
  }
}

function follow({ expected, cache }: Awaited, earlier: readonly Awaited[]): Awaited {
  if (!lacksVersion(expected)) return { expected, cache };
  const its = earlier.filter((each) => each.cache === cache).map((each) => each.expected);
  return { expected: afterEarlier(expected, its), cache };
}

/** Returns whether the server's answer says that the object is removed. */
function isGone({ expected }: Awaited): boolean {
  return expected.kind === "removed" && expected.removal === "gone";
}

/** Returns whether the scope of at least one cache that must show the write includes the object. */
function isShown({ shows, awaited }: OwnWrite): boolean {
  if (typeof shows !== "object") return false;
  return awaited.some(({ cache }) => !isOutside(cache.scope, shows.object));
}

function shownBy(action: Action, result: ActionResult): OwnWrite["shows"] {
  if (result.status !== "done" || !("resource" in action)) return "nothing certain";
  const object = objectOf(action, result.value);
  if (action.type === "delete") {
    // With finalizers or a grace period, the object still exists and has a deletionTimestamp.
    return object?.metadata.deletionTimestamp === undefined ? "absence" : { object };
  }
  return object === undefined ? "nothing certain" : { object };
}
