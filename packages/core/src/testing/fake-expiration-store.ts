// client-go's NewFakeExpirationStore: an ExpirationCache whose policy a test decides, and that tells which keys it has dropped because they had
// expired. What is deleted by a caller is not told: the caller knows.
import type { Clock } from "../base/index.ts";
import { ExpirationCache, type ExpirationPolicy, type KeyFunction, type Store } from "../informer/index.ts";

export interface FakeExpirationPolicyOptions<T> {
  /** Keys of what never expires; a test may change the set. */
  readonly neverExpire: ReadonlySet<string>;
  readonly keyOf: KeyFunction<T>;
}

/** Everything has expired but the keys that never do. */
export function fakeExpirationPolicy<T>({ neverExpire, keyOf }: FakeExpirationPolicyOptions<T>): ExpirationPolicy<T> {
  return ({ object }) => !neverExpire.has(keyOf(object));
}

export interface FakeExpirationStoreOptions<T> {
  readonly isExpired: ExpirationPolicy<T>;
  readonly clock: Pick<Clock, "monotonic">;
  /** Called with each key that was found expired and dropped, in that order. */
  readonly onDeleted: (key: string) => void;
}

export function newFakeExpirationStore<T>(keyOf: KeyFunction<T>, options: FakeExpirationStoreOptions<T>): Store<T> {
  const { isExpired, clock, onDeleted } = options;
  return new ExpirationCache({ keyOf, clock, isExpired, onExpired: onDeleted });
}
