// The state of the whole storage: its revision, its collections, and how much of the past they know. The history of all collections together
// is bounded. A collection in which nothing happens keeps its past meanwhile. A compaction is for all of them.
import type { KubernetesObject } from "@kubeloop/core/api";
import { AgedRevision } from "./aged-revision.ts";
import { BoundedHistory, type HistoryLimits } from "./bounded-history.ts";
import { Collection } from "./collection.ts";
import type { ObjectTree } from "./past-states.ts";
import { PersistentTree } from "./persistent-tree.ts";
import type { RevertedObject, StorageEvent, StorageKey } from "./storage.ts";

export type Trees = ReadonlyMap<string, ObjectTree>;

export class Collections {
  #byName = new Map<string, Collection>();
  /** The events all collections know. */
  readonly #history: BoundedHistory;
  readonly #aged: AgedRevision;
  #revision: number;
  #compacted: number;
  /** The number of the first event of a collection that has had none. */
  #firstPosition = 1;

  /** `firstRevision` is above zero, which clients read as "whatever you have". */
  constructor(limits: HistoryLimits, firstRevision: number) {
    this.#history = new BoundedHistory(limits, ({ collection }) => this.#byName.get(collection)?.forgetFirstEvent());
    this.#aged = new AgedRevision(limits.ageMs);
    this.#revision = firstRevision;
    this.#compacted = firstRevision;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Undefined for one in which nothing ever was. */
  find(name: string): Collection | undefined {
    return this.#byName.get(name);
  }

  get(storageKey: StorageKey): KubernetesObject | undefined {
    return this.#byName.get(storageKey.collection)?.get(storageKey.key);
  }

  /** The revision of the oldest state of the collection that is known. */
  oldest(name: string): number {
    return Math.max(this.#compacted, this.#byName.get(name)?.oldest ?? 0);
  }

  /** The revision of the oldest state of the collection that may be listed. Events may be known from before: they are of no use to a list. */
  oldestListed(name: string, nowMs: number): number {
    return Math.max(this.oldest(name), this.#aged.at(nowMs));
  }

  /** The number of the first event after this revision; undefined when events since then are forgotten. */
  positionAfter(name: string, revision: number): number | undefined {
    if (revision < this.oldest(name)) return undefined;
    return this.#byName.get(name)?.events.positionAfter(revision) ?? this.#firstPosition;
  }

  eventAt(name: string, position: number): StorageEvent | "forgotten" | undefined {
    const collection = this.#byName.get(name);
    if (collection !== undefined) return collection.events.at(position);
    return position < this.#firstPosition ? "forgotten" : undefined;
  }

  /** How many bytes the versions take that only the history holds, estimated. */
  get historyBytes(): number {
    return this.#history.bytes;
  }

  /** All of one write, of the revision that comes next. */
  append(events: readonly StorageEvent[], nowMs: number): void {
    this.#revision++;
    for (const event of events) {
      this.#findOrAdd(event.collection).append(event);
      this.#history.push(event, nowMs);
    }
    this.#aged.note(this.#revision, nowMs);
    this.#history.trim(nowMs);
  }

  /** Forgets the events that are older than the limit. */
  forgetAged(nowMs: number): void {
    this.#history.forgetAged(nowMs);
  }

  /** Forgets all states before this revision, and the events up to it. */
  compact(revision: number): void {
    this.#compacted = Math.max(this.#compacted, revision);
    this.#history.compact(revision);
  }

  /** What everything holds now; never changes. */
  trees(): Trees {
    const trees = new Map<string, ObjectTree>();
    for (const [name, { tree }] of this.#byName) trees.set(name, tree.clone());
    return trees;
  }

  /** How these trees differ from the present: `before` is the present's. */
  differencesOf(trees: Trees): readonly RevertedObject[] {
    const names = new Set([...this.#byName.keys(), ...trees.keys()]);
    return [...names].sort().flatMap((collection) => {
      const now = this.#byName.get(collection)?.tree ?? new PersistentTree<KubernetesObject>();
      const then = trees.get(collection) ?? new PersistentTree<KubernetesObject>();
      return then.differencesFrom(now).map((each) => ({ collection, ...each }));
    });
  }

  /** Another present, and no past: whoever reads events has lost its place. */
  replace(trees: Trees, revision: number): void {
    for (const { events } of this.#byName.values()) this.#firstPosition = Math.max(this.#firstPosition, events.next);
    // A reader that had read everything waits for the number after the last. It must not take what comes for the continuation.
    this.#firstPosition++;
    this.#revision = revision;
    this.#compacted = revision;
    this.#history.clear();
    this.#aged.clear();
    this.#byName = new Map();
    for (const [name, tree] of trees) this.#add(name, tree.clone());
  }

  #findOrAdd(name: string): Collection {
    return this.#byName.get(name) ?? this.#add(name, new PersistentTree());
  }

  #add(name: string, tree: ObjectTree): Collection {
    const collection = new Collection({ tree, position: this.#firstPosition, revision: this.#compacted });
    this.#byName.set(name, collection);
    return collection;
  }
}
