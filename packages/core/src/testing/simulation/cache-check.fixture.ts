// Checks a whole cache, at any moment: every cached object is a state that the object had on the server; no object is older than the
// resourceVersion of the cache; that resourceVersion never decreases; the indexes match the objects.
import { type corev1, keyOf, type ObjectKey } from "../../api/index.ts";
import type { ReadonlyIndexer } from "../../informer/store/store.ts";
import { type Truth, versionOf } from "./truth.fixture.ts";

export const shardIndex = "shard";
export const shardsOf = (pod: corev1.Pod): readonly string[] => [pod.metadata.labels?.["shard"] ?? "none"];

const parts = 4;

export interface CacheCheckOptions {
  readonly cache: ReadonlyIndexer<corev1.Pod>;
  readonly truth: Truth;
  /** Whether changes of different objects reach the cache in the order of their resourceVersions. */
  readonly isInOrder: boolean;
  readonly onViolation: (what: string) => void;
}

export class CacheCheck {
  readonly #options: CacheCheckOptions;
  #newestVersion = 0;
  #looks = 0;

  constructor(options: CacheCheckOptions) {
    this.#options = options;
  }

  /** Checks only a part of the objects, another part each time, because it is called often. */
  look(): void {
    this.#looks++;
    const version = this.#lookAtVersion();
    let at = this.#looks;
    for (const key of this.#options.truth.keys()) if (at++ % parts === 0) this.#lookAt(key, version);
  }

  lookAtAll(): void {
    const { cache, truth, onViolation } = this.#options;
    const version = this.#lookAtVersion();
    for (const key of truth.keys()) this.#lookAt(key, version);
    const all = cache.list();
    if (cache.size !== all.length) onViolation(`the cache says it has ${cache.size} objects`);
    for (const shard of cache.listIndexFuncValues(shardIndex)) {
      const indexed = cache.indexKeys(shardIndex, shard);
      const expected = all.filter((pod) => shardsOf(pod).includes(shard)).map((pod) => keyOf(pod));
      if (indexed.join() !== expected.sort().join())
        onViolation(`index ${shard} has ${indexed} instead of ${expected}`);
    }
  }

  /** Returns the differences between the cache and the server. */
  differences(onServer: readonly corev1.Pod[]): readonly string[] {
    const { cache } = this.#options;
    const missing = onServer.filter((pod) => cache.get(pod)?.metadata.resourceVersion !== pod.metadata.resourceVersion);
    const expected = new Set(onServer.map((pod) => keyOf(pod)));
    const extra = cache.listKeys().filter((key) => !expected.has(key as ObjectKey));
    return [
      ...missing.map((pod) => `${keyOf(pod)}@${pod.metadata.resourceVersion} is not in the cache`),
      ...extra.map((key) => `${key} is in the cache only`),
    ];
  }

  #lookAtVersion(): number {
    const { cache, onViolation } = this.#options;
    const version = Number(cache.resourceVersion);
    if (version < this.#newestVersion) onViolation(`the cache goes back from ${this.#newestVersion} to ${version}`);
    this.#newestVersion = version;
    return version;
  }

  #lookAt(key: string, version: number): void {
    const { cache, truth, isInOrder, onViolation } = this.#options;
    const cached = cache.getByKey(key);
    if (cached !== undefined) {
      const fault = truth.faultOf(key, cached, "there");
      if (fault !== undefined) onViolation(`cache: ${fault}`);
    }
    const state = truth.stateAt(key, version);
    if (!isInOrder || state === undefined) return;
    const isMissed =
      cached === undefined ? !state.isGone && !truth.wasGoneAfter(key, version) : versionOf(cached) < state.version;
    if (isMissed) {
      const has = cached === undefined ? "not there" : `@${versionOf(cached)}`;
      onViolation(
        `the cache is at ${version}, but ${key} is ${has} instead of ${state.isGone ? "gone" : `@${state.version}`}`,
      );
    }
  }
}
