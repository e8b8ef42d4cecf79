// A Metrics that keeps its numbers in a prom-client registry, for programs that have one already. prom-client itself is
// handed in, so that this file loads without it.
import type * as PromClient from "prom-client";
import { KubeloopError } from "../errors.ts";
import { Listeners } from "../listeners.ts";
import type { HistogramDefinition, LabelValues, Metric, MetricDefinition, Metrics } from "../metrics.ts";

export interface PromClientOptions {
  /** The prom-client module: `import * as client from "prom-client"`. */
  readonly client: Pick<typeof PromClient, "Counter" | "Gauge" | "Histogram">;
  readonly registry: PromClient.Registry;
  /** Told when a collect callback throws; the scrape goes on. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Gotcha: `onCollect` callbacks run when the registry collects the first metric made here, so make one before the first
 * scrape; prom-client has no hook of the registry's own.
 */
export function promClientMetrics(options: PromClientOptions): Metrics {
  const { client, registry } = options;
  const collectors = new Listeners<void>(options.onError ?? (() => {}));
  let isHooked = false;
  const common = <L extends string>(definition: MetricDefinition<L>) => {
    const hook = isHooked ? {} : { collect: () => collectors.emit() };
    isHooked = true;
    return {
      name: definition.name,
      help: definition.help,
      labelNames: [...(definition.labels ?? [])],
      registers: [registry],
      ...hook,
    };
  };
  const known = <M extends object>(name: string, kind: new (...args: never) => M, make: () => M): M => {
    const existing = registry.getSingleMetric(name);
    if (existing === undefined) return make();
    if (existing instanceof kind) return existing;
    throw new KubeloopError(`metric ${name} is defined already with another type`, {
      reason: "Invalid",
      retry: "never",
    });
  };
  return {
    counter: <L extends string>(definition: MetricDefinition<L>) =>
      adapt<L, PromClient.Counter.Internal>(
        known(definition.name, client.Counter, () => new client.Counter(common(definition))),
      ),
    gauge: <L extends string>(definition: MetricDefinition<L>) =>
      adapt<L, PromClient.Gauge.Internal<L>>(
        known(definition.name, client.Gauge, () => new client.Gauge(common(definition))),
      ),
    histogram: <L extends string>(definition: HistogramDefinition<L>) =>
      adapt<L, PromClient.Histogram.Internal<L>>(
        known(
          definition.name,
          client.Histogram,
          () => new client.Histogram({ ...common(definition), buckets: [...definition.buckets] }),
        ),
      ),
    onCollect: (callback) => collectors.subscribe(callback),
  };
}

interface PromMetric<Series> {
  labels(values: Record<string, string>): Series;
  remove(values: Record<string, string>): void;
}

function adapt<L extends string, Series>(metric: PromMetric<Series>): Metric<L, Series> {
  return {
    labels: (values: LabelValues<L>) => metric.labels(values),
    remove: (values: LabelValues<L>) => metric.remove(values),
  };
}
