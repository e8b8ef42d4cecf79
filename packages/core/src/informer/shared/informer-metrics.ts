// The metrics of an informer, with upstream's names where they exist: those of its queue and its store, and the failures of
// handlers (which crash the process upstream). Only an informer with a reserved identity has metrics. Its series are removed with it,
// or taken over by an informer that replaced it while it was still ending.
import type { CounterSeries, GaugeSeries, MetricDefinition, Metrics } from "../../base/index.ts";
import { type InformerLabels, openQueueMetrics, type QueueMetrics } from "../queue/queue-metrics.ts";
import { storeResourceVersionMetric } from "../store/store-resource-version.ts";
import type { InformerIdentity } from "./informer-name.ts";

export const handlerErrorsMetric: MetricDefinition<keyof InformerLabels> = {
  name: "informer_handler_errors_total",
  help: "Number of event handler calls that threw or rejected.",
  labels: ["name", "group", "version", "resource"],
};

export interface InformerMetrics extends Disposable {
  readonly queue: QueueMetrics;
  readonly storeResourceVersion: GaugeSeries;
  readonly handlerErrors: CounterSeries;
}

/** The informer that owns the series of an identity: the last one. */
const holders = new WeakMap<InformerIdentity, InformerMetrics>();

/** Undefined if the informer has no reserved identity. */
export function openInformerMetrics(
  metrics: Metrics,
  identity: InformerIdentity | undefined,
): InformerMetrics | undefined {
  if (!identity?.isReserved) return undefined;
  const { group, version, plural } = identity.resource;
  const labels: InformerLabels = { name: identity.name, group, version, resource: plural };
  const queue = openQueueMetrics(metrics, labels);
  const storeResourceVersion = metrics.gauge(storeResourceVersionMetric);
  const handlerErrors = metrics.counter(handlerErrorsMetric);
  const opened: InformerMetrics = {
    queue,
    storeResourceVersion: storeResourceVersion.labels(labels),
    handlerErrors: handlerErrors.labels(labels),
    [Symbol.dispose]() {
      if (holders.get(identity) !== opened) return;
      queue[Symbol.dispose]();
      storeResourceVersion.remove(labels);
      handlerErrors.remove(labels);
    },
  };
  holders.set(identity, opened);
  return opened;
}

/** A gauge that is connected later: the store is created before its informer runs, and the series only then. */
export function laterGauge(gauge: () => GaugeSeries | undefined): GaugeSeries {
  return {
    set: (value) => gauge()?.set(value),
    inc: (by) => gauge()?.inc(by),
    dec: (by) => gauge()?.dec(by),
  };
}
