// client-go's NewFakeExpirationStore: an ExpirationCache with a policy from the test. It reports the keys that it has deleted because they had
// expired. Keys that a caller deletes are not reported, because the caller knows them.
import type { Clock } from "../base/index.ts";
import { ExpirationCache, type ExpirationPolicy, type KeyFunction, type Store } from "../informer/index.ts";

export interface FakeExpirationPolicyOptions<T> {
  /** The keys that never expire. A test may change the set. */
  readonly neverExpire: ReadonlySet<string>;
  readonly keyOf: KeyFunction<T>;
}

/** A policy by which every key has expired except those in `neverExpire`. */
export function fakeExpirationPolicy<T>({ neverExpire, keyOf }: FakeExpirationPolicyOptions<T>): ExpirationPolicy<T> {
  return ({ object }) => !neverExpire.has(keyOf(object));
}

export interface FakeExpirationStoreOptions<T> {
  readonly isExpired: ExpirationPolicy<T>;
  readonly clock: Pick<Clock, "monotonic">;
  /** Called with each key that was deleted because it had expired, in the order of the deletions. */
  readonly onDeleted: (key: string) => void;
}

export function newFakeExpirationStore<T>(keyOf: KeyFunction<T>, options: FakeExpirationStoreOptions<T>): Store<T> {
  const { isExpired, clock, onDeleted } = options;
  return new ExpirationCache({ keyOf, clock, isExpired, onExpired: onDeleted });
}
