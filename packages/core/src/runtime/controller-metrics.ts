// The metrics that a controller declares. They are registered once and recorded from the measurements in its plans. A measurement of a
// metric that is not declared is a bug in the controller; the driver detects it before it executes the plan.
import type { CounterSeries, GaugeSeries, HistogramSeries, Metric, Metrics } from "../base/index.ts";
import { assertNever } from "../base/index.ts";
import type { ControllerMetric, Measurement } from "../contract/index.ts";

type Registered =
  | { readonly kind: "counter"; readonly metric: Metric<string, CounterSeries> }
  | { readonly kind: "gauge"; readonly metric: Metric<string, GaugeSeries> }
  | { readonly kind: "histogram"; readonly metric: Metric<string, HistogramSeries> };

export class ControllerMetrics {
  readonly #registered = new Map<ControllerMetric, Registered>();

  constructor(metrics: Metrics, declared: readonly ControllerMetric[]) {
    for (const metric of declared) this.#registered.set(metric, register(metrics, metric));
  }

  /** Returns the name of the first metric that is not declared; undefined when all are declared. */
  findUndeclared(measures: readonly Measurement[] | undefined): string | undefined {
    return measures?.find(({ metric }) => !this.#registered.has(metric))?.metric.definition.name;
  }

  record(measures: readonly Measurement[] | undefined): void {
    for (const { metric, operation, value, labels } of measures ?? []) {
      const registered = this.#registered.get(metric);
      if (registered === undefined) continue;
      if (operation === "remove") registered.metric.remove(labels);
      else if (registered.kind === "counter") registered.metric.labels(labels).inc(value);
      else if (registered.kind === "gauge") registered.metric.labels(labels).set(value);
      else registered.metric.labels(labels).observe(value);
    }
  }
}

function register(metrics: Metrics, { kind, definition }: ControllerMetric): Registered {
  switch (kind) {
    case "counter":
      return { kind, metric: metrics.counter<string>(definition) };
    case "gauge":
      return { kind, metric: metrics.gauge<string>(definition) };
    case "histogram":
      return { kind, metric: metrics.histogram<string>(definition) };
    default:
      return assertNever(kind);
  }
}
