// A small Metrics that stores its values and prints them in the Prometheus text format. Numbers are formatted as Go formats them, so
// that a scrape of this program and a scrape of a Kubernetes component can be compared line by line.
import { KubeloopError } from "./errors.ts";
import { Listeners } from "./listeners.ts";
import type {
  Counter,
  CounterSeries,
  Gauge,
  GaugeSeries,
  Histogram,
  HistogramDefinition,
  HistogramSeries,
  LabelValues,
  Metric,
  MetricDefinition,
  Metrics,
} from "./metrics.ts";
import { printLabels, printNumber, printText } from "./prometheus-text.ts";

export const prometheusContentType = "text/plain; version=0.0.4; charset=utf-8";

export interface MetricsRegistryOptions {
  /** Called with the error when a collect callback throws; the scrape continues. */
  readonly onError?: (error: unknown) => void;
}

type MetricKind = "counter" | "gauge" | "histogram";

interface PrintableSeries {
  /** Returns the lines of one series. `labels` are already printed. */
  print(name: string, labels: readonly string[]): string;
}

const validName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const validLabel = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

export class MetricsRegistry implements Metrics {
  readonly #families = new Map<string, Family<string, PrintableSeries>>();
  readonly #collectors: Listeners<void>;

  constructor(options: MetricsRegistryOptions = {}) {
    this.#collectors = new Listeners<void>(options.onError ?? (() => {}));
  }

  counter<L extends string = never>(definition: MetricDefinition<L>): Counter<L> {
    return this.#family("counter", definition, () => new CounterValue());
  }

  gauge<L extends string = never>(definition: MetricDefinition<L>): Gauge<L> {
    return this.#family("gauge", definition, () => new GaugeValue());
  }

  histogram<L extends string = never>(definition: HistogramDefinition<L>): Histogram<L> {
    checkBuckets(definition);
    return this.#family("histogram", definition, () => new HistogramValue(definition.buckets));
  }

  onCollect(callback: () => void): Disposable {
    return this.#collectors.subscribe(callback);
  }

  /** Returns the whole registry as text, sorted by name. */
  print(): string {
    this.#collectors.emit();
    const families = [...this.#families.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return families.map((family) => family.print()).join("");
  }

  #family<L extends string, S extends PrintableSeries>(
    kind: MetricKind,
    definition: MetricDefinition<L> | HistogramDefinition<L>,
    make: () => S,
  ): Family<L, S> {
    const shape = JSON.stringify([kind, definition.labels ?? [], "buckets" in definition ? definition.buckets : []]);
    const known = this.#families.get(definition.name);
    if (known !== undefined) {
      if (known.shape !== shape) throw invalid(definition.name, "is already defined with another type or other labels");
      return known as unknown as Family<L, S>;
    }
    if (!validName.test(definition.name)) throw invalid(definition.name, "is not a metric name");
    for (const label of definition.labels ?? []) {
      if (!validLabel.test(label)) throw invalid(definition.name, `has a bad label name "${label}"`);
    }
    const family = new Family<L, S>(kind, definition, shape, make);
    this.#families.set(definition.name, family as unknown as Family<string, PrintableSeries>);
    return family;
  }
}

class Family<L extends string, S extends PrintableSeries> implements Metric<L, S> {
  readonly name: string;
  readonly shape: string;
  readonly #kind: MetricKind;
  readonly #help: string;
  readonly #labels: readonly L[];
  readonly #make: () => S;
  readonly #series = new Map<string, { readonly labels: readonly string[]; readonly value: S }>();

  constructor(kind: MetricKind, definition: MetricDefinition<L>, shape: string, make: () => S) {
    this.name = definition.name;
    this.shape = shape;
    this.#kind = kind;
    this.#help = definition.help;
    this.#labels = definition.labels ?? [];
    this.#make = make;
    // A metric without labels has one series, at zero, from the start.
    if (this.#labels.length === 0) this.labels({} as LabelValues<L>);
  }

  labels(values: LabelValues<L>): S {
    const key = this.#key(values);
    const known = this.#series.get(key);
    if (known !== undefined) return known.value;
    const value = this.#make();
    this.#series.set(key, { labels: this.#labels.map((label) => printLabels(label, values[label])), value });
    return value;
  }

  remove(values: LabelValues<L>): void {
    this.#series.delete(this.#key(values));
  }

  print(): string {
    if (this.#series.size === 0) return "";
    const header = `# HELP ${this.name} ${printText(this.#help)}\n# TYPE ${this.name} ${this.#kind}\n`;
    const sorted = [...this.#series].sort(([a], [b]) => (a < b ? -1 : 1));
    return header + sorted.map(([, series]) => series.value.print(this.name, series.labels)).join("");
  }

  #key(values: LabelValues<L>): string {
    let key = "";
    for (const label of this.#labels) {
      const value = values[label];
      if (typeof value !== "string") throw invalid(this.name, `lacks a value for label "${label}"`);
      key += `${value}\u0000`;
    }
    return key;
  }
}

class CounterValue implements CounterSeries, PrintableSeries {
  #value = 0;

  inc(by = 1): void {
    if (!(by >= 0)) throw new KubeloopError("a counter cannot decrease", { reason: "Invalid", retry: "never" });
    this.#value += by;
  }

  print(name: string, labels: readonly string[]): string {
    return printSample(name, labels, this.#value);
  }
}

class GaugeValue implements GaugeSeries, PrintableSeries {
  #value = 0;

  set(value: number): void {
    this.#value = value;
  }

  inc(by = 1): void {
    this.#value += by;
  }

  dec(by = 1): void {
    this.#value -= by;
  }

  print(name: string, labels: readonly string[]): string {
    return printSample(name, labels, this.#value);
  }
}

class HistogramValue implements HistogramSeries, PrintableSeries {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
    this.#count++;
  }

  print(name: string, labels: readonly string[]): string {
    let below = 0;
    const buckets = this.#bounds.map((bound, i) => {
      below += this.#counts[i] ?? 0;
      return printSample(`${name}_bucket`, [...labels, printLabels("le", printNumber(bound))], below);
    });
    return [
      ...buckets,
      printSample(`${name}_bucket`, [...labels, printLabels("le", "+Inf")], this.#count),
      printSample(`${name}_sum`, labels, this.#sum),
      printSample(`${name}_count`, labels, this.#count),
    ].join("");
  }
}

function printSample(name: string, labels: readonly string[], value: number): string {
  return `${name}${labels.length === 0 ? "" : `{${labels.join(",")}}`} ${printNumber(value)}\n`;
}

function checkBuckets({ name, buckets, labels = [] }: HistogramDefinition<string>): void {
  if (buckets.some((bound, i) => i > 0 && !(bound > (buckets[i - 1] ?? Number.NaN)))) {
    throw invalid(name, "has buckets that are not in increasing order");
  }
  if (labels.includes("le")) throw invalid(name, 'cannot have a label "le"');
}

function invalid(name: string, what: string): KubeloopError {
  return new KubeloopError(`metric ${name} ${what}`, { reason: "Invalid", retry: "never" });
}
