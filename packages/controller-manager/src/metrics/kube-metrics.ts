// Metrics under the rules that Kubernetes' components have for them, around any other Metrics:
//
// - Each has a stability level, which its help text begins with.
// - One that is deprecated is hidden after a while (none for ALPHA, one minor version for BETA, three for STABLE), unless
//   `--show-hidden-metrics-for-version` is set. `--disabled-metrics` goes before that.
// - `--allow-metric-labels` limits the values of a label; all others become "unexpected".
// - How many are registered, hidden and disabled is counted.
//
// A metric that is hidden or disabled is not registered: what is measured with it goes nowhere.
import {
  type Counter,
  type CounterSeries,
  type Gauge,
  type Histogram,
  type HistogramDefinition,
  type LabelValues,
  type Metric,
  type MetricDefinition,
  type Metrics,
  MetricsRegistry,
  noMetrics,
} from "@kubeloop/core/base";
import { binaryVersion } from "../options/index.ts";
import { isHidden } from "./deprecation.ts";
import type { LabelAllowLists } from "./label-allow-lists.ts";

export type PrintedMetrics = Metrics & { print(): string | Promise<string> };

export interface KubeMetricsOptions {
  /** Where the values are kept; a new registry unless given. */
  readonly inner?: PrintedMetrics;
  readonly disabled?: readonly string[];
  readonly isShowingHidden?: boolean;
  readonly allowed?: LabelAllowLists;
  /** Of this program, major.minor. */
  readonly version?: string;
}

export const metaMetricDefinitions = {
  registered: {
    name: "registered_metrics_total",
    help: "The count of registered metrics broken by stability level and deprecation version.",
    labels: ["stability_level", "deprecated_version"],
    stability: "BETA",
  },
  disabled: { name: "disabled_metrics_total", help: "The count of disabled metrics.", stability: "BETA" },
  hidden: { name: "hidden_metrics_total", help: "The count of hidden metrics.", stability: "BETA" },
  unexpected: {
    name: "cardinality_enforcement_unexpected_categorizations_total",
    help: "The count of unexpected categorizations during cardinality enforcement.",
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export interface RegisteredMetric {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly definition: MetricDefinition | HistogramDefinition;
}

export class KubeMetrics implements Metrics {
  readonly #inner: PrintedMetrics;
  readonly #disabled: ReadonlySet<string>;
  readonly #isShowingHidden: boolean;
  readonly #version: string;
  readonly #registered = new Map<string, RegisteredMetric>();
  readonly #hidden = new Set<string>();
  readonly #registeredTotal: Counter<"stability_level" | "deprecated_version">;
  readonly #hiddenTotal: CounterSeries;
  readonly #unexpectedTotal: CounterSeries;
  #allowed: LabelAllowLists;

  constructor(options: KubeMetricsOptions = {}) {
    const { inner = new MetricsRegistry(), disabled = [], isShowingHidden = false, allowed = new Map() } = options;
    this.#inner = inner;
    this.#disabled = new Set(disabled.filter((name) => name !== ""));
    this.#isShowingHidden = isShowingHidden;
    this.#version = options.version ?? binaryVersion;
    this.#allowed = allowed;
    // It counts the others, so it is made past the rules, and counted after it is there.
    this.#registeredTotal = inner.counter<"stability_level" | "deprecated_version">(
      printed(metaMetricDefinitions.registered),
    );
    this.#hiddenTotal = inner.counter(printed(metaMetricDefinitions.hidden)).labels({});
    this.#unexpectedTotal = inner.counter(printed(metaMetricDefinitions.unexpected)).labels({});
    inner.counter(printed(metaMetricDefinitions.disabled)).labels({}).inc(this.#disabled.size);
    for (const definition of Object.values(metaMetricDefinitions)) this.#note({ kind: "counter", definition });
  }

  /** Every metric that is served, or will be when it has a value; by name. */
  get registered(): ReadonlyMap<string, RegisteredMetric> {
    return this.#registered;
  }

  /** For metrics that are registered from now on. */
  allowLabels(allowed: LabelAllowLists): void {
    this.#allowed = new Map([...this.#allowed, ...allowed]);
  }

  counter<L extends string = never>(definition: MetricDefinition<L>): Counter<L> {
    if (!this.#admit({ kind: "counter", definition })) return noMetrics.counter(definition);
    return this.#limited(definition, this.#inner.counter(printed(definition)));
  }

  gauge<L extends string = never>(definition: MetricDefinition<L>): Gauge<L> {
    if (!this.#admit({ kind: "gauge", definition })) return noMetrics.gauge(definition);
    return this.#limited(definition, this.#inner.gauge(printed(definition)));
  }

  histogram<L extends string = never>(definition: HistogramDefinition<L>): Histogram<L> {
    if (!this.#admit({ kind: "histogram", definition })) return noMetrics.histogram(definition);
    return this.#limited(definition, this.#inner.histogram(printed(definition)));
  }

  onCollect(callback: () => void): Disposable {
    return this.#inner.onCollect(callback);
  }

  print(): string | Promise<string> {
    return this.#inner.print();
  }

  #admit(metric: RegisteredMetric): boolean {
    const { name } = metric.definition;
    if (this.#registered.has(name)) return true;
    if (this.#hidden.has(name)) return false;
    const hides = !this.#isShowingHidden && isHidden(metric.definition, this.#version);
    if (!hides && !this.#disabled.has(name)) {
      this.#note(metric);
      return true;
    }
    this.#hidden.add(name);
    this.#hiddenTotal.inc();
    return false;
  }

  #note(metric: RegisteredMetric): void {
    const { name, stability = "ALPHA", deprecatedVersion = "" } = metric.definition;
    this.#registered.set(name, metric);
    this.#registeredTotal.labels({ stability_level: stability, deprecated_version: deprecatedVersion }).inc();
  }

  #limited<L extends string, S>({ name }: MetricDefinition<L>, metric: Metric<L, S>): Metric<L, S> {
    const allowed = this.#allowed.get(name);
    if (allowed === undefined) return metric;
    const limit = (values: LabelValues<L>): LabelValues<L> =>
      Object.fromEntries(
        Object.entries<string>(values).map(([label, value]) => {
          if (allowed.get(label)?.has(value) !== false) return [label, value];
          this.#unexpectedTotal.inc();
          return [label, "unexpected"];
        }),
      ) as LabelValues<L>;
    return { labels: (values) => metric.labels(limit(values)), remove: (values) => metric.remove(limit(values)) };
  }
}

/** With the help text that Kubernetes' components print. */
function printed<D extends MetricDefinition>(definition: D): D {
  const { help, stability = "ALPHA", deprecatedVersion } = definition;
  const deprecated = deprecatedVersion === undefined ? "" : `(Deprecated since ${deprecatedVersion}) `;
  return { ...definition, help: `[${stability}] ${deprecated}${help}` };
}
