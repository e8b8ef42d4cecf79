// What stands between a real server's storage and nearly all its readers: a copy of the objects, and the newest part of what
// happened to them, for watches to start from. It follows the storage at once unless it is paused; then it is behind, as the
// cache of a slow server is: lists from it are old, watches are silent, and a version it has not reached is waited for.
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
  /** What happened up to this revision is forgotten. */
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

  /** What happened after this revision, or undefined if part of that is forgotten. */
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

  /** As if it had only come so far, or as far back as it remembers; it stays there until `resume`. */
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

  /** Whether it got as far as this revision before `limitMs` were over. */
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
      // Looked at again after each wait: it may have fallen back at once.
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
