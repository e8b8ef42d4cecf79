// A token bucket as a value: it holds `burst` tokens at first, gains `qps` of them a second, never more than `burst`, and
// whoever acts takes one. In any stretch of t seconds no more than burst + qps × t are taken.
//
// It is kept as one number, the moment it would be full again: nothing has to be refilled, and rounding does not add up.

export interface TokenBucketPolicy {
  /** Tokens a second; may be a fraction. */
  readonly qps: number;
  /** Tokens it holds when full; a whole number, at least 1. */
  readonly burst: number;
}

export interface TokenBucket {
  /** On the monotonic clock. */
  readonly fullAtMs: number;
}

export const fullBucket: TokenBucket = { fullAtMs: Number.NEGATIVE_INFINITY };

/** How long until there is a token for somebody with so many others `ahead`; 0 when there is one now. */
export function msUntilToken(
  bucket: TokenBucket,
  policy: TokenBucketPolicy,
  seen: { readonly nowMs: number; readonly ahead: number },
): number {
  const fullAtMs = Math.max(bucket.fullAtMs, seen.nowMs);
  return Math.max(0, fullAtMs + (seen.ahead - policy.burst + 1) * msPerToken(policy) - seen.nowMs);
}

/** The bucket with one token less. Ask `msUntilToken` before. */
export function takeToken(bucket: TokenBucket, policy: TokenBucketPolicy, nowMs: number): TokenBucket {
  return { fullAtMs: Math.max(bucket.fullAtMs, nowMs) + msPerToken(policy) };
}

function msPerToken(policy: TokenBucketPolicy): number {
  return 1000 / policy.qps;
}
