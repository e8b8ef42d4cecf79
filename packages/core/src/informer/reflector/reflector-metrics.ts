// The metrics of a reflector, with upstream's names, and one of our own for dropped objects. The
// series of a reflector that has ended are removed, so that short-lived reflectors leave no series behind.
import {
  type CounterSeries,
  exponentialBuckets,
  type GaugeSeries,
  type HistogramDefinition,
  type HistogramSeries,
  type Metric,
  type MetricDefinition,
  type Metrics,
} from "../../base/index.ts";

const labels = ["name"] as const;
type NameLabel = (typeof labels)[number];

const durations = exponentialBuckets(0.01, 4, 10);
const counts = exponentialBuckets(1, 8, 8);

const counter = (name: string, help: string): MetricDefinition<NameLabel> => ({ name, help, labels });
const histogram = (name: string, help: string, buckets: readonly number[]): HistogramDefinition<NameLabel> => ({
  name,
  help,
  labels,
  buckets,
});

export const reflectorMetricDefinitions = {
  lists: counter("reflector_lists_total", "Total number of API lists done by the reflectors"),
  listDuration: histogram(
    "reflector_list_duration_seconds",
    "How long an API list takes to return and decode",
    durations,
  ),
  itemsPerList: histogram("reflector_items_per_list", "How many items an API list returns to the reflectors", counts),
  watches: counter("reflector_watches_total", "Total number of API watches done by the reflectors"),
  shortWatches: counter("reflector_short_watches_total", "Total number of short API watches done by the reflectors"),
  watchDuration: histogram("reflector_watch_duration_seconds", "How long an API watch takes", durations),
  itemsPerWatch: histogram(
    "reflector_items_per_watch",
    "How many items an API watch returns to the reflectors",
    counts,
  ),
  lastResourceVersion: counter(
    "reflector_last_resource_version",
    "Last resource version seen for the reflectors, its last 15 digits",
  ),
  dropped: counter(
    "reflector_dropped_total",
    "Total number of objects that were not what they should be, and left out",
  ),
} as const;

export interface ReflectorSeries {
  readonly lists: CounterSeries;
  readonly listDuration: HistogramSeries;
  readonly itemsPerList: HistogramSeries;
  readonly watches: CounterSeries;
  readonly shortWatches: CounterSeries;
  readonly watchDuration: HistogramSeries;
  readonly itemsPerWatch: HistogramSeries;
  readonly lastResourceVersion: GaugeSeries;
  readonly dropped: CounterSeries;
}

export class ReflectorMetrics {
  readonly #metrics: Metrics;
  readonly #name: string;

  constructor(metrics: Metrics, name: string) {
    this.#metrics = metrics;
    this.#name = name;
  }

  /** Disposing of the result removes the series. `version` is read on each scrape. */
  open(version: () => string): ReflectorSeries & Disposable {
    const metrics = this.#metrics;
    const define = reflectorMetricDefinitions;
    const all: Metric<NameLabel, unknown>[] = [];
    const series = <Series>(metric: Metric<NameLabel, Series>): Series => {
      all.push(metric);
      return metric.labels({ name: this.#name });
    };
    const lastResourceVersion = series(metrics.gauge(define.lastResourceVersion));
    const asked = metrics.onCollect(() => lastResourceVersion.set(toNumber(version())));
    return {
      lists: series(metrics.counter(define.lists)),
      listDuration: series(metrics.histogram(define.listDuration)),
      itemsPerList: series(metrics.histogram(define.itemsPerList)),
      watches: series(metrics.counter(define.watches)),
      shortWatches: series(metrics.counter(define.shortWatches)),
      watchDuration: series(metrics.histogram(define.watchDuration)),
      itemsPerWatch: series(metrics.histogram(define.itemsPerWatch)),
      lastResourceVersion,
      dropped: series(metrics.counter(define.dropped)),
      [Symbol.dispose]: () => {
        asked[Symbol.dispose]();
        for (const metric of all) metric.remove({ name: this.#name });
      },
    };
  }
}

/** Versions may exceed the exact range of a number, so only the last 15 digits are used, which still tell them apart. */
function toNumber(resourceVersion: string): number {
  const value = Number(resourceVersion.slice(-15));
  return Number.isNaN(value) ? 0 : value;
}
