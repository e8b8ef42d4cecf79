// Read your own writes: an overlay over a cache that keeps the server's responses to writes. Readers get the newer one of the overlay's and
// the cache's object, by resourceVersion, also in indexes. Connect it to the cache's informer
// (`onAddOrUpdate`, `onDelete`), so that it drops writes that the cache has caught up with, and deleted objects.
//
// Not promised: that a write is visible. It may have been evicted (the overlay is small), expired, or
// superseded. Without `includeAdds` an object that is not in the cache is not returned, because the overlay cannot know whether it is not there yet
// or already deleted. With it, an object that was written and deleted before the informer saw it is returned until it expires.
import { compareResourceVersions, isResourceVersion } from "../../api/index.ts";
import { type Clock, defaultLog, type Log } from "../../base/index.ts";
import { type Deleted, lastStateOf } from "../tombstone.ts";
import { ExpiringLru } from "./expiring-lru.ts";
import { deletionHandlingMetaNamespaceKeyFunc, metaNamespaceKeyFunc } from "./key-functions.ts";
import type { ReadonlyIndexer } from "./store.ts";

interface Versioned {
  readonly metadata: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface MutationCacheOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** How long a write is kept. Default: 5 minutes. */
  readonly ttlMs?: number;
  /** How many writes are kept. Default: 100. */
  readonly capacity?: number;
  /** Also return objects that the cache does not have. Default: false. */
  readonly includeAdds?: boolean;
  readonly log?: Log;
}

/** A write; a deletion has no object. */
interface Mutation<T> {
  readonly object: T | undefined;
  readonly uid: string | undefined;
  readonly version: string;
}

const defaultTtlMs = 5 * 60_000;

export class MutationCache<T extends Versioned> {
  readonly #store: ReadonlyIndexer<T>;
  readonly #mutations: ExpiringLru<Mutation<T>>;
  readonly #includeAdds: boolean;
  readonly #log: Log;

  constructor(store: ReadonlyIndexer<T>, options: MutationCacheOptions) {
    const { clock, ttlMs = defaultTtlMs, capacity = 100, includeAdds = false, log = defaultLog } = options;
    this.#store = store;
    this.#mutations = new ExpiringLru({ capacity, ttlMs, clock });
    this.#includeAdds = includeAdds;
    this.#log = log;
  }

  /** The number of kept writes and deletions. */
  get size(): number {
    return this.#mutations.keys().length;
  }

  /** Keeps the response to a write. Ignored if it is older than a known state, or the object is known to be deleted. */
  mutation(object: T): void {
    const version = versionOf(object);
    if (version !== "" && !isResourceVersion(version)) {
      this.#log.warn("write is not kept because its resource version cannot be compared", { version });
      return;
    }
    const key = metaNamespaceKeyFunc(object);
    const { uid } = object.metadata;
    const known = this.#mutations.get(key);
    if (known !== undefined) {
      const order = compareVersions(version, known.version);
      const isOfTheGone = known.object === undefined && (order === 0 || uid === known.uid);
      if (order < 0 || isOfTheGone) return;
    }
    this.#mutations.set(key, { object, uid, version });
  }

  /** The cache has this object now. Versions are comparable across objects with the same name. */
  onAddOrUpdate(object: T): void {
    const key = metaNamespaceKeyFunc(object);
    const known = this.#mutations.get(key);
    if (known !== undefined && compareVersions(versionOf(object), known.version) >= 0) this.#mutations.delete(key);
  }

  /** The cache has deleted this object. The deletion is kept, so that a late response to a write does not bring the object back. */
  onDelete(gone: Deleted<T>): void {
    const last = lastStateOf(gone);
    if (last === undefined) return;
    const key = deletionHandlingMetaNamespaceKeyFunc(gone);
    const version = versionOf(last);
    const { uid } = last.metadata;
    const known = this.#mutations.get(key);
    // The overlay's object is newer than the deleted one and has another uid, so it may exist.
    if (known !== undefined && compareVersions(version, known.version) < 0 && uid !== known.uid) return;
    this.#mutations.set(key, { object: undefined, uid, version });
  }

  getByKey(key: string): T | undefined {
    const stored = this.#store.getByKey(key);
    const newer = this.#newerThan(stored, key);
    return newer === undefined ? stored : newer.object;
  }

  /** Uses the newest states: an object that a write removed from the index value is left out, one that it added is included. */
  byIndex(name: string, value: string): readonly T[] {
    const mutated = this.#mutations.keys();
    const indexed = this.#store.byIndex(name, value);
    if (mutated.length === 0) return indexed;
    const keys = new Set([...this.#store.indexKeys(name, value), ...mutated]);
    return [...keys].flatMap((key) => {
      const stored = this.#store.getByKey(key);
      const newer = this.#newerThan(stored, key);
      const newest = newer === undefined ? stored : newer.object;
      return newest !== undefined && this.#hasValue(newest, name, value) ? [newest] : [];
    });
  }

  /** Returns the state that overrides the stored one. Drops writes that the store has caught up with. */
  #newerThan(stored: T | undefined, key: string): Mutation<T> | undefined {
    const known = this.#mutations.get(key);
    if (known === undefined) return undefined;
    if (stored === undefined) return this.#includeAdds ? known : undefined;
    if (compareVersions(versionOf(stored), known.version) < 0) return known;
    this.#mutations.delete(key);
    return undefined;
  }

  #hasValue(object: T, name: string, value: string): boolean {
    try {
      return this.#store.getIndexers()[name]?.(object).includes(value) ?? false;
    } catch (error) {
      this.#log.warn("index function failed for a written object", { index: name, error });
      return false;
    }
  }
}

function versionOf(object: Versioned): string {
  return object.metadata.resourceVersion ?? "";
}

/** An empty version is the oldest. Versions that cannot be compared count as newer, so that the cache's object wins. */
function compareVersions(left: string, right: string): number {
  if (left === right) return 0;
  if (left === "" || right === "") return left === "" ? -1 : 1;
  return isResourceVersion(left) && isResourceVersion(right) ? compareResourceVersions(left, right) : 1;
}
