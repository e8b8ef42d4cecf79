// Who has asked for which informer, and which of them run: the part that all factories share. One informer for each key,
// however many ask for it.
//
// There are two ways to have one. `get` is for good: it lives until the pool is shut down. `acquire` is for a while: when the
// last of those who hold it lets go, and nobody has it for good, it is stopped, waited for and forgotten; the next one who
// asks gets a new one.
//
// There are two ways to start. `run(signal)` starts what has been asked for, and whatever is asked for later as it comes; it
// ends, and the pool with it, when the signal aborts and everything has ended. `start(signal)` starts what has been asked for
// until now; later ones wait for the next `start`. Either way an informer is started once.
//
// Informers survive every failure of the server. One whose `run` rejects all the same has a fault in it: that stops all
// others, and `run` and `shutdown` throw it.
import {
  type ChildSignal,
  childSignal,
  deferred,
  isAborted,
  KubeloopError,
  onAbort,
  TaskScope,
} from "../../base/index.ts";
import type { SyncResult } from "../wait/sync-result.ts";
import type { Syncing } from "../wait/syncing.ts";
import { waitFor } from "../wait/wait-for-cache-sync.ts";

export interface PooledInformer extends Syncing {
  /** Once. Ends when the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** One holder's share of an informer. Disposing of it lets go; a second time does nothing. */
export interface InformerShare<I> extends AsyncDisposable {
  readonly informer: I;
}

interface Entry<I> {
  readonly informer: I;
  isForGood: boolean;
  shares: number;
  /** Its last holder has gone, and it ends. */
  isLetGo: boolean;
  task: { readonly stop: ChildSignal; readonly done: Promise<void> } | undefined;
}

type Life =
  | { readonly at: "open" }
  | { readonly at: "running"; readonly signal: AbortSignal }
  | { readonly at: "shut down" };

export class InformerPool<I extends PooledInformer> implements AsyncDisposable {
  readonly #entries = new Map<string, Entry<I>>();
  readonly #scope = new TaskScope(new AbortController().signal);
  #life: Life = { at: "open" };

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** All that have been asked for and not been let go of. */
  get informers(): readonly I[] {
    return [...this.#entries.values()].map(({ informer }) => informer);
  }

  /** For as long as the pool lives; `make` is for the first who asks. Under a new key after the end, it throws. */
  get(key: string, make: () => I): I {
    const entry = this.#entry(key, make);
    entry.isForGood = true;
    return entry.informer;
  }

  /** Until it is disposed of. */
  acquire(key: string, make: () => I): InformerShare<I> {
    this.#requireAlive();
    const entry = this.#entry(key, make);
    entry.shares++;
    let isHeld = true;
    return {
      informer: entry.informer,
      [Symbol.asyncDispose]: async () => {
        if (isHeld) {
          isHeld = false;
          await this.#letGo(key, entry);
        }
      },
    };
  }

  start(signal: AbortSignal): void {
    this.#requireAlive();
    for (const entry of this.#entries.values()) this.#launch(entry, signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#life.at === "running") throw misuse("the informers are running already");
    this.start(signal);
    this.#life = { at: "running", signal };
    const end = deferred();
    using _aborted = onAbort(signal, () => end.resolve());
    using _failed = onAbort(this.#scope.signal, () => end.resolve());
    await end.promise;
    await this.shutdown(signal.reason);
  }

  /**
   * Waits for all that were started; for one that is let go of meanwhile no longer. Throws a CacheSyncError that says which
   * did not sync, since when and why.
   */
  async waitForCacheSync(signal: AbortSignal): Promise<SyncResult> {
    const entries = [...this.#entries.values()];
    const started = entries.filter(({ task }) => task !== undefined);
    if (started.length === 0 && entries.length > 0) {
      throw misuse("no informer has been started: there is nothing to wait for until `run` or `start` is called");
    }
    for (;;) {
      const held = started.filter(({ isLetGo }) => !isLetGo);
      const result = await waitFor(
        held.map(({ informer }) => informer),
        {},
        signal,
      );
      const error = result.asError();
      if (error === undefined) return result;
      // Its end has broken off the waiting for the others.
      if (signal.aborted || held.every(({ isLetGo }) => !isLetGo)) throw error;
    }
  }

  /** Stops everything and waits for it; nothing can be started afterwards. Throws what failed. */
  async shutdown(reason?: unknown): Promise<void> {
    this.#life = { at: "shut down" };
    this.#scope.abort(reason);
    await this.#scope.join();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  #entry(key: string, make: () => I): Entry<I> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    this.#requireAlive();
    const entry: Entry<I> = { informer: make(), isForGood: false, shares: 0, isLetGo: false, task: undefined };
    this.#entries.set(key, entry);
    if (this.#life.at === "running") this.#launch(entry, this.#life.signal);
    return entry;
  }

  #launch(entry: Entry<I>, signal: AbortSignal): void {
    if (entry.task !== undefined) return;
    const stop = childSignal(signal);
    const done = this.#scope.spawn(async (end) => {
      using _stop = stop;
      using _end = onAbort(end, (reason) => stop.abort(reason));
      try {
        await entry.informer.run(stop.signal);
      } catch (error) {
        if (!isAborted(error, stop.signal)) throw error;
      }
    });
    entry.task = { stop, done };
  }

  async #letGo(key: string, entry: Entry<I>): Promise<void> {
    entry.shares--;
    if (entry.shares > 0 || entry.isForGood) return;
    entry.isLetGo = true;
    // Out of sight first: whoever asks while this one ends gets one that lives.
    this.#entries.delete(key);
    entry.task?.stop.abort();
    await entry.task?.done;
  }

  #requireAlive(): void {
    if (this.#life.at === "shut down") throw misuse("the informers have been shut down");
  }
}

function misuse(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
