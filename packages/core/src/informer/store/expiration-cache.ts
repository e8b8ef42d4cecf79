// A store with a time to live: reads do not return an expired object, and remove it from the store at that moment.
// No timer runs, so an expired object that is never read stays in memory. Writing an object again restarts its time.
import type { Clock } from "../../base/index.ts";
import type { KeyFunction, Store } from "./store.ts";
import { resourceVersionOf, StoreResourceVersion } from "./store-resource-version.ts";
import { keyFor } from "./write-rules.ts";

export interface TimestampedEntry<T> {
  readonly object: T;
  /** By the monotonic clock. */
  readonly writtenMs: number;
}

export type ExpirationPolicy<T> = (entry: TimestampedEntry<T>) => boolean;

/** An object expires when it is older than `ttlMs`. With zero or less, objects never expire. */
export function ttlPolicy(ttlMs: number, clock: Pick<Clock, "monotonic">): ExpirationPolicy<unknown> {
  return ({ writtenMs }) => ttlMs > 0 && clock.monotonic() - writtenMs > ttlMs;
}

export interface ExpirationCacheOptions<T> {
  readonly keyOf: KeyFunction<T>;
  readonly clock: Pick<Clock, "monotonic">;
  readonly isExpired: ExpirationPolicy<T>;
  /** Called with the key of each expired object that was removed. */
  readonly onExpired?: ((key: string) => void) | undefined;
}

export class ExpirationCache<T> implements Store<T> {
  readonly #options: ExpirationCacheOptions<T>;
  readonly #version = new StoreResourceVersion();
  #entries = new Map<string, TimestampedEntry<T>>();

  constructor(options: ExpirationCacheOptions<T>) {
    this.#options = options;
  }

  /** Checks every object, as all reads of several objects do. */
  get size(): number {
    this.#dropExpired();
    return this.#entries.size;
  }

  get resourceVersion(): string {
    return this.#version.current;
  }

  get(object: T): T | undefined {
    return this.getByKey(keyFor(object, this.#options));
  }

  getByKey(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (!this.#options.isExpired(entry)) return entry.object;
    this.#drop(key);
    return undefined;
  }

  list(): T[] {
    this.#dropExpired();
    return [...this.#entries.values()].map(({ object }) => object);
  }

  listKeys(): string[] {
    this.#dropExpired();
    return [...this.#entries.keys()];
  }

  add(object: T): void {
    const key = keyFor(object, this.#options);
    this.#entries.set(key, { object, writtenMs: this.#options.clock.monotonic() });
    this.#version.advance(resourceVersionOf(object));
  }

  update(object: T): void {
    this.add(object);
  }

  delete(object: T): void {
    this.#entries.delete(keyFor(object, this.#options));
    this.#version.advance(resourceVersionOf(object));
  }

  /** Throws a KeyError, and then nothing has changed. */
  replace(objects: readonly T[], resourceVersion: string): void {
    const writtenMs = this.#options.clock.monotonic();
    this.#entries = new Map(objects.map((object) => [keyFor(object, this.#options), { object, writtenMs }]));
    this.#version.set(resourceVersion);
  }

  resync(): void {}

  bookmark(resourceVersion: string): void {
    this.#version.advance(resourceVersion);
  }

  #dropExpired(): void {
    for (const [key, entry] of this.#entries) if (this.#options.isExpired(entry)) this.#drop(key);
  }

  #drop(key: string): void {
    this.#entries.delete(key);
    this.#options.onExpired?.(key);
  }
}

export interface TtlStoreOptions {
  readonly ttlMs: number;
  readonly clock: Pick<Clock, "monotonic">;
}

export function newTtlStore<T>(keyOf: KeyFunction<T>, { ttlMs, clock }: TtlStoreOptions): Store<T> {
  return new ExpirationCache({ keyOf, clock, isExpired: ttlPolicy(ttlMs, clock) });
}
