// Tracks whether the first list has arrived and was processed. The initial population is everything in the queue when the first list has
// been added, including the list. If a change arrives before any list, no list is waited for.
import { SingleFileTracker, type SyncTrackerOptions } from "../wait/sync-tracker.ts";

export class InitialPopulation {
  readonly #tracker: SingleFileTracker;
  #hasBegun = false;

  constructor(options: SyncTrackerOptions) {
    this.#tracker = new SingleFileTracker(options);
  }

  /** A change was added. */
  skip(): void {
    if (!this.#hasBegun) this.begin(0);
  }

  /** A list was added, and the queue now holds this many items. Returns whether the list was the first addition. */
  begin(count: number): boolean {
    if (this.#hasBegun) return false;
    this.#hasBegun = true;
    this.#tracker.start(count);
    this.#tracker.upstreamHasSynced();
    return true;
  }

  /** An item of the initial population goes back into the queue. */
  again(): void {
    this.#tracker.start();
  }

  finished(count: number): void {
    this.#tracker.finished(count);
  }

  hasSynced(): boolean {
    return this.#tracker.hasSynced();
  }

  onSynced(callback: () => void): Disposable {
    return this.#tracker.onSynced(callback);
  }
}
