// A small map that forgets: what is older than its time to live, and, when full, what nobody has asked for the longest.
import type { Clock } from "../../base/index.ts";

export interface ExpiringLruOptions {
  readonly capacity: number;
  readonly ttlMs: number;
  readonly clock: Pick<Clock, "monotonic">;
}

export class ExpiringLru<V> {
  readonly #options: ExpiringLruOptions;
  /** Those asked for last come last. */
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

  /** Those asked for last come last; asking for all of them in this order changes nothing about it. */
  keys(): string[] {
    return [...this.#entries.keys()];
  }
}
