// What the code counts. A Metrics is passed in, never imported, and counts nothing unless given. Names, labels and buckets
// are Kubernetes' own, so definitions are plain data that a test can compare with upstream's.
//
// `labels(...)` gives the series of one set of label values; keep it where the hot path is, its methods do no look-ups.

export interface MetricDefinition<L extends string = string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly L[];
}

export interface HistogramDefinition<L extends string = string> extends MetricDefinition<L> {
  /** Upper bounds in rising order, without +Inf. */
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

/** A metric and its series, made as their label values are first named. */
export interface Metric<L extends string, Series> {
  labels(values: LabelValues<L>): Series;
  /** Forgets a series, for example of a controller that has gone. */
  remove(values: LabelValues<L>): void;
}

export type Counter<L extends string = never> = Metric<L, CounterSeries>;
export type Gauge<L extends string = never> = Metric<L, GaugeSeries>;
export type Histogram<L extends string = never> = Metric<L, HistogramSeries>;

export interface Metrics {
  /** Asked for twice with the same definition, each gives the same metric; with another one under that name, an error. */
  counter<L extends string = never>(definition: MetricDefinition<L>): Counter<L>;
  gauge<L extends string = never>(definition: MetricDefinition<L>): Gauge<L>;
  histogram<L extends string = never>(definition: HistogramDefinition<L>): Histogram<L>;
  /** Called before the metrics are read, to set gauges that are cheaper to ask than to keep. */
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

/** Bucket bounds: `count` of them, each `factor` times the one before. */
export function exponentialBuckets(start: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => start * factor ** i);
}
