// Numbers by topology key and value: how many pods match in the domain, or how much it is preferred.
import type { NodeInfo } from "../snapshot/node-info.ts";

export class TopologyCounts {
  readonly #byKey: Map<string, Map<string, number>>;

  constructor(byKey = new Map<string, Map<string, number>>()) {
    this.#byKey = byKey;
  }

  /** Whether nothing was ever counted, or everything that was counted was taken back. */
  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  get(key: string, value: string): number {
    return this.#byKey.get(key)?.get(value) ?? 0;
  }

  /** Adds to the node's domain. Without the label the node is in none. */
  add(key: string, { labels }: NodeInfo, by: number, { keepZero = false }: { readonly keepZero?: boolean } = {}): void {
    const value = labels[key];
    if (value === undefined) return;
    const counts = this.#byKey.get(key) ?? new Map<string, number>();
    this.#byKey.set(key, counts);
    const count = (counts.get(value) ?? 0) + by;
    if (count !== 0 || keepZero) counts.set(value, count);
    else counts.delete(value);
    if (counts.size === 0) this.#byKey.delete(key);
  }

  /** Returns the sum over all keys that the node has. */
  sumOf({ labels }: NodeInfo): number {
    let sum = 0;
    for (const [key, counts] of this.#byKey) {
      const value = labels[key];
      if (value !== undefined) sum += counts.get(value) ?? 0;
    }
    return sum;
  }

  /** Whether any of the node's domains has a positive count. */
  hasPositive({ labels }: NodeInfo): boolean {
    for (const [key, counts] of this.#byKey) {
      const value = labels[key];
      if (value !== undefined && (counts.get(value) ?? 0) > 0) return true;
    }
    return false;
  }

  clone(): TopologyCounts {
    return new TopologyCounts(new Map([...this.#byKey].map(([key, counts]) => [key, new Map(counts)])));
  }
}
