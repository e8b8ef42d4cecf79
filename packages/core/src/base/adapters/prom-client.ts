// A Metrics that stores its values in a prom-client registry, for programs that already use prom-client. The caller passes the prom-client
// module, so that this file loads without it.
import type * as PromClient from "prom-client";
import { KubeloopError } from "../errors.ts";
import { Listeners } from "../listeners.ts";
import type { HistogramDefinition, LabelValues, Metric, MetricDefinition, Metrics } from "../metrics.ts";

export interface PromClientOptions {
  /** The prom-client module: `import * as client from "prom-client"`. */
  readonly client: Pick<typeof PromClient, "Counter" | "Gauge" | "Histogram">;
  readonly registry: PromClient.Registry;
  /** Called with the error when a collect callback throws; the scrape continues. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Gotcha: prom-client has no collect hook for a whole registry. `onCollect` callbacks run when the registry collects the first metric that was
 * created here, so create one before the first scrape.
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
    throw new KubeloopError(`metric ${name} is already defined with another type`, {
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
