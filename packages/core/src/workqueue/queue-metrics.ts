// The metrics of a queue, under Kubernetes' names, so that dashboards made for Kubernetes' controllers work here too. A queue without a
// name has no metrics.
import { type Clock, exponentialBuckets, type Metrics } from "../base/index.ts";
import type { QueueObserver } from "./queue-observer.ts";
import type { QueueKey } from "./ready-order.ts";

const labels = ["name"] as const;
const stability = "BETA";
const buckets = exponentialBuckets(10e-9, 10, 10);

export const queueMetricDefinitions = {
  depth: { name: "workqueue_depth", help: "Current depth of workqueue", labels, stability },
  adds: { name: "workqueue_adds_total", help: "Total number of adds handled by workqueue", labels, stability },
  latency: {
    name: "workqueue_queue_duration_seconds",
    help: "How long in seconds an item stays in workqueue before being requested.",
    labels,
    buckets,
    stability,
  },
  work: {
    name: "workqueue_work_duration_seconds",
    help: "How long in seconds processing an item from workqueue takes.",
    labels,
    buckets,
    stability,
  },
  unfinished: {
    name: "workqueue_unfinished_work_seconds",
    help:
      "How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values " +
      "indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
    labels,
    stability,
  },
  longest: {
    name: "workqueue_longest_running_processor_seconds",
    help: "How many seconds has the longest running processor for workqueue been running.",
    labels,
    stability,
  },
  retries: { name: "workqueue_retries_total", help: "Total number of retries handled by workqueue", labels, stability },
} as const;

/** Dispose of it when the queue is no longer used: that removes its series. */
export interface QueueMetrics<K extends QueueKey> extends QueueObserver<K>, Disposable {}

export function queueMetrics<K extends QueueKey>(metrics: Metrics, name: string, clock: Clock): QueueMetrics<K> {
  const definitions = queueMetricDefinitions;
  const series = { name };
  const depth = metrics.gauge(definitions.depth);
  const adds = metrics.counter(definitions.adds);
  const latency = metrics.histogram(definitions.latency);
  const work = metrics.histogram(definitions.work);
  const unfinished = metrics.gauge(definitions.unfinished);
  const longest = metrics.gauge(definitions.longest);
  const retries = metrics.counter(definitions.retries);
  const all = [depth, adds, latency, work, unfinished, longest, retries];
  const of = {
    depth: depth.labels(series),
    adds: adds.labels(series),
    latency: latency.labels(series),
    work: work.labels(series),
    unfinished: unfinished.labels(series),
    longest: longest.labels(series),
    retries: retries.labels(series),
  };
  const addedMs = new Map<K, number>();
  const startedMs = new Map<K, number>();
  // These are cheaper to compute on each scrape than to keep up to date.
  const collecting = metrics.onCollect(() => {
    const nowMs = clock.monotonic();
    let total = 0;
    let most = 0;
    for (const at of startedMs.values()) {
      total += nowMs - at;
      most = Math.max(most, nowMs - at);
    }
    of.unfinished.set(total / 1000);
    of.longest.set(most / 1000);
  });
  return {
    isWatching: true,
    added(key, nowMs) {
      of.adds.inc();
      of.depth.inc();
      addedMs.set(key, nowMs);
    },
    taken(key, nowMs) {
      of.depth.dec();
      of.latency.observe((nowMs - (addedMs.get(key) ?? nowMs)) / 1000);
      addedMs.delete(key);
      startedMs.set(key, nowMs);
    },
    done(key, at) {
      startedMs.delete(key);
      of.work.observe((clock.monotonic() - at) / 1000);
    },
    retried: () => of.retries.inc(),
    [Symbol.dispose]() {
      collecting[Symbol.dispose]();
      for (const metric of all) metric.remove(series);
    },
  };
}
