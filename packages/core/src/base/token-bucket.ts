// A token bucket as a value: it starts with `burst` tokens, gains `qps` tokens a second up to `burst`, and every action takes one token.
// In any interval of t seconds at most burst + qps × t tokens are taken.
//
// The state is one number, the time at which the bucket is full again: nothing has to be refilled, and rounding errors do not accumulate.

export interface TokenBucketPolicy {
  /** Tokens per second; may be a fraction. */
  readonly qps: number;
  /** Tokens in a full bucket; a whole number, at least 1. */
  readonly burst: number;
}

export interface TokenBucket {
  /** By the monotonic clock. */
  readonly fullAtMs: number;
}

export const fullBucket: TokenBucket = { fullAtMs: Number.NEGATIVE_INFINITY };

/** Returns how long to wait for a token if `ahead` other callers wait before this one; 0 if there is a token now. */
export function msUntilToken(
  bucket: TokenBucket,
  policy: TokenBucketPolicy,
  seen: { readonly nowMs: number; readonly ahead: number },
): number {
  const fullAtMs = Math.max(bucket.fullAtMs, seen.nowMs);
  return Math.max(0, fullAtMs + (seen.ahead - policy.burst + 1) * msPerToken(policy) - seen.nowMs);
}

/** Returns the bucket with one token less. Call `msUntilToken` before. */
export function takeToken(bucket: TokenBucket, policy: TokenBucketPolicy, nowMs: number): TokenBucket {
  return { fullAtMs: Math.max(bucket.fullAtMs, nowMs) + msPerToken(policy) };
}

function msPerToken(policy: TokenBucketPolicy): number {
  return 1000 / policy.qps;
}
