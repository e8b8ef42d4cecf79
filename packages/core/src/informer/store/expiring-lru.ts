// A small LRU map with a time to live: it evicts expired entries, and the least recently used one when it is full.
import type { Clock } from "../../base/index.ts";

export interface ExpiringLruOptions {
  readonly capacity: number;
  readonly ttlMs: number;
  readonly clock: Pick<Clock, "monotonic">;
}

export class ExpiringLru<V> {
  readonly #options: ExpiringLruOptions;
  /** Least recently used first. */
  readonly #entries = new Map<string, { readonly value: V; readonly expiresMs: number }>();

  constructor(options: ExpiringLruOptions) {
    this.#options = options;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (this.#options.clock.monotonic() > entry.expiresMs) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V): void {
    const { capacity, ttlMs, clock } = this.#options;
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresMs: clock.monotonic() + ttlMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= capacity) break;
      this.#entries.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Least recently used first; getting all of them in this order does not change the order. */
  keys(): string[] {
    return [...this.#entries.keys()];
  }
}
