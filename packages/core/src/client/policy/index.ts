// `policy`: what a client does around a Transport without the caller noticing: waiting its turn, trying again, giving up in
// time, saying who it is, passing on warnings, counting. Each is a function from Transport to Transport; `withClientPolicies`
// puts all of them around one, in order. Start there.
//
// Not here: credentials and connections (which a Transport has of its own), and what requests mean (rest).
export { type ClientPolicyOptions, withClientPolicies } from "./client-policies.ts";
export { type DeadlineOptions, withDeadline } from "./deadline.ts";
export { withDefaultHeaders } from "./headers.ts";
export { type MetricsOptions, restClientMetrics, withAttemptMetrics, withCallMetrics } from "./metrics.ts";
export { RateLimiter, type RateLimiterOptions } from "./rate-limiter.ts";
export { type RetryOptions, withRetry } from "./retry.ts";
export { Throttle, type ThrottleOptions, withRateLimit } from "./throttle.ts";
export { printUserAgent, type UserAgentParts } from "./user-agent.ts";
export { parseWarnings, type Warning, type WarningOptions, withWarnings } from "./warnings.ts";
