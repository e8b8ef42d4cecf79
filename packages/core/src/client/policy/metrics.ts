// The request metrics of a client, with Kubernetes' names, labels and buckets, so that existing dashboards work. The
// definitions are data; the two wrappers count attempts (inside the retries) and whole calls (around rate limit, deadline and
// retries).
//
// As upstream, durations and sizes are measured only for calls that end by themselves: the duration of watches, logs and upgraded
// connections depends only on their reader. Bodies passed as values have no size.
import type { ApiRequest, Transport } from "../../api/transport.ts";
import {
  type Clock,
  type CounterSeries,
  type HistogramDefinition,
  type MetricDefinition,
  type Metrics,
  noMetrics,
} from "../../base/index.ts";
import { observeResponse } from "./observed-response.ts";
import { isLongRunning } from "./request-traits.ts";

const durationBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const sizeBuckets = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];

export const restClientMetrics = {
  requests: {
    name: "rest_client_requests_total",
    help: "Number of HTTP requests, partitioned by status code, method, and host.",
    labels: ["code", "method", "host"],
  },
  retries: {
    name: "rest_client_request_retries_total",
    help: "Number of request retries, partitioned by status code, verb, and host.",
    labels: ["code", "verb", "host"],
  },
  duration: {
    name: "rest_client_request_duration_seconds",
    help: "Request latency in seconds. Broken down by verb, and host.",
    labels: ["verb", "host"],
    buckets: durationBuckets,
  },
  rateLimiterDuration: {
    name: "rest_client_rate_limiter_duration_seconds",
    help: "Client side rate limiter latency in seconds. Broken down by verb, and host.",
    labels: ["verb", "host"],
    buckets: durationBuckets,
  },
  requestSize: {
    name: "rest_client_request_size_bytes",
    help: "Request size in bytes. Broken down by verb and host.",
    labels: ["verb", "host"],
    buckets: sizeBuckets,
  },
  responseSize: {
    name: "rest_client_response_size_bytes",
    help: "Response size in bytes. Broken down by verb and host.",
    labels: ["verb", "host"],
    buckets: sizeBuckets,
  },
  transports: {
    name: "rest_client_transport_cache_entries",
    help: "Number of transport entries in the internal cache.",
    labels: [],
  },
  transportCalls: {
    name: "rest_client_transport_create_calls_total",
    help:
      "Number of calls to get a new transport, partitioned by the result of the operation hit: obtained from the cache, miss: created " +
      "and added to the cache",
    labels: ["result"],
  },
} as const satisfies Readonly<
  Record<
    string,
    MetricDefinition<"code" | "method" | "verb" | "host" | "result"> | HistogramDefinition<"verb" | "host">
  >
>;

/** Where a client counts, and the name of its server. */
export interface MetricsOptions {
  /** Default: nothing is counted. */
  readonly metrics?: Metrics | undefined;
  /** Host and port of the server, as in its address. Default: "none". */
  readonly host?: string | undefined;
}

/** Counts connections to a server, which all clients that are made of one client share. Registers every metric of clients. */
export function openTransportMetrics(metrics: Metrics | undefined, ownership: "owns" | "shares"): Disposable {
  if (metrics === undefined) return { [Symbol.dispose]() {} };
  const { transports, transportCalls, retries } = restClientMetrics;
  const entries = metrics.gauge<never>(transports).labels({});
  metrics
    .counter(transportCalls)
    .labels({ result: ownership === "owns" ? "miss" : "hit" })
    .inc();
  metrics.counter(retries);
  if (ownership === "owns") entries.inc();
  return {
    [Symbol.dispose]() {
      if (ownership === "owns") entries.dec();
    },
  };
}

/** The label `code` of one attempt; all errors without a response have the same. */
export type AttemptCode = number | "<error>";

/** Counts each attempt by its result, and the size of its request. Belongs inside the retries. */
export function withAttemptMetrics(transport: Transport, options: MetricsOptions): Transport {
  const { metrics, host = "none" } = options;
  if (metrics === undefined) return transport;
  const requests = metrics.counter(restClientMetrics.requests);
  const sizes = metrics.histogram(restClientMetrics.requestSize);
  const count = (request: ApiRequest, code: AttemptCode) => {
    requests.labels({ code: String(code), method: request.method, host }).inc();
    const size = isLongRunning(request) ? undefined : knownSize(request);
    if (size !== undefined) sizes.labels({ verb: request.method, host }).observe(size);
  };
  return async (request, signal) => {
    try {
      const response = await transport(request, signal);
      count(request, response.status);
      return response;
    } catch (error) {
      count(request, "<error>");
      throw error;
    }
  };
}

/** Returns the series for one retry, once its result is known. */
export function retryCounter(options: MetricsOptions): (request: ApiRequest, code: AttemptCode) => CounterSeries {
  const { metrics = noMetrics, host = "none" } = options;
  const retries = metrics.counter(restClientMetrics.retries);
  return (request, code) => retries.labels({ code: String(code), verb: request.method, host });
}

/** Measures calls as the caller sees them, including throttling, retries and reading the body. */
export function withCallMetrics(transport: Transport, options: MetricsOptions & { readonly clock: Clock }): Transport {
  const { clock, metrics, host = "none" } = options;
  if (metrics === undefined) return transport;
  const durations = metrics.histogram(restClientMetrics.duration);
  const sizes = metrics.histogram(restClientMetrics.responseSize);
  return async (request, signal) => {
    if (isLongRunning(request)) return transport(request, signal);
    const labels = { verb: request.method, host };
    const startMs = clock.monotonic();
    const observeDuration = () => durations.labels(labels).observe((clock.monotonic() - startMs) / 1000);
    try {
      const response = await transport(request, signal);
      let size = 0;
      return observeResponse(response, {
        onBytes: (bytes) => {
          size += bytes.length;
        },
        onEnd: (end) => {
          observeDuration();
          const isCounted = response.body.kind !== "value" && (size > 0 || isSuccess(response.status));
          if (end === "complete" && isCounted) sizes.labels(labels).observe(size);
        },
      });
    } catch (error) {
      observeDuration();
      throw error;
    }
  };
}

function knownSize({ body }: ApiRequest): number | undefined {
  if (body.kind === "none") return 0;
  return body.kind === "bytes" && body.bytes instanceof Uint8Array ? body.bytes.length : undefined;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 206;
}
