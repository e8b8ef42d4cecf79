// A new content of a store in the making. It is prepared beside the old one, in as many slices as the caller likes, while
// readers go on with the old; the store then takes it in one assignment. An object that fails (no key, a transform or an
// index function that throws) is left out and remembered; the others are not held up by it.
import { toError } from "../../base/index.ts";
import type { Indexers } from "./store.ts";
import { TransactionError } from "./store-errors.ts";
import { ThreadSafeStore } from "./thread-safe-store.ts";
import { keptOf, keyFor, type WriteRules } from "./write-rules.ts";

/** Asked now and then while something long goes on: a promise to wait for before going on, or nothing. */
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
  /** What transforms gave, or threw, by place in the list: they run once, however often their results are placed. */
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

  /** `indexers` are those of now, here and below. */
  prepareAll(indexers: Indexers<T>): void {
    this.#follow(indexers);
    this.#placeUpTo(this.#objects.length);
  }

  /** Goes on to the end, or until `pause` gives a promise, which is then the answer. */
  prepareSlice(indexers: Indexers<T>, pause: Pause): Promise<void> | undefined {
    this.#follow(indexers);
    while (this.#next < this.#objects.length) {
      this.#placeUpTo(Math.min(this.#next + objectsBetweenPauses, this.#objects.length));
      const waiting = this.#next % objectsBetweenPauses === 0 ? pause() : undefined;
      if (waiting !== undefined) return waiting;
    }
    return undefined;
  }

  /** The content, once all is prepared. Of an object that failed it has what `before` has of it, if anything. */
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

  /** Begins again where somebody has added an index. */
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
