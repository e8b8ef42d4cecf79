// The metrics of a reflector, with upstream's names, and our own for dropped and malformed objects and for encodings. The
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
import type { AnswerEncoding } from "../../client/index.ts";

const labels = ["name"] as const;
type NameLabel = (typeof labels)[number];

const malformedLabels = ["name", "resource"] as const;
const encodingLabels = ["name", "request", "encoding"] as const;

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
  malformed: {
    name: "reflector_malformed_objects_total",
    help: "Total number of objects that were found malformed when they were read, and listed again",
    labels: malformedLabels,
  },
  encoding: {
    name: "reflector_answer_encoding",
    help: "1 for the encoding in which the last list and the last watch came: protobuf, json, or values in one process",
    labels: encodingLabels,
  },
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
  readonly malformed: CounterSeries;
  answered(what: "list" | "watch" | "both", encoding: AnswerEncoding): void;
}

export class ReflectorMetrics {
  readonly #metrics: Metrics;
  readonly #name: string;
  readonly #resource: string;

  constructor(metrics: Metrics, { name, resource }: { readonly name: string; readonly resource: string }) {
    this.#metrics = metrics;
    this.#name = name;
    this.#resource = resource;
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
    const malformed = metrics.counter(define.malformed);
    const malformedOwner = { name: this.#name, resource: this.#resource };
    const encodings = new EncodingSeries(metrics, this.#name);
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
      malformed: malformed.labels(malformedOwner),
      answered: (what, encoding) => encodings.set(what, encoding),
      [Symbol.dispose]: () => {
        asked[Symbol.dispose]();
        for (const metric of all) metric.remove({ name: this.#name });
        malformed.remove(malformedOwner);
        encodings.removeAll();
      },
    };
  }
}

/** The encodings of the last list and the last watch, each as one series with the value 1. */
class EncodingSeries {
  readonly #gauge: Metric<(typeof encodingLabels)[number], GaugeSeries>;
  readonly #name: string;
  readonly #last = new Map<"list" | "watch", AnswerEncoding>();

  constructor(metrics: Metrics, name: string) {
    this.#gauge = metrics.gauge(reflectorMetricDefinitions.encoding);
    this.#name = name;
  }

  set(what: "list" | "watch" | "both", encoding: AnswerEncoding): void {
    for (const request of what === "both" ? (["list", "watch"] as const) : [what]) {
      const last = this.#last.get(request);
      if (last === encoding) continue;
      if (last !== undefined) this.#gauge.remove({ name: this.#name, request, encoding: last });
      this.#last.set(request, encoding);
      this.#gauge.labels({ name: this.#name, request, encoding }).set(1);
    }
  }

  removeAll(): void {
    for (const [request, encoding] of this.#last) this.#gauge.remove({ name: this.#name, request, encoding });
    this.#last.clear();
  }
}

/** Versions may exceed the exact range of a number, so only the last 15 digits are used, which still tell them apart. */
function toNumber(resourceVersion: string): number {
  const value = Number(resourceVersion.slice(-15));
  return Number.isNaN(value) ? 0 : value;
}
