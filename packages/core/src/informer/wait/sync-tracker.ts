// When is everything of the beginning finished? Only when the one who hands out the items has said that there are no more of
// them, and each of those handed out is finished. Once synced, always synced: what is started later belongs to no beginning.
//
// SingleFileTracker counts, for items that are finished in the order they were started. AsyncTracker keeps their keys, for
// many workers; a key started twice is one item.
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

  /** Throws if fewer were started: whoever counts wrongly would hear of a sync that is none. */
  finished(count = 1): void {
    if (count > this.#unfinished) {
      throw new KubeloopError("more items finished than were started", { reason: "Invalid", retry: "never" });
    }
    this.#unfinished -= count;
    this.#look();
  }

  /** No more items of the beginning will be started. */
  upstreamHasSynced(): void {
    this.#hasUpstreamSynced = true;
    this.#look();
  }

  hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Called once, when `hasSynced` turns true; at once if it has. */
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

  /** A key that is not under way is nothing: with many workers, who came first is not known. */
  finished(key: K): void {
    this.#unfinished.delete(key);
    this.#look();
  }

  /** No more items of the beginning will be started. */
  upstreamHasSynced(): void {
    this.#hasUpstreamSynced = true;
    this.#look();
  }

  hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Called once, when `hasSynced` turns true; at once if it has. */
  onSynced(callback: () => void): Disposable {
    return this.#synced.onOpen(callback);
  }

  #look(): void {
    if (this.#hasUpstreamSynced && this.#unfinished.size === 0) this.#synced.open();
  }
}
