// Metrics of every controller: those of controller-runtime under its names, and kubeloop_* metrics about stale caches.
import type { Metrics } from "../base/index.ts";

const labels = ["controller"] as const;
const buckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

export const driverMetricDefinitions = {
  total: {
    name: "controller_runtime_reconcile_total",
    help: "Total number of reconciliations per controller",
    labels: ["controller", "result"] as const,
  },
  errors: {
    name: "controller_runtime_reconcile_errors_total",
    help: "Total number of reconciliation errors per controller",
    labels,
  },
  terminal: {
    name: "controller_runtime_terminal_reconcile_errors_total",
    help: "Total number of terminal reconciliation errors per controller",
    labels,
  },
  panics: {
    name: "controller_runtime_reconcile_panics_total",
    help: "Total number of reconciliation panics per controller",
    labels,
  },
  timeouts: {
    name: "controller_runtime_reconcile_timeouts_total",
    help: "Total number of reconciliation timeouts per controller",
    labels,
  },
  time: {
    name: "controller_runtime_reconcile_time_seconds",
    help: "Length of time per reconciliation per controller",
    labels,
    buckets,
  },
  maxConcurrent: {
    name: "controller_runtime_max_concurrent_reconciles",
    help: "Maximum number of concurrent reconciles per controller",
    labels,
  },
  active: {
    name: "controller_runtime_active_workers",
    help: "Number of currently used workers per controller",
    labels,
  },
  skips: {
    name: "kubeloop_stale_sync_skips_total",
    help: "Times a key was put off because a cache had not synced, or did not yet show the controller's own writes",
    labels,
  },
  settlements: {
    name: "kubeloop_settling_reads_total",
    help: "Live reads started because the response to a write was lost, or a cache did not show a write for too long",
    labels,
  },
  repeated: {
    name: "kubeloop_repeated_writes_total",
    help: "Writes with the same content as those before to the same object, from the fifth in a row on",
    labels,
  },
} as const;

export type ReconcileResult = "success" | "error" | "requeue_after";

export type DriverMetrics = ReturnType<typeof driverMetrics>;

export function driverMetrics(metrics: Metrics, controller: string) {
  const definitions = driverMetricDefinitions;
  const its = { controller };
  const total = metrics.counter(definitions.total);
  // All series start at 0, because a missing series looks the same as one that is not exported. Upstream's "requeue" is exported, too, always 0.
  for (const result of ["success", "error", "requeue_after", "requeue"]) total.labels({ controller, result }).inc(0);
  const of = (result: ReconcileResult) => total.labels({ controller, result });
  return {
    total: { success: of("success"), error: of("error"), requeue_after: of("requeue_after") },
    errors: metrics.counter(definitions.errors).labels(its),
    terminal: metrics.counter(definitions.terminal).labels(its),
    panics: metrics.counter(definitions.panics).labels(its),
    timeouts: metrics.counter(definitions.timeouts).labels(its),
    time: metrics.histogram(definitions.time).labels(its),
    maxConcurrent: metrics.gauge(definitions.maxConcurrent).labels(its),
    active: metrics.gauge(definitions.active).labels(its),
    skips: metrics.counter(definitions.skips).labels(its),
    settlements: metrics.counter(definitions.settlements).labels(its),
    repeated: metrics.counter(definitions.repeated).labels(its),
  };
}
