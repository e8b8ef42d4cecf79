// How long a key that failed has to wait before it is tried again. A limiter remembers failures by key until it is told to
// forget; who never forgets leaks. Limiters are combined, not configured.
import {
  backoffDelayMs,
  type Clock,
  fullBucket,
  KubeloopError,
  msUntilToken,
  type TokenBucketPolicy,
  takeToken,
} from "../base/index.ts";
import type { QueueKey } from "./ready-order.ts";

export interface RateLimiter<K extends QueueKey> {
  /** How long the key has to wait now. Counts as one more failure. */
  when(key: K): number;
  /** The key is well: the next failure is its first. */
  forget(key: K): void;
  /** Failures since it was last forgotten. */
  numRequeues(key: K): number;
}

class FailureCounts<K> {
  readonly #counts = new Map<K, number>();

  /** How many there were before this one. */
  countOne(key: K): number {
    const before = this.#counts.get(key) ?? 0;
    this.#counts.set(key, before + 1);
    return before;
  }

  of(key: K): number {
    return this.#counts.get(key) ?? 0;
  }

  forget(key: K): void {
    this.#counts.delete(key);
  }
}

export interface ExponentialLimits {
  /** 5 ms unless given. */
  readonly baseMs?: number;
  /** 1000 s unless given. */
  readonly maxMs?: number;
}

/** baseMs × 2^failures, at most maxMs, however many failures there are. */
export function exponentialRateLimiter<K extends QueueKey>(limits: ExponentialLimits = {}): RateLimiter<K> {
  const { baseMs = 5, maxMs = 1_000_000 } = limits;
  return counting((failures) => backoffDelayMs({ initialMs: baseMs, factor: 2, maxMs, jitter: 0 }, failures + 1));
}

export interface FastSlowLimits {
  readonly fastMs: number;
  readonly slowMs: number;
  /** How many tries are fast. */
  readonly maxFastAttempts: number;
}

export function fastSlowRateLimiter<K extends QueueKey>(limits: FastSlowLimits): RateLimiter<K> {
  return counting((failures) => (failures < limits.maxFastAttempts ? limits.fastMs : limits.slowMs));
}

function counting<K extends QueueKey>(delayAfter: (failures: number) => number): RateLimiter<K> {
  const counts = new FailureCounts<K>();
  return {
    when: (key) => delayAfter(counts.countOne(key)),
    forget: (key) => counts.forget(key),
    numRequeues: (key) => counts.of(key),
  };
}

/** All keys together: so many a second on average, so many at once. Each call takes a token, now or in the future. */
export function bucketRateLimiter<K extends QueueKey>(policy: TokenBucketPolicy, clock: Clock): RateLimiter<K> {
  if (!(policy.qps > 0) || !(policy.burst >= 1)) {
    throw new KubeloopError(`qps must be above 0 and burst at least 1, not ${policy.qps} and ${policy.burst}`, {
      reason: "Invalid",
      retry: "never",
    });
  }
  let bucket = fullBucket;
  return {
    when() {
      const nowMs = clock.monotonic();
      const delayMs = msUntilToken(bucket, policy, { nowMs, ahead: 0 });
      bucket = takeToken(bucket, policy, nowMs);
      return delayMs;
    },
    forget() {},
    numRequeues: () => 0,
  };
}

/** The longest of what several ask for. */
export function maxOfRateLimiter<K extends QueueKey>(...limiters: readonly RateLimiter<K>[]): RateLimiter<K> {
  return {
    when: (key) => limiters.reduce((most, limiter) => Math.max(most, limiter.when(key)), 0),
    forget(key) {
      for (const limiter of limiters) limiter.forget(key);
    },
    numRequeues: (key) => limiters.reduce((most, limiter) => Math.max(most, limiter.numRequeues(key)), 0),
  };
}

/** Another limiter's, but never longer than this. */
export function maxWaitRateLimiter<K extends QueueKey>(limiter: RateLimiter<K>, maxMs: number): RateLimiter<K> {
  return {
    when: (key) => Math.min(limiter.when(key), maxMs),
    forget: (key) => limiter.forget(key),
    numRequeues: (key) => limiter.numRequeues(key),
  };
}

/** What controllers use unless they know better: each key 5 ms to 1000 s, all of them 10 a second with a burst of 100. */
export function defaultControllerRateLimiter<K extends QueueKey>(clock: Clock): RateLimiter<K> {
  return maxOfRateLimiter(exponentialRateLimiter<K>(), bucketRateLimiter<K>({ qps: 10, burst: 100 }, clock));
}

/** Each key 1 ms to 1000 s, without a common limit. */
export function defaultItemBasedRateLimiter<K extends QueueKey>(): RateLimiter<K> {
  return exponentialRateLimiter<K>({ baseMs: 1 });
}
