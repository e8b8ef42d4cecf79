// The metrics of webhooks, with the names of controller-runtime.
import { exponentialBuckets, type Metrics } from "../../base/index.ts";

export const webhookMetricDefinitions = {
  latency: {
    name: "controller_runtime_webhook_latency_seconds",
    help: "Histogram of the latency of processing admission requests",
    labels: ["webhook"] as const,
    buckets: exponentialBuckets(1e-8, 10, 12),
  },
  total: {
    name: "controller_runtime_webhook_requests_total",
    help: "Total number of admission requests by HTTP status code.",
    labels: ["webhook", "code"] as const,
  },
  inFlight: {
    name: "controller_runtime_webhook_requests_in_flight",
    help: "Current number of admission requests being served.",
    labels: ["webhook"] as const,
  },
  panics: { name: "controller_runtime_webhook_panics_total", help: "Total number of webhook panics" },
  conversionPanics: {
    name: "controller_runtime_conversion_webhook_panics_total",
    help: "Total number of conversion webhook panics",
  },
} as const;

export interface PathMetrics {
  begin(): void;
  end(code: number, seconds: number): void;
}

export interface WebhookMetrics {
  ofPath(path: string): PathMetrics;
  panic(kind: "admission" | "conversion"): void;
}

export function webhookMetrics(metrics: Metrics): WebhookMetrics {
  const latency = metrics.histogram(webhookMetricDefinitions.latency);
  const total = metrics.counter(webhookMetricDefinitions.total);
  const inFlight = metrics.gauge(webhookMetricDefinitions.inFlight);
  const panics = {
    admission: metrics.counter(webhookMetricDefinitions.panics).labels({}),
    conversion: metrics.counter(webhookMetricDefinitions.conversionPanics).labels({}),
  };
  return {
    panic: (kind) => panics[kind].inc(),
    ofPath(path) {
      const series = { webhook: path };
      const time = latency.labels(series);
      const busy = inFlight.labels(series);
      // The series of the codes that dashboards expect exist from the start.
      for (const code of ["200", "500"]) total.labels({ ...series, code });
      return {
        begin: () => busy.inc(),
        end: (code, seconds) => {
          busy.dec();
          time.observe(seconds);
          total.labels({ ...series, code: String(code) }).inc();
        },
      };
    },
  };
}
