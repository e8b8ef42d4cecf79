// The watch cache, from which a real server answers most reads: a copy of the objects, and a window of the newest changes, from which watches
// can start. The cache applies every write of the storage immediately unless it is paused. A paused cache is behind, like the cache of a slow
// server: its lists are old, its watches receive nothing, and a read at a version that it has not reached waits.
import type { KubernetesObject } from "../../api/index.ts";
import { type Clock, deferred, type Listener, Listeners, untilAborted } from "../../base/index.ts";
import { type Change, ObjectCollections } from "./object-collections.ts";

export class WatchCache {
  readonly #clock: Clock;
  readonly #objects = new ObjectCollections();
  readonly #watchers = new Listeners<Change>((error) => {
    throw error;
  });
  #window: Change[] = [];
  /** Changes up to this revision are no longer in the window. */
  #forgottenRevision = 0;
  #revision = 1;
  #isPaused = false;
  #pending: Change[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get revision(): number {
    return this.#revision;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  list(collection: string): readonly KubernetesObject[] {
    return this.#objects.list(collection);
  }

  /** Returns the changes after this revision, or undefined if some of them are no longer in the window. */
  changesAfter(revision: number): readonly Change[] | undefined {
    if (revision < this.#forgottenRevision) return undefined;
    return this.#window.filter((change) => change.revision > revision);
  }

  onChange(listener: Listener<Change>): Disposable {
    return this.#watchers.subscribe(listener);
  }

  take(change: Change): void {
    if (this.#isPaused) this.#pending.push(change);
    else this.#publish(change);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    const pending = this.#pending;
    this.#pending = [];
    for (const change of pending) this.#publish(change);
  }

  /** Sets the cache back to this revision, or to the oldest in its window. It stays there until `resume`. */
  fallBack(revision: number): void {
    this.#isPaused = true;
    for (let last = this.#window.at(-1); last !== undefined && last.revision > revision; last = this.#window.at(-1)) {
      this.#window.pop();
      this.#objects.revert(last);
      this.#pending.unshift(last);
      this.#revision = this.#window.at(-1)?.revision ?? Math.max(this.#forgottenRevision, 1);
    }
  }

  forget(revision: number): void {
    this.#forgottenRevision = Math.max(this.#forgottenRevision, Math.min(revision, this.#revision));
    const isFirstKept = (this.#window[0]?.revision ?? Number.POSITIVE_INFINITY) > this.#forgottenRevision;
    if (!isFirstKept) this.#window = this.#window.filter((change) => change.revision > this.#forgottenRevision);
  }

  /** Waits at most `limitMs` until the cache has reached this revision. Returns whether it has. */
  async reached(revision: number, limitMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#revision >= revision) return true;
    let isOver = false;
    let moved = deferred();
    const wake = () => moved.resolve();
    this.#waiting.add(wake);
    const timer = this.#clock.after(limitMs, () => {
      isOver = true;
      wake();
    });
    try {
      // The revision is checked again after each wait, because `fallBack` may have decreased it meanwhile.
      while (this.#revision < revision && !isOver) {
        await untilAborted(moved.promise, signal);
        moved = deferred();
      }
    } finally {
      timer[Symbol.dispose]();
      this.#waiting.delete(wake);
    }
    return this.#revision >= revision;
  }

  #publish(change: Change): void {
    this.#objects.apply(change);
    this.#window.push(change);
    this.#revision = change.revision;
    this.#watchers.emit(change);
    for (const wake of this.#waiting) wake();
  }
}
