// How often each plugin was asked, how long it took and whether it refused: upstream's metric of admission controllers. A plugin is counted only for
// the resources it is asked for, where upstream also counts those that it passes over.
import type { Clock, HistogramSeries, Metrics } from "@kubeloop/core/base";
import type { Operation } from "./attributes.ts";
import type { PluginName } from "./plugin-order.ts";

export type AdmissionPhase = "admit" | "validate";

export interface AskedPlugin {
  readonly name: PluginName;
  readonly operation: Operation;
  readonly phase: AdmissionPhase;
}

export const admissionMetricName = "apiserver_admission_controller_admission_duration_seconds";

const labels = ["name", "operation", "rejected", "type"] as const;

export class AdmissionMetrics {
  readonly #clock: Clock;
  readonly #duration;
  readonly #series = new Map<string, HistogramSeries>();

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    this.#duration = metrics.histogram<(typeof labels)[number]>({
      name: admissionMetricName,
      help: "Seconds that an admission plugin took, by operation, by type (admit or validate), and by whether it refused.",
      labels,
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5],
    });
  }

  /** Asks the plugin, and throws what it throws. */
  async measure(asked: AskedPlugin, ask: () => Promise<void>): Promise<void> {
    const begunMs = this.#clock.monotonic();
    let isRejected = true;
    try {
      await ask();
      isRejected = false;
    } finally {
      this.#seriesOf(asked, isRejected).observe((this.#clock.monotonic() - begunMs) / 1000);
    }
  }

  #seriesOf({ name, operation, phase }: AskedPlugin, isRejected: boolean): HistogramSeries {
    const key = `${name} ${operation} ${phase} ${isRejected}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = this.#duration.labels({ name, operation, rejected: String(isRejected), type: phase });
      this.#series.set(key, series);
    }
    return series;
  }
}
