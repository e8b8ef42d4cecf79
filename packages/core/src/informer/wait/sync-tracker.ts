// Tracks when all items of the initial list are processed: when the source has said that there are no more of
// them, and each one is finished. Once synced, it stays synced: items that start later are not part of the initial list.
//
// SingleFileTracker counts, for items that finish in the order they started. AsyncTracker keeps keys, for
// many workers; a key that is started twice is one item.
import { KubeloopError } from "../../base/index.ts";
import { SyncGate, type SyncGateOptions } from "./sync-gate.ts";

export type SyncTrackerOptions = SyncGateOptions;

export class SingleFileTracker {
  readonly #synced: SyncGate;
  #unfinished = 0;
  #hasUpstreamSynced = false;

  constructor(options: SyncTrackerOptions = {}) {
    this.#synced = new SyncGate(options);
  }

  start(count = 1): void {
    this.#unfinished += count;
  }

  /** Throws if fewer items were started, because a wrong count would report a sync too early. */
  finished(count = 1): void {
    if (count > this.#unfinished) {
      throw new KubeloopError("more items finished than were started", { reason: "Invalid", retry: "never" });
    }
    this.#unfinished -= count;
    this.#look();
  }

  /** No more items of the initial list will be started. */
  upstreamHasSynced(): void {
    this.#hasUpstreamSynced = true;
    this.#look();
  }

  hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Calls back once, when `hasSynced` becomes true; immediately if it is. */
  onSynced(callback: () => void): Disposable {
    return this.#synced.onOpen(callback);
  }

  #look(): void {
    if (this.#hasUpstreamSynced && this.#unfinished === 0) this.#synced.open();
  }
}

export class AsyncTracker<K> {
  readonly #synced: SyncGate;
  readonly #unfinished = new Set<K>();
  #hasUpstreamSynced = false;

  constructor(options: SyncTrackerOptions = {}) {
    this.#synced = new SyncGate(options);
  }

  start(key: K): void {
    this.#unfinished.add(key);
  }

  /** Ignores a key that is not started: with many workers another one may have finished it first. */
  finished(key: K): void {
    this.#unfinished.delete(key);
    this.#look();
  }

  /** No more items of the initial list will be started. */
  upstreamHasSynced(): void {
    this.#hasUpstreamSynced = true;
    this.#look();
  }

  hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Calls back once, when `hasSynced` becomes true; immediately if it is. */
  onSynced(callback: () => void): Disposable {
    return this.#synced.onOpen(callback);
  }

  #look(): void {
    if (this.#hasUpstreamSynced && this.#unfinished.size === 0) this.#synced.open();
  }
}
