// Rate limiters compute how long a failed key has to wait before its next try. A limiter counts failures by key until `forget` is called;
// a caller that never calls `forget` leaks memory. Limiters are combined (`maxOfRateLimiter`) instead of configured.
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
  /** Counts one more failure of the key. Returns how long the key has to wait. */
  when(key: K): number;
  /** The key has succeeded: its next failure counts as its first. */
  forget(key: K): void;
  /** The number of failures since the last `forget`. */
  numRequeues(key: K): number;
}

class FailureCounts<K> {
  readonly #counts = new Map<K, number>();

  /** Returns the number of failures before this one. */
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
  /** Default: 5 ms. */
  readonly baseMs?: number;
  /** Default: 1000 s. */
  readonly maxMs?: number;
}

/** baseMs × 2^failures, at most maxMs. Does not overflow. */
export function exponentialRateLimiter<K extends QueueKey>(limits: ExponentialLimits = {}): RateLimiter<K> {
  const { baseMs = 5, maxMs = 1_000_000 } = limits;
  return counting((failures) => backoffDelayMs({ initialMs: baseMs, factor: 2, maxMs, jitter: 0 }, failures + 1));
}

export interface FastSlowLimits {
  readonly fastMs: number;
  readonly slowMs: number;
  /** How many tries use the short delay. */
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

/** One token bucket for all keys: `qps` keys per second on average, `burst` at once. Each call reserves a token, now or in the future. */
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

/** Returns the longest delay of several limiters. */
export function maxOfRateLimiter<K extends QueueKey>(...limiters: readonly RateLimiter<K>[]): RateLimiter<K> {
  return {
    when: (key) => limiters.reduce((most, limiter) => Math.max(most, limiter.when(key)), 0),
    forget(key) {
      for (const limiter of limiters) limiter.forget(key);
    },
    numRequeues: (key) => limiters.reduce((most, limiter) => Math.max(most, limiter.numRequeues(key)), 0),
  };
}

/** Another limiter's delay, but at most this long. */
export function maxWaitRateLimiter<K extends QueueKey>(limiter: RateLimiter<K>, maxMs: number): RateLimiter<K> {
  return {
    when: (key) => Math.min(limiter.when(key), maxMs),
    forget: (key) => limiter.forget(key),
    numRequeues: (key) => limiter.numRequeues(key),
  };
}

/** The default of controllers: 5 ms to 1000 s for each key, and 10 per second with a burst of 100 for all keys. */
export function defaultControllerRateLimiter<K extends QueueKey>(clock: Clock): RateLimiter<K> {
  return maxOfRateLimiter(exponentialRateLimiter<K>(), bucketRateLimiter<K>({ qps: 10, burst: 100 }, clock));
}

/** 1 ms to 1000 s for each key, without an overall limit. */
export function defaultItemBasedRateLimiter<K extends QueueKey>(): RateLimiter<K> {
  return exponentialRateLimiter<K>({ baseMs: 1 });
}
