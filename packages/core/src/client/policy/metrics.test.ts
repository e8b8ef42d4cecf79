import { expect, test } from "vitest";
import { restClientMetrics } from "./metrics.ts";

const durations = "0.005 0.025 0.1 0.25 0.5 1 2 4 8 15 30 60";
const sizes = "64 256 512 1024 4096 16384 65536 262144 1048576 4194304 16777216";

// As component-base 1.36 registers them.
for (const [definition, expected] of [
  [restClientMetrics.requests, "rest_client_requests_total code,method,host"],
  [restClientMetrics.retries, "rest_client_request_retries_total code,verb,host"],
  [restClientMetrics.duration, `rest_client_request_duration_seconds verb,host ${durations}`],
  [restClientMetrics.rateLimiterDuration, `rest_client_rate_limiter_duration_seconds verb,host ${durations}`],
  [restClientMetrics.requestSize, `rest_client_request_size_bytes verb,host ${sizes}`],
  [restClientMetrics.responseSize, `rest_client_response_size_bytes verb,host ${sizes}`],
  [restClientMetrics.transports, "rest_client_transport_cache_entries "],
  [restClientMetrics.transportCalls, "rest_client_transport_create_calls_total result"],
] as const) {
  test(`${definition.name} has upstream's labels and buckets`, () => {
    const buckets = "buckets" in definition ? [definition.buckets.join(" ")] : [];
    expect([definition.name, definition.labels.join(","), ...buckets].join(" ")).toBe(expected);
  });
}
