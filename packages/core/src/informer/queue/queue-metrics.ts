// The metrics of a queue, under Kubernetes' names. The series of one informer are created together and removed when disposed of,
// so that stopped informers leave no series behind.
import type {
  GaugeSeries,
  HistogramDefinition,
  HistogramSeries,
  LabelValues,
  MetricDefinition,
  Metrics,
} from "../../base/index.ts";

type InformerLabel = "name" | "group" | "version" | "resource";

/** Which informer a series belongs to. */
export type InformerLabels = LabelValues<InformerLabel>;

const labels = ["name", "group", "version", "resource"] as const;

export const informerQueueMetrics = {
  queuedItems: {
    name: "informer_queued_items",
    help: "Number of items currently queued in the FIFO.",
    labels,
  },
  processingLatency: {
    name: "informer_processing_latency_seconds",
    help: "Time taken to process events after popping from the queue.",
    labels,
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
} as const satisfies Readonly<Record<string, MetricDefinition<InformerLabel> | HistogramDefinition<InformerLabel>>>;

export interface QueueMetrics {
  readonly queuedItems: GaugeSeries;
  readonly processingLatency: HistogramSeries;
}

export function openQueueMetrics(metrics: Metrics, informer: InformerLabels): QueueMetrics & Disposable {
  const queuedItems = metrics.gauge(informerQueueMetrics.queuedItems);
  const processingLatency = metrics.histogram(informerQueueMetrics.processingLatency);
  return {
    queuedItems: queuedItems.labels(informer),
    processingLatency: processingLatency.labels(informer),
    [Symbol.dispose]() {
      queuedItems.remove(informer);
      processingLatency.remove(informer);
    },
  };
}
