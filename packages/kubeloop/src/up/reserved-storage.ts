// A storage that gives out only resource versions which `reserve` has written down before: what is reserved is never given out by another run.
// Everything else is the storage inside.
import type {
  EventLog,
  Range,
  RangeResult,
  RevertChoice,
  RevertedObject,
  SnapshotStorage,
  StorageKey,
  StorageSnapshot,
  Write,
  WriteResult,
} from "@kubeloop/apiserver";
import type { KubernetesObject } from "@kubeloop/core/api";

export interface ReservedStorageOptions {
  /** Reserves versions up to, and without, the one returned, which is above `wanted`. A write that needs it fails if it throws. */
  reserve(wanted: number): number;
}

export class ReservedStorage implements SnapshotStorage {
  readonly #inner: SnapshotStorage;
  readonly #reserve: (wanted: number) => number;
  /** The first version that must not be given out yet. */
  #end: number;

  constructor(inner: SnapshotStorage, { reserve }: ReservedStorageOptions) {
    this.#inner = inner;
    this.#reserve = reserve;
    this.#end = reserve(inner.log.revision);
  }

  get log(): EventLog {
    return this.#inner.log;
  }

  async write(writes: readonly Write[]): Promise<WriteResult> {
    this.#reserveNext();
    return await this.#inner.write(writes);
  }

  async restore(snapshot: StorageSnapshot): Promise<void> {
    this.#reserveNext();
    await this.#inner.restore(snapshot);
  }

  async revert(snapshot: StorageSnapshot, choose: (change: RevertedObject) => RevertChoice): Promise<boolean> {
    this.#reserveNext();
    return await this.#inner.revert(snapshot, choose);
  }

  #reserveNext(): void {
    const next = this.#inner.log.revision + 1;
    if (next >= this.#end) this.#end = this.#reserve(next);
  }

  get(storageKey: StorageKey): Promise<KubernetesObject | undefined> {
    return this.#inner.get(storageKey);
  }

  list(collection: string, range: Range): Promise<RangeResult> {
    return this.#inner.list(collection, range);
  }

  compact(revision: number): Promise<void> {
    return this.#inner.compact(revision);
  }

  snapshot(): StorageSnapshot {
    return this.#inner.snapshot();
  }

  /** Of no concern to clients of this one, so its versions are not reserved. */
  fork(): Promise<SnapshotStorage> {
    return this.#inner.fork();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inner[Symbol.asyncDispose]();
  }
}
