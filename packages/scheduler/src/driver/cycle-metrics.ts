// Measures cycles for the metrics: how long extension points take, how often plugins are asked, and in every tenth cycle how long each of them takes, because
// reading the clock for each plugin on each node costs more than most of them do.
import type { Clock, CounterSeries, HistogramSeries, Metrics } from "@kubeloop/core/base";
import {
  type CycleObserver,
  type CyclePoint,
  type Meter,
  noMeter,
  type PluginStatus,
} from "../framework/cycle-observer.ts";
import type { Plugin } from "../framework/plugin.ts";
import { schedulerMetricDefinitions } from "./scheduler-metrics.ts";

/** Extension points of what follows a decision, and of what comes before it. */
export type DriverPoint = "PreEnqueue" | "Permit" | "PreBindPreFlight" | "PreBind" | "Bind" | "PostBind";
export type MeasuredPoint = CyclePoint | DriverPoint;

const sampleEvery = 10;
/** Upstream counts calls at these points only. */
const counted: readonly string[] = ["PreFilter", "Filter", "PreScore", "Score"];
// Here every plugin prepares itself; upstream's of these names have nothing to prepare, and so are not measured there.
const unprepared: Readonly<Partial<Record<CyclePoint, readonly string[]>>> = {
  PreFilter: ["NodeUnschedulable", "NodeName", "TaintToleration"],
  PreScore: ["ImageLocality"],
};

export class CycleMetrics {
  readonly #clock: Clock;
  readonly #points: (point: MeasuredPoint, status: PluginStatus, profile: string) => HistogramSeries;
  readonly #executions: (point: MeasuredPoint, status: PluginStatus, plugin: string) => HistogramSeries;
  readonly #evaluations: (point: MeasuredPoint, plugin: string, profile: string) => CounterSeries;
  #cycles = 0;

  constructor(metrics: Metrics, clock: Clock) {
    const { extensionPointDuration, pluginDuration, pluginEvaluations } = schedulerMetricDefinitions;
    this.#clock = clock;
    const points = metrics.histogram(extensionPointDuration);
    const executions = metrics.histogram(pluginDuration);
    const evaluations = metrics.counter(pluginEvaluations);
    this.#points = remembered((extension_point, status, profile) =>
      points.labels({ extension_point, status, profile }),
    );
    this.#executions = remembered((extension_point, status, plugin) =>
      executions.labels({ extension_point, status, plugin }),
    );
    this.#evaluations = remembered((extension_point, plugin, profile) =>
      evaluations.labels({ extension_point, plugin, profile }),
    );
  }

  /** As upstream, a plugin that was never asked is counted with 0. */
  declare(plugins: readonly { readonly plugin: Plugin }[], profile: string): void {
    for (const { plugin } of plugins) {
      const points: readonly CyclePoint[] = [
        ...(plugin.preFilter === undefined ? [] : (["PreFilter", "Filter"] as const)),
        ...(plugin.preScore === undefined ? [] : (["PreScore", "Score"] as const)),
      ];
      for (const point of points) this.#plugin(point, plugin.name, { profile, isSampled: false });
    }
  }

  /** For one cycle of a pod of this profile. */
  cycle(profile: string): CycleObserver & { readonly isSampled: boolean } {
    const isSampled = this.#cycles++ % sampleEvery === 0;
    return {
      isSampled,
      point: (point) =>
        new Stopwatch(this.#clock, (seconds, status) => this.#points(point, status, profile).observe(seconds)),
      plugin: (point, plugin) => this.#plugin(point, plugin, { profile, isSampled }),
    };
  }

  /** All plugins of the point have run, since then. */
  ran(point: DriverPoint, status: PluginStatus, profile: string, sinceMs: number): void {
    this.#points(point, status, profile).observe((this.#clock.monotonic() - sinceMs) / 1000);
  }

  /** One plugin has run, in a cycle that is sampled. */
  executed(point: DriverPoint, plugin: string, status: PluginStatus, sinceMs: number): void {
    this.#executions(point, status, plugin).observe((this.#clock.monotonic() - sinceMs) / 1000);
  }

  #plugin(
    point: CyclePoint,
    plugin: string,
    { profile, isSampled }: { readonly profile: string; readonly isSampled: boolean },
  ): Meter {
    if (unprepared[point]?.includes(plugin) === true) return noMeter;
    const counter = counted.includes(point) ? this.#evaluations(point, plugin, profile) : undefined;
    if (!isSampled) return counter === undefined ? noMeter : new Tally(counter);
    return new Stopwatch(this.#clock, (seconds, status) => {
      if (status !== "Skip") counter?.inc();
      this.#executions(point, status, plugin).observe(seconds);
    });
  }
}

/** Counts calls. One that had nothing to do does not count. */
class Tally implements Meter {
  readonly #counter: CounterSeries;

  constructor(counter: CounterSeries) {
    this.#counter = counter;
  }

  begin(): void {}

  end(status: PluginStatus): void {
    if (status !== "Skip") this.#counter.inc();
  }
}

class Stopwatch implements Meter {
  readonly #clock: Clock;
  readonly #ended: (seconds: number, status: PluginStatus) => void;
  #startedMs = 0;

  constructor(clock: Clock, ended: (seconds: number, status: PluginStatus) => void) {
    this.#clock = clock;
    this.#ended = ended;
  }

  begin(): void {
    this.#startedMs = this.#clock.monotonic();
  }

  end(status: PluginStatus): void {
    this.#ended((this.#clock.monotonic() - this.#startedMs) / 1000, status);
  }
}

/** Series are looked up once for each set of labels. */
function remembered<A extends string, B extends string, C extends string, T>(
  find: (a: A, b: B, c: C) => T,
): (a: A, b: B, c: C) => T {
  const known = new Map<A, Map<B, Map<C, T>>>();
  return (a, b, c) => {
    const byB = getOrAdd(known, a, () => new Map<B, Map<C, T>>());
    const byC = getOrAdd(byB, b, () => new Map<C, T>());
    return getOrAdd(byC, c, () => find(a, b, c));
  };
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
