// What an informer counts, under upstream's names where it has them: those of its queue and of its store, and the failures of
// handlers, at which upstream's process ends. Only an informer with a reserved identity counts; the series vanish with it, or
// pass to the one that was made in its place while it still ended.
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

/** Who of those that had an identity has the series now: the last. */
const holders = new WeakMap<InformerIdentity, InformerMetrics>();

/** Undefined where nothing is to be counted. */
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

/** A store is made before its informer is run, and its series only then. */
export function laterGauge(gauge: () => GaugeSeries | undefined): GaugeSeries {
  return {
    set: (value) => gauge()?.set(value),
    inc: (by) => gauge()?.inc(by),
    dec: (by) => gauge()?.dec(by),
  };
}
