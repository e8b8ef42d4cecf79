// Read your own writes: an overlay over a cache that remembers what the server answered to them. Of the overlay's object and
// the cache's, readers get the newer one by resource version, in the indexes too. Feed it from the cache's informer
// (`onAddOrUpdate`, `onDelete`), and it forgets what the cache has caught up with, and what is gone.
//
// Not promised: that a write is seen. It may have been displaced (the overlay keeps few), be too old to be trusted, or have
// been overtaken. Without `includeAdds` an object that the cache lacks is not there: whether it has not come yet or is gone
// again cannot be told. With it, what was written and deleted before the informer saw any of it shows until it is too old.
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
  /** How long a write is remembered; 5 minutes unless given. */
  readonly ttlMs?: number;
  /** How many writes are remembered; 100 unless given. */
  readonly capacity?: number;
  /** Also show what the cache does not have. Default: no. */
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

  /** How many writes and deletions it remembers. */
  get size(): number {
    return this.#mutations.keys().length;
  }

  /** What a write was answered with. Older than what is known already, or of an object known to be gone: ignored. */
  mutation(object: T): void {
    const version = versionOf(object);
    if (version !== "" && !isResourceVersion(version)) {
      this.#log.warn("write is not remembered: its resource version cannot be compared", { version });
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

  /** The cache has this object now. Versions order different objects of one name, too. */
  onAddOrUpdate(object: T): void {
    const key = metaNamespaceKeyFunc(object);
    const known = this.#mutations.get(key);
    if (known !== undefined && compareVersions(versionOf(object), known.version) >= 0) this.#mutations.delete(key);
  }

  /** The cache has lost this object. It is remembered as gone, so that a late answer to a write does not revive it. */
  onDelete(gone: Deleted<T>): void {
    const last = lastStateOf(gone);
    if (last === undefined) return;
    const key = deletionHandlingMetaNamespaceKeyFunc(gone);
    const version = versionOf(last);
    const { uid } = last.metadata;
    const known = this.#mutations.get(key);
    // A newer object of another uid: it may well be there.
    if (known !== undefined && compareVersions(version, known.version) < 0 && uid !== known.uid) return;
    this.#mutations.set(key, { object: undefined, uid, version });
  }

  getByKey(key: string): T | undefined {
    const stored = this.#store.getByKey(key);
    const newer = this.#newerThan(stored, key);
    return newer === undefined ? stored : newer.object;
  }

  /** By the newest states: what a write took out of the index is not here, what it put in is. */
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

  /** What counts instead of what is stored. Forgets what the store has caught up with. */
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

/** None is older than any. One that cannot be compared counts as newer: the cache's word stands. */
function compareVersions(left: string, right: string): number {
  if (left === right) return 0;
  if (left === "" || right === "") return left === "" ? -1 : 1;
  return isResourceVersion(left) && isResourceVersion(right) ? compareResourceVersions(left, right) : 1;
}
