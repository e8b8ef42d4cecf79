// What etcd is to a real server: the objects as they are, one revision that every write of any kind raises by one, and the
// history from which any state since the last compaction can be read again.
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

  /** Throws Expired for a state that is no longer known. */
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

  /** Writes what `make` returns for the new revision; undefined deletes. */
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
