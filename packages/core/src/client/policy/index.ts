// `policy`: what a client does around a Transport: rate limiting, retries, deadlines,
// default headers, warnings, metrics. Each is a function from Transport to Transport; `withClientPolicies`
// applies all of them in order. Start there.
//
// Not here: credentials and connections (part of a Transport), and the meaning of requests (rest).
export { type ClientPolicyOptions, withClientPolicies } from "./client-policies.ts";
export { type DeadlineOptions, withDeadline } from "./deadline.ts";
export { withDefaultHeaders } from "./headers.ts";
export {
  type MetricsOptions,
  openTransportMetrics,
  restClientMetrics,
  withAttemptMetrics,
  withCallMetrics,
} from "./metrics.ts";
export { RateLimiter, type RateLimiterOptions } from "./rate-limiter.ts";
export { type RetryOptions, withRetry } from "./retry.ts";
export { Throttle, type ThrottleOptions, withRateLimit } from "./throttle.ts";
export { printUserAgent, type UserAgentParts } from "./user-agent.ts";
export { parseWarnings, type Warning, type WarningOptions, withWarnings } from "./warnings.ts";
