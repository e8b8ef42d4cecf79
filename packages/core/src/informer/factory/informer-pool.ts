// The informers that were requested and those that run: the part that all factories share. There is one informer per key,
// however many callers request it.
//
// There are two ways to request an informer. `get` keeps it until the pool is shut down. `acquire` keeps it until its result is disposed of:
// when the last holder has disposed of it, and nobody called `get`, the informer is stopped, awaited and removed; the next
// request creates a new one.
//
// There are two ways to start. `run(signal)` starts the requested informers, and later ones as soon as they are requested; it
// ends, and shuts the pool down, when the signal has aborted and everything has ended. `start(signal)` starts the informers requested
// until now; later ones wait for the next `start`. In both cases an informer is started once.
//
// Informers survive every failure of the server. If the `run` of an informer rejects nevertheless, that is a bug, in it or (if a
// detector found one) in the program: it stops all other informers, and `run` and `shutdown` throw the error.
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
  /** Called once. Ends when the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** One holder's claim on an informer. Disposing of it releases the claim; a second time it does nothing. */
export interface InformerShare<I> extends AsyncDisposable {
  readonly informer: I;
}

interface Entry<I> {
  readonly informer: I;
  isPermanent: boolean;
  shares: number;
  /** Its last holder has released it, and it is ending. */
  isReleased: boolean;
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

  /** All informers that were requested and not released. */
  get informers(): readonly I[] {
    return [...this.#entries.values()].map(({ informer }) => informer);
  }

  /** Keeps the informer as long as the pool exists. `make` is called on the first request. A new key after shutdown throws. */
  get(key: string, make: () => I): I {
    const entry = this.#entry(key, make);
    entry.isPermanent = true;
    return entry.informer;
  }

  /** Keeps the informer until the result is disposed of. */
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
    if (this.#life.at === "running") throw misuse("the informers are already running");
    this.start(signal);
    this.#life = { at: "running", signal };
    const end = deferred();
    using _aborted = onAbort(signal, () => end.resolve());
    using _failed = onAbort(this.#scope.signal, () => end.resolve());
    await end.promise;
    await this.shutdown(signal.reason);
  }

  /**
   * Waits for all started informers to sync, except those released meanwhile. Throws a CacheSyncError that names those which
   * did not sync, with since when and why.
   */
  async waitForCacheSync(signal: AbortSignal): Promise<SyncResult> {
    const entries = [...this.#entries.values()];
    const started = entries.filter(({ task }) => task !== undefined);
    if (started.length === 0 && entries.length > 0) {
      throw misuse("no informer has been started: call `run` or `start` before waiting for the caches");
    }
    for (;;) {
      const held = started.filter(({ isReleased }) => !isReleased);
      const result = await waitFor(
        held.map(({ informer }) => informer),
        {},
        signal,
      );
      const error = result.asError();
      if (error === undefined) return result;
      // Otherwise an informer that was released meanwhile has ended, which interrupted the wait: wait again for the others.
      if (signal.aborted || held.every(({ isReleased }) => !isReleased)) throw error;
    }
  }

  /** Stops everything and waits for it; nothing can be started afterwards. Throws the errors of informers that failed. */
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
    const entry: Entry<I> = { informer: make(), isPermanent: false, shares: 0, isReleased: false, task: undefined };
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
    if (entry.shares > 0 || entry.isPermanent) return;
    entry.isReleased = true;
    // Remove it before stopping it, so that a request meanwhile gets a new informer.
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
