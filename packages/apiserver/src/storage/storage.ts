// Where the server keeps objects: what etcd is to a real one, as small as the server needs it. One revision for everything, raised
// by one with each write; several keys may be written at once, all or none.
//
// Promises every storage keeps (storage.contract.ts shows them)
// - A version of an object is stored once and frozen; `get`, `list` and events hand out that very object, whose
//   `metadata.resourceVersion` is its revision. The writer gives an object away that nobody else holds.
// - A write happens only if every key is as its writer expects. Nobody sees half of it.
// - Events come once, in the order of their revisions, after the write is visible to readers, and before its writer hears of it.
// - A state since the last compaction can be read again; an older one is an `ExpiredRevision`.
import type { KubernetesObject } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";

/** The key of an object, and of which collection it is one: "pods" and "shop/web-1", "apps/deployments" and "shop/web", "nodes" and "n1". */
export interface StorageKey {
  readonly collection: string;
  readonly key: string;
}

export interface Write extends StorageKey {
  /** What its writer has seen: the object's revision, or 0 for none. */
  readonly expected: number;
  /** Given away: it gets its resourceVersion and is frozen. Undefined deletes, or only makes sure that there is nothing. */
  readonly object: KubernetesObject | undefined;
}

export type WriteResult =
  | { readonly kind: "written"; readonly revision: number; readonly objects: readonly (KubernetesObject | undefined)[] }
  /** Nothing was written: this key is not as expected. */
  | { readonly kind: "conflict"; readonly storageKey: StorageKey; readonly current: KubernetesObject | undefined };

/** One key of one write. An addition has no `before`, a deletion no `after`. */
export interface StorageEvent extends StorageKey {
  readonly revision: number;
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject | undefined;
}

export interface Range {
  /** Only keys that begin so: "shop/". */
  readonly prefix?: string;
  /** Only keys after this one. */
  readonly after?: string;
  /** At most so many objects; 0 only counts, without a limit all of them come. */
  readonly limit?: number;
  /** As things were then; as they are now unless given. */
  readonly revision?: number;
}

export interface RangeResult {
  /** When this was so. */
  readonly revision: number;
  readonly objects: readonly KubernetesObject[];
  /** How many more keys there are beyond `limit`. */
  readonly remaining: number;
  /** The key of the last object. */
  readonly lastKey: string | undefined;
}

/** A past that can be read event by event. Numbers are the collection's own, without gaps, and never given to another event. */
export interface EventLog {
  /** The newest revision of anything: what a watcher that has read all of `events` is at. */
  readonly revision: number;
  /** The number of the first event after this revision; undefined when events since then are forgotten. After a revision that is
   * yet to come that is the next event, and its reader has to pass over those that are not after it. */
  positionAfter(collection: string, revision: number): number | undefined;
  /** The event of this number: undefined if it has not happened yet, "forgotten" if it is not known any more. */
  at(collection: string, position: number): StorageEvent | "forgotten" | undefined;
  /** Called after each write to the collection, with no word of what it was, and when places in the log are lost. A listener may
   * write: calls never nest, and what is written meanwhile is reported once. One that throws does not keep others from hearing it. */
  onChange(collection: string, listener: () => void): Disposable;
  /** Resolves as soon as `revision` is this one or a later one. Rejects with the signal's reason, and when the storage closes. */
  reached(revision: number, signal: AbortSignal): Promise<void>;
}

export interface Storage extends AsyncDisposable {
  readonly log: EventLog;
  get(storageKey: StorageKey): Promise<KubernetesObject | undefined>;
  /** In the order of keys. Throws ExpiredRevision for a state that is forgotten, FutureRevision for one that is yet to come. */
  list(collection: string, range: Range): Promise<RangeResult>;
  write(writes: readonly Write[]): Promise<WriteResult>;
  /** Forgets all states before this revision, and the events up to it. Throws FutureRevision. */
  compact(revision: number): Promise<void>;
}

/** The whole state, as cheap as a pointer; never changes. */
export interface StorageSnapshot {
  readonly revision: number;
}

/** What going back to a snapshot does to one key. */
export type RevertedObject = Omit<StorageEvent, "revision">;

export type RevertChoice = "revert" | "keep" | "refuse";

/** What a storage in memory can do besides. A log on disk or an etcd cannot, and a server works without it. */
export interface SnapshotStorage extends Storage {
  snapshot(): StorageSnapshot;
  /** Back to a snapshot of this storage or, from before the fork, of the one it was forked from. The revision goes forward as with
   * a write; objects have the resourceVersions they had; watchers lose their place and end. */
  restore(snapshot: StorageSnapshot): Promise<void>;
  /**
   * The same by writes: what came since is deleted, what was changed or deleted is written again, with a new resourceVersion, and whoever reads the log
   * sees that as any other writes: one revision each, and nothing happens between them. Returns false, and changes nothing, if one change is refused. What is kept stays as it is now.
   */
  revert(snapshot: StorageSnapshot, choose: (change: RevertedObject) => RevertChoice): Promise<boolean>;
  /** Another storage that begins as this one is now. */
  fork(): Promise<SnapshotStorage>;
}

export function isSnapshotStorage(storage: Storage): storage is SnapshotStorage {
  return ["snapshot", "restore", "revert", "fork"].every((name) => name in storage);
}

/** The state asked for is from before the last compaction. */
export class ExpiredRevision extends KubeloopError {
  readonly revision: number;

  constructor(revision: number, compacted: number) {
    super(`revision ${revision} is forgotten: the oldest is ${compacted}`, { reason: "Expired", retry: "never" });
    this.revision = revision;
  }
}

/** The state asked for is newer than anything written. */
export class FutureRevision extends KubeloopError {
  readonly revision: number;

  constructor(revision: number, newest: number) {
    super(`revision ${revision} is yet to come: the newest is ${newest}`, { reason: "ResourceVersionTooLarge" });
    this.revision = revision;
  }
}
