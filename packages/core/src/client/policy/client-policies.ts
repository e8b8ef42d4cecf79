// Wraps a client's transport with all policies, in the only order that works, outermost first:
//
//   headers · warnings · call metrics · rate limit · deadline · retries · attempt metrics · transport
//
// Warnings are read from the final response, not from responses that were retried. The deadline starts after the first wait
// for the rate limiter, so that a busy client does not time out before it has sent anything; it covers all retries. Each
// attempt is counted; each call is measured once.
import type { Transport } from "../../api/transport.ts";
import { type Clock, defaultLog, type Log } from "../../base/index.ts";
import { withDeadline } from "./deadline.ts";
import { withDefaultHeaders } from "./headers.ts";
import { type MetricsOptions, withAttemptMetrics, withCallMetrics } from "./metrics.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { withRetry } from "./retry.ts";
import { Throttle, withRateLimit } from "./throttle.ts";
import { printUserAgent } from "./user-agent.ts";
import { withWarnings } from "./warnings.ts";

export interface ClientPolicyOptions extends MetricsOptions {
  readonly clock: Clock;
  readonly log?: Log | undefined;
  /** Default: this program's name and machine. */
  readonly userAgent?: string | undefined;
  /** May be shared between clients. Default: no limit. */
  readonly limiter?: RateLimiter | undefined;
  /** Default: 10. */
  readonly maxRetries?: number | undefined;
  /** For requests without their own timeout. Default: none. */
  readonly timeoutMs?: number | undefined;
}

export function withClientPolicies(transport: Transport, options: ClientPolicyOptions): Transport {
  const { limiter, log = defaultLog, userAgent = printUserAgent() } = options;
  const throttle = limiter === undefined ? undefined : new Throttle({ ...options, limiter });
  const attempts = withAttemptMetrics(transport, options);
  const timed = withDeadline(withRetry(attempts, { ...options, throttle }), options);
  const limited = throttle === undefined ? timed : withRateLimit(timed, throttle);
  const measured = withWarnings(withCallMetrics(limited, options), { log });
  return withDefaultHeaders(measured, { "user-agent": userAgent, accept: "application/json" });
}
