// The metrics of a controller. A controller declares its metrics in its descriptor, and returns measurements as data beside the actions of a
// plan.
//
//   const skew = histogram({ name: "cronjob_controller_job_creation_skew_duration_seconds", help: "…", buckets });
//   return plan("start it", [[create(jobs, job)]], { measures: [skew.observe(seconds)] });
//
// The driver registers the declared metrics and records the measurements. It refuses a measurement of a metric that is not declared.
import type { HistogramDefinition, LabelValues, MetricDefinition } from "../base/index.ts";

/** For a metric without labels, the argument is left out. */
type LabelArguments<L extends string> = [L] extends [never] ? [] : [labels: LabelValues<L>];

export interface Measurement {
  readonly metric: ControllerMetric;
  /** "remove" deletes the series with these labels. */
  readonly operation: "inc" | "set" | "observe" | "remove";
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

export type ControllerMetric =
  | { readonly kind: "counter" | "gauge"; readonly definition: MetricDefinition }
  | { readonly kind: "histogram"; readonly definition: HistogramDefinition };

export interface CounterMetric<L extends string> {
  readonly kind: "counter";
  readonly definition: MetricDefinition<L>;
  /** Increases the counter by one. */
  inc(...labels: LabelArguments<L>): Measurement;
  add(by: number, ...labels: LabelArguments<L>): Measurement;
}

export interface GaugeMetric<L extends string> {
  readonly kind: "gauge";
  readonly definition: MetricDefinition<L>;
  set(value: number, ...labels: LabelArguments<L>): Measurement;
  remove(...labels: LabelArguments<L>): Measurement;
}

export interface HistogramMetric<L extends string> {
  readonly kind: "histogram";
  readonly definition: HistogramDefinition<L>;
  observe(value: number, ...labels: LabelArguments<L>): Measurement;
}

export function counter<L extends string = never>(definition: MetricDefinition<L>): CounterMetric<L> {
  const metric: CounterMetric<L> = {
    kind: "counter",
    definition,
    inc: (...labels) => measure(metric, "inc", 1, labels),
    add: (by, ...labels) => measure(metric, "inc", by, labels),
  };
  return metric;
}

export function gauge<L extends string = never>(definition: MetricDefinition<L>): GaugeMetric<L> {
  const metric: GaugeMetric<L> = {
    kind: "gauge",
    definition,
    set: (value, ...labels) => measure(metric, "set", value, labels),
    remove: (...labels) => measure(metric, "remove", 0, labels),
  };
  return metric;
}

export function histogram<L extends string = never>(definition: HistogramDefinition<L>): HistogramMetric<L> {
  const metric: HistogramMetric<L> = {
    kind: "histogram",
    definition,
    observe: (value, ...labels) => measure(metric, "observe", value, labels),
  };
  return metric;
}

function measure(
  metric: ControllerMetric,
  operation: Measurement["operation"],
  value: number,
  [labels = {}]: readonly Readonly<Record<string, string>>[],
): Measurement {
  return { metric, operation, value, labels };
}
