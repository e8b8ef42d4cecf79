// The storage of the fake server, in place of etcd: the current objects, one revision that every write of any resource increases by one, and
// the history, from which every state since the last compaction can be read.
import { type KubernetesObject, newExpired, type ObjectKey } from "../../api/index.ts";
import { type Change, ObjectCollections } from "./object-collections.ts";

export class Storage {
  readonly #objects = new ObjectCollections();
  readonly #onChange: (change: Change) => void;
  #history: Change[] = [];
  #revision = 1;
  #compactedRevision = 0;

  constructor(onChange: (change: Change) => void) {
    this.#onChange = onChange;
  }

  get revision(): number {
    return this.#revision;
  }

  /** States before this revision cannot be read any more. */
  get compactedRevision(): number {
    return this.#compactedRevision;
  }

  get(collection: string, key: ObjectKey): KubernetesObject | undefined {
    return this.#objects.get(collection, key);
  }

  list(collection: string): readonly KubernetesObject[] {
    return this.#objects.list(collection);
  }

  /** Throws Expired for a revision before the last compaction. */
  listAt(collection: string, revision: number): readonly KubernetesObject[] {
    if (revision < this.#compactedRevision) {
      throw newExpired("The provided continue parameter or resource version is too old to display a consistent list");
    }
    const past = this.#objects.copy();
    for (let i = this.#history.length - 1; i >= 0; i--) {
      const change = this.#history[i];
      if (change === undefined || change.revision <= revision) break;
      past.revert(change);
    }
    return past.list(collection);
  }

  /** Stores the object that `make` returns for the new revision. If it returns undefined, the object is deleted. */
  write(
    collection: string,
    key: ObjectKey,
    make: (resourceVersion: string) => KubernetesObject | undefined,
  ): KubernetesObject | undefined {
    const revision = this.#revision + 1;
    const after = make(String(revision));
    this.#revision = revision;
    const change: Change = { revision, collection, key, before: this.get(collection, key), after };
    this.#objects.apply(change);
    this.#history.push(change);
    this.#onChange(change);
    return after;
  }

  compact(revision: number): void {
    this.#compactedRevision = Math.max(this.#compactedRevision, Math.min(revision, this.#revision));
    this.#history = this.#history.filter((change) => change.revision > this.#compactedRevision);
  }
}
