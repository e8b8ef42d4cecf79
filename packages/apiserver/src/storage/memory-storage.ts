// A storage in memory. Reads and writes happen at once, inside the call that asks for them, so whoever calls first is served first;
// they are asynchronous only because the interface is.
//
// - The past reaches back `historySize` events, `historyBytes` of superseded versions or `historyAgeMs`, whichever is least, of all collections
//   together; or to the last compaction. A collection in which nothing happens keeps its past however much happens elsewhere: its watchers go on
//   where they were. But no state is listed that was superseded, anywhere, longer than `historyAgeMs` ago: kube-apiserver compacts its etcd by then.
// - A fresh storage is at revision 1, like etcd, so the first write makes revision 2; or at `firstRevision`, as if everything before had
//   been compacted: an older revision is an ExpiredRevision.
// - `restore` is a step forward: the revision is raised by one, the objects are those of the snapshot with the resourceVersions they
//   had then. Nothing from before can be read any more. So a revision, once seen, never comes to mean anything else; for the same reason a
//   snapshot fits only where everything in it was written by this storage, or by the one it was forked from before the fork.
// - `revert` is a write per object, all at once: whoever reads the log keeps its place. Each has a revision of its own, because a watch that is cut goes
//   on after the last revision it has seen, and would miss what else has that revision.
// - A fork goes on from the same revision, without a past. The two know nothing of each other from there on.
// - Once disposed of it refuses everything, and those who read its log have lost their place.
import type { KubernetesObject } from "@kubeloop/core/api";
import { type Clock, defaultLog, KubeloopError, type Log, systemClock } from "@kubeloop/core/base";
import { ChangeNotices } from "./change-notices.ts";
import { Collections, type Trees } from "./collections.ts";
import { noteCurrent, noteSuperseded } from "./encodings.ts";
import { RevisionWaiters } from "./revision-waiters.ts";
import { draftOf, isDraft, isSameContent, seal } from "./seal.ts";
import {
  type EventLog,
  ExpiredRevision,
  FutureRevision,
  type Range,
  type RangeResult,
  type RevertChoice,
  type RevertedObject,
  type SnapshotStorage,
  type StorageEvent,
  type StorageKey,
  type StorageSnapshot,
  type Write,
  type WriteResult,
} from "./storage.ts";

export interface MemoryStorageOptions {
  /** How many events are kept at most, of all collections together. Default: 20,000. */
  readonly historySize?: number;
  /** How many bytes the versions may take that only the history holds, estimated. Default: 64 MiB. */
  readonly historyBytes?: number;
  /** How long an event is kept. Default: 5 minutes, after which kube-apiserver compacts its etcd. */
  readonly historyAgeMs?: number;
  /** By which the age of events is measured. Default: the system's. */
  readonly clock?: Clock;
  /**
   * The revision of the fresh, empty storage. Default: 1. A server that follows another one under the same address begins above the last revision
   * of that one, so that clients of the other get 410 for theirs.
   */
  readonly firstRevision?: number;
  /** Where listeners that throw are reported. */
  readonly log?: Log;
}

const defaultHistorySize = 20_000;
const defaultHistoryBytes = 64 * 1024 * 1024;
const defaultHistoryAgeMs = 5 * 60_000;

export class MemoryStorage implements SnapshotStorage {
  readonly log: EventLog;
  readonly #options: MemoryStorageOptions;
  readonly #collections: Collections;
  readonly #notices: ChangeNotices;
  readonly #waiters = new RevisionWaiters();
  readonly #clock: Clock;
  readonly #identity = {};
  /** Whose snapshots fit, and up to which revision. */
  #origins: ReadonlyMap<object, number> = new Map([[this.#identity, Number.POSITIVE_INFINITY]]);
  #isClosed = false;

  constructor(options: MemoryStorageOptions = {}) {
    const { historySize = defaultHistorySize, firstRevision = 1, log = defaultLog, clock = systemClock } = options;
    const { historyBytes = defaultHistoryBytes, historyAgeMs = defaultHistoryAgeMs } = options;
    if (!Number.isSafeInteger(historySize) || historySize < 1) {
      throw new KubeloopError(`historySize must be a whole number above 0, got ${historySize}`, invalid);
    }
    if (!(historyBytes >= 0)) {
      throw new KubeloopError(`historyBytes must be a number of bytes, got ${historyBytes}`, invalid);
    }
    if (!(historyAgeMs >= 0)) {
      throw new KubeloopError(`historyAgeMs must be a number of milliseconds, got ${historyAgeMs}`, invalid);
    }
    if (!Number.isSafeInteger(firstRevision) || firstRevision < 1) {
      throw new KubeloopError(`firstRevision must be a whole number above 0, got ${firstRevision}`, invalid);
    }
    const limits = { events: historySize, bytes: historyBytes, ageMs: historyAgeMs };
    const collections = new Collections(limits, firstRevision);
    const notices = new ChangeNotices((error) => log.error("storage listener failed", { error }));
    this.#options = options;
    this.#collections = collections;
    this.#notices = notices;
    this.#clock = clock;
    this.log = {
      get revision() {
        return collections.revision;
      },
      positionAfter: (collection, revision) => {
        collections.forgetAged(clock.monotonic());
        return collections.positionAfter(collection, revision);
      },
      at: (collection, position) => collections.eventAt(collection, position),
      onChange: (collection, listener) => notices.subscribe(collection, listener),
      reached: async (revision, signal) => {
        this.#requireOpen();
        if (revision > collections.revision) await this.#waiters.wait(revision, signal);
      },
    };
  }

  /** How many bytes the versions take that only the history holds, estimated. */
  get historyBytes(): number {
    return this.#collections.historyBytes;
  }

  async get(storageKey: StorageKey): Promise<KubernetesObject | undefined> {
    this.#requireOpen();
    return this.#collections.get(storageKey);
  }

  async list(collection: string, range: Range): Promise<RangeResult> {
    this.#requireOpen();
    const newest = this.#collections.revision;
    const { revision = newest } = range;
    if (revision > newest) throw new FutureRevision(revision, newest);
    if (revision < newest) {
      const nowMs = this.#clock.monotonic();
      this.#collections.forgetAged(nowMs);
      const oldest = this.#collections.oldestListed(collection, nowMs);
      if (revision < oldest) throw new ExpiredRevision(revision, oldest);
    }
    return this.#collections.find(collection)?.list(range, revision) ?? { ...nothing, revision };
  }

  async write(writes: readonly Write[]): Promise<WriteResult> {
    this.#requireOpen();
    requireSound(writes);
    const found = writes.map((write) => this.#collections.get(write));
    const wrong = writes.findIndex(({ expected }, index) => !isAt(found[index], expected));
    if (wrong !== -1) {
      const { collection, key } = writes[wrong] as Write;
      return { kind: "conflict", storageKey: { collection, key }, current: found[wrong] };
    }
    const revision = this.#collections.revision + 1;
    const events: StorageEvent[] = [];
    const objects = writes.map(({ collection, key, object }, index) => {
      const before = found[index];
      const after = object === undefined ? undefined : seal(object, revision);
      if (before !== undefined) noteSuperseded(before);
      if (after !== undefined) noteCurrent(after);
      if (before !== after) events.push({ collection, key, revision, before, after });
      return after;
    });
    if (events.length > 0) this.#append([events]);
    return { kind: "written", revision: this.#collections.revision, objects };
  }

  async compact(revision: number): Promise<void> {
    this.#requireOpen();
    const newest = this.#collections.revision;
    if (revision > newest) throw new FutureRevision(revision, newest);
    this.#collections.compact(revision);
  }

  snapshot(): StorageSnapshot {
    this.#requireOpen();
    return new MemorySnapshot(this.#identity, this.#collections.revision, this.#collections.trees());
  }

  async restore(snapshot: StorageSnapshot): Promise<void> {
    this.#collections.replace(this.#treesOf(snapshot), this.#collections.revision + 1);
    this.#waiters.noteRevision(this.#collections.revision);
    this.#notices.noteAll();
    this.#notices.report();
  }

  async revert(snapshot: StorageSnapshot, choose: (change: RevertedObject) => RevertChoice): Promise<boolean> {
    const changes = this.#collections
      .differencesOf(this.#treesOf(snapshot))
      .filter(({ before, after }) => before === undefined || after === undefined || !isSameContent(before, after));
    const choices = changes.map(choose);
    if (choices.includes("refuse")) return false;
    const chosen = changes.filter((_, i) => choices[i] === "revert");
    const newest = this.#collections.revision;
    const events = chosen.map(({ after, ...change }, i) => {
      const revision = newest + 1 + i;
      return { ...change, revision, after: after === undefined ? undefined : seal(draftOf(after), revision) };
    });
    for (const { before, after } of events) {
      if (before !== undefined) noteSuperseded(before);
      if (after !== undefined) noteCurrent(after);
    }
    if (events.length > 0) this.#append(events.map((event) => [event]));
    return true;
  }

  async fork(): Promise<MemoryStorage> {
    this.#requireOpen();
    const { revision } = this.#collections;
    const fork = new MemoryStorage(this.#options);
    fork.#origins = new Map([...this.#origins, [this.#identity, revision], ...fork.#origins]);
    fork.#collections.replace(this.#collections.trees(), revision);
    return fork;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#collections.replace(new Map(), this.#collections.revision);
    this.#waiters.rejectAll(closed());
    this.#notices.noteAll();
    this.#notices.report();
  }

  #treesOf(snapshot: StorageSnapshot): Trees {
    this.#requireOpen();
    if (snapshot instanceof MemorySnapshot && snapshot.revision <= (this.#origins.get(snapshot.origin) ?? 0))
      return snapshot.trees;
    throw new KubeloopError(`the snapshot of revision ${snapshot.revision} is of another storage`, invalid);
  }

  /** The events of each write. Nobody is told before all have happened. */
  #append(writes: readonly (readonly StorageEvent[])[]): void {
    for (const events of writes) {
      this.#collections.append(events, this.#clock.monotonic());
      for (const { collection } of events) this.#notices.note(collection);
    }
    this.#waiters.noteRevision(this.#collections.revision);
    this.#notices.report();
  }

  #requireOpen(): void {
    if (this.#isClosed) throw closed();
  }
}

/** Holds trees nobody changes: who restores one works on clones. */
class MemorySnapshot implements StorageSnapshot {
  readonly origin: object;
  readonly revision: number;
  readonly trees: Trees;

  constructor(origin: object, revision: number, trees: Trees) {
    this.origin = origin;
    this.revision = revision;
    this.trees = trees;
  }
}

const closed = () => new KubeloopError("the storage is closed", { reason: "Closed", retry: "never" });
const invalid = { reason: "Invalid", retry: "never" } as const;
const nothing = { objects: [], remaining: 0, lastKey: undefined } as const;

function isAt(current: KubernetesObject | undefined, expected: number): boolean {
  return expected === 0 ? current === undefined : current?.metadata.resourceVersion === String(expected);
}

/** Throws for what no state of the storage could make right, before anything is changed. */
function requireSound(writes: readonly Write[]): void {
  const keys = new Map<string, Set<string>>();
  for (const { collection, key, object } of writes) {
    if (object !== undefined && !isDraft(object)) {
      throw new KubeloopError(`${collection} ${key}: what is written must not be frozen`, invalid);
    }
    if (writes.length === 1) return;
    const inCollection = keys.get(collection) ?? new Set();
    if (inCollection.has(key)) throw new KubeloopError(`${collection} ${key}: written twice at once`, invalid);
    keys.set(collection, inCollection.add(key));
  }
}
