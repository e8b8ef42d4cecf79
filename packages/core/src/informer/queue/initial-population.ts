// Whether the first list has come and all of it is done. What stands in the queue when the first list has been put in, the
// list included, is the initial population. A change that comes before any list means that there will be none to wait for.
import { SingleFileTracker, type SyncTrackerOptions } from "../wait/sync-tracker.ts";

export class InitialPopulation {
  readonly #tracker: SingleFileTracker;
  #hasBegun = false;

  constructor(options: SyncTrackerOptions) {
    this.#tracker = new SingleFileTracker(options);
  }

  /** A change came in. */
  skip(): void {
    if (!this.#hasBegun) this.begin(0);
  }

  /** A list came in, and with it the queue holds so many items. Whether this was the first thing of all. */
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
