// Reads the queues of the controllers from the metrics that they keep: how many keys wait, and how many were added. Other metrics are not kept.
import {
  type Counter,
  type CounterSeries,
  type Gauge,
  type GaugeSeries,
  type Metric,
  type MetricDefinition,
  type Metrics,
  noMetrics,
} from "@kubeloop/core/base";

export interface QueueCount {
  readonly name: string;
  readonly depth: number;
  /** Since the queue was opened. */
  readonly added: number;
}

interface Counted {
  depth: number;
  added: number;
}

export class QueueMeter implements Metrics {
  /** Called when a number has changed. */
  onChange: () => void = () => {};
  readonly #queues = new Map<string, Counted>();

  get queues(): readonly QueueCount[] {
    return [...this.#queues].map(([name, counted]) => ({ name, ...counted }));
  }

  counter<L extends string = never>(definition: MetricDefinition<L>): Counter<L> {
    if (definition.name !== "workqueue_adds_total") return noMetrics.counter(definition);
    return this.#metric((queue): CounterSeries => ({ inc: (by = 1) => this.#change(queue, 0, by) }));
  }

  gauge<L extends string = never>(definition: MetricDefinition<L>): Gauge<L> {
    if (definition.name !== "workqueue_depth") return noMetrics.gauge(definition);
    return this.#metric(
      (queue): GaugeSeries => ({
        set: (value) => this.#change(queue, value - queue.depth, 0),
        inc: (by = 1) => this.#change(queue, by, 0),
        dec: (by = 1) => this.#change(queue, -by, 0),
      }),
    );
  }

  histogram = noMetrics.histogram;
  onCollect = noMetrics.onCollect;

  /** Nobody scrapes it. */
  print(): string {
    return "";
  }

  #change(queue: Counted, depth: number, added: number): void {
    queue.depth += depth;
    queue.added += added;
    this.onChange();
  }

  #metric<L extends string, S>(make: (queue: Counted) => S): Metric<L, S> {
    const nameOf = (values: Readonly<Record<string, string>>) => values["name"] ?? "";
    return {
      labels: (values) => {
        const queue = this.#queues.get(nameOf(values)) ?? { depth: 0, added: 0 };
        this.#queues.set(nameOf(values), queue);
        return make(queue);
      },
      remove: (values) => void this.#queues.delete(nameOf(values)),
    };
  }
}
