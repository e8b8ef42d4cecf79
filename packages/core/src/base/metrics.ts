// The metrics interface. A Metrics is passed in, never imported; where none is passed, nothing is counted. Names, labels and buckets
// are those of Kubernetes, and definitions are plain data, so that a test can compare them with upstream's.
//
// `labels(...)` returns the series of one set of label values. Keep the series in a field on a hot path: its methods do no look-ups.

/** How much may still change about a metric, in Kubernetes' words. */
export type MetricStability = "INTERNAL" | "ALPHA" | "BETA" | "STABLE";

export interface MetricDefinition<L extends string = string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly L[];
  /** Default: ALPHA. Only registries that follow Kubernetes' rules for metrics read this and the next field. */
  readonly stability?: MetricStability;
  /** The version that deprecated it, for example "1.36.0". */
  readonly deprecatedVersion?: string;
}

export interface HistogramDefinition<L extends string = string> extends MetricDefinition<L> {
  /** Upper bounds in increasing order, without +Inf. */
  readonly buckets: readonly number[];
}

export type LabelValues<L extends string> = Readonly<Record<L, string>>;

export interface CounterSeries {
  inc(by?: number): void;
}

export interface GaugeSeries {
  set(value: number): void;
  inc(by?: number): void;
  dec(by?: number): void;
}

export interface HistogramSeries {
  observe(value: number): void;
}

/** A metric and its series. A series is created when its label values are first used. */
export interface Metric<L extends string, Series> {
  labels(values: LabelValues<L>): Series;
  /** Removes a series, for example after its controller has stopped. */
  remove(values: LabelValues<L>): void;
}

export type Counter<L extends string = never> = Metric<L, CounterSeries>;
export type Gauge<L extends string = never> = Metric<L, GaugeSeries>;
export type Histogram<L extends string = never> = Metric<L, HistogramSeries>;

export interface Metrics {
  /** For these three: the same definition returns the same metric; another definition with the same name throws. */
  counter<L extends string = never>(definition: MetricDefinition<L>): Counter<L>;
  gauge<L extends string = never>(definition: MetricDefinition<L>): Gauge<L>;
  histogram<L extends string = never>(definition: HistogramDefinition<L>): Histogram<L>;
  /** Calls `callback` before each scrape, to set gauges that are cheaper to compute then than to keep up to date. */
  onCollect(callback: () => void): Disposable;
}

const noSeries: CounterSeries & GaugeSeries & HistogramSeries = { inc() {}, dec() {}, set() {}, observe() {} };
const noMetric: Metric<string, typeof noSeries> = { labels: () => noSeries, remove() {} };

export const noMetrics: Metrics = {
  counter: () => noMetric,
  gauge: () => noMetric,
  histogram: () => noMetric,
  onCollect: () => ({ [Symbol.dispose]() {} }),
};

/** Returns `count` bucket bounds, each `factor` times the previous one, rounded as Go's client library does: the text of a bound is its name. */
export function exponentialBuckets(start: number, factor: number, count: number): readonly number[] {
  const bounds = [start];
  for (let at = 1; at < count; at++) bounds.push((bounds[at - 1] ?? start) * factor);
  return bounds;
}
