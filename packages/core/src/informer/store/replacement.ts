// Prepares the new content of a store beside the old one, in as many slices as the caller likes, while
// readers use the old one; the store then switches in one assignment. An object that fails (no key, a transform or an
// index function that throws) is left out and recorded; it does not affect the others.
import { toError } from "../../base/index.ts";
import type { Indexers } from "./store.ts";
import { TransactionError } from "./store-errors.ts";
import { ThreadSafeStore } from "./thread-safe-store.ts";
import { keptOf, keyFor, type WriteRules } from "./write-rules.ts";

/** Called regularly during long work. Returns a promise to wait for before continuing, or undefined. */
export type Pause = () => Promise<void> | undefined;

interface Failure {
  readonly at: number;
  readonly key: string | undefined;
  readonly error: Error;
}

const objectsBetweenPauses = 32;

export class Replacement<T> {
  readonly #objects: readonly T[];
  readonly #rules: WriteRules<T>;
  /** Results or errors of the transform, by index in the list: it runs once per object, even if the preparation restarts. */
  readonly #outcomes: ({ readonly kept: T } | { readonly error: unknown })[] | undefined;
  #indexers: Indexers<T>;
  #content: ThreadSafeStore<T>;
  #failures: Failure[] = [];
  #next = 0;

  constructor(objects: readonly T[], rules: WriteRules<T>, indexers: Indexers<T>) {
    this.#objects = objects;
    this.#rules = rules;
    this.#indexers = indexers;
    this.#outcomes = rules.transform === undefined ? undefined : [];
    this.#content = this.#newContent();
  }

  /** `indexers` are the current ones, here and below. */
  prepareAll(indexers: Indexers<T>): void {
    this.#follow(indexers);
    this.#placeUpTo(this.#objects.length);
  }

  /** Continues to the end, or until `pause` returns a promise, which is then returned. */
  prepareSlice(indexers: Indexers<T>, pause: Pause): Promise<void> | undefined {
    this.#follow(indexers);
    while (this.#next < this.#objects.length) {
      this.#placeUpTo(Math.min(this.#next + objectsBetweenPauses, this.#objects.length));
      const waiting = this.#next % objectsBetweenPauses === 0 ? pause() : undefined;
      if (waiting !== undefined) return waiting;
    }
    return undefined;
  }

  /** Returns the content after everything is prepared. For an object that failed, it has the object of `before`, if any. */
  contentAfter(before: ThreadSafeStore<T>): ThreadSafeStore<T> {
    for (const { key } of this.#failures) {
      if (key !== undefined && !this.#content.objectsByKey.has(key)) this.#content.copyFrom(before, key);
    }
    return this.#content;
  }

  throwFailures(): void {
    if (this.#failures.length === 0) return;
    const failed = new Set(this.#failures.map(({ at }) => at));
    const successfulIndices = [...this.#objects.keys()].filter((at) => !failed.has(at));
    throw new TransactionError(
      this.#failures.map(({ error }) => error),
      successfulIndices,
    );
  }

  #placeUpTo(end: number): void {
    while (this.#next < end) this.#place(this.#next++);
  }

  #place(at: number): void {
    const object = this.#objects[at] as T;
    let key: string | undefined;
    try {
      key = keyFor(object, this.#rules);
      this.#content.set(key, this.#keptOf(key, object, at));
    } catch (error) {
      this.#failures.push({ at, key, error: toError(error) });
    }
  }

  #keptOf(key: string, object: T, at: number): T {
    if (this.#outcomes === undefined) return keptOf(key, object, this.#rules);
    this.#outcomes[at] ??= attempt(() => keptOf(key, object, this.#rules));
    const outcome = this.#outcomes[at];
    if ("error" in outcome) throw outcome.error;
    return outcome.kept;
  }

  /** Starts again if an index was added meanwhile. */
  #follow(indexers: Indexers<T>): void {
    if (indexers === this.#indexers) return;
    this.#indexers = indexers;
    this.#content = this.#newContent();
    this.#failures = [];
    this.#next = 0;
  }

  #newContent(): ThreadSafeStore<T> {
    return new ThreadSafeStore({ indexers: this.#indexers, isFreezing: this.#rules.isFreezing });
  }
}

function attempt<T>(keep: () => T): { readonly kept: T } | { readonly error: unknown } {
  try {
    return { kept: keep() };
  } catch (error) {
    return { error };
  }
}
