// What follows a decision: the pod's volumes are bound, and then the pod itself. Runs beside the loop, and measures its extension points.
import { type Clock, isAborted, type Log, toError } from "@kubeloop/core/base";
import type { Node, Pod } from "@kubeloop/core/types/core/v1";
import type { PluginStatus } from "../framework/cycle-observer.ts";
import type { Listers } from "../framework/listers.ts";
import type { VolumesToBind } from "../framework/volumes-to-bind.ts";
import type { CycleMetrics, DriverPoint } from "./cycle-metrics.ts";
import { keyOf } from "./pod-events.ts";
import type { PodWrites } from "./pod-writes.ts";
import type { VolumeBinder } from "./volume-binder.ts";

/** What a binding needs to know of its decision. */
export interface Decided {
  readonly nodeName: string;
  /** As they are to be written. */
  readonly volumes: VolumesToBind | undefined;
  readonly schedulerName: string;
  /** How long volumes may take to be bound. Undefined: as long as by default. */
  readonly volumeBindTimeoutMs: number | undefined;
  /** Whether single plugins are measured. */
  readonly isSampled: boolean;
}

export interface BindingCycleOptions {
  readonly writes: PodWrites;
  readonly volumeBinder: VolumeBinder;
  readonly metrics: CycleMetrics;
  readonly clock: Clock;
  readonly log: Log;
  /** What the caches hold now. */
  readonly cached: {
    readonly node: (name: string) => Node | undefined;
    readonly pod: (namespace: string, name: string) => Pod | undefined;
    readonly listers: () => Listers;
  };
  /** Volumes could not be bound. */
  readonly volumesFailed: () => void;
}

export class BindingCycle {
  readonly #options: BindingCycleOptions;

  constructor(options: BindingCycleOptions) {
    this.#options = options;
  }

  /** Throws what went wrong. Before the pod itself was to be bound, `isBinding` of the step is false. */
  async run(pod: Pod, decided: Decided, step: { isBinding: boolean }, signal: AbortSignal): Promise<void> {
    const { volumes } = decided;
    this.#ranNothing("Permit", "Success", decided);
    this.#ranNothing("PreBindPreFlight", volumes === undefined ? "Skip" : "Success", decided);
    if (volumes === undefined) this.#ranNothing("PreBind", "Success", decided);
    else {
      await this.#measured("PreBind", "VolumeBinding", decided, () => this.#bindVolumes(pod, decided, volumes, signal));
    }
    step.isBinding = true;
    await this.#measured("Bind", "DefaultBinder", decided, () =>
      this.#options.writes.bind(pod, decided.nodeName, signal),
    );
    this.#ranNothing("PostBind", "Success", decided);
  }

  async #measured(
    point: "PreBind" | "Bind",
    plugin: string,
    { schedulerName, isSampled }: Decided,
    run: () => Promise<void>,
  ): Promise<void> {
    const { clock, metrics, volumesFailed } = this.#options;
    const startedMs = clock.monotonic();
    let status: PluginStatus = "Error";
    try {
      await run();
      status = "Success";
    } finally {
      metrics.ran(point, status, schedulerName, startedMs);
      if (isSampled) metrics.executed(point, plugin, status, startedMs);
      if (point === "PreBind" && status === "Error") volumesFailed();
    }
  }

  /** Upstream measures also points without a plugin that has something to do. */
  #ranNothing(point: DriverPoint, status: PluginStatus, { schedulerName }: Decided): void {
    this.#options.metrics.ran(point, status, schedulerName, this.#options.clock.monotonic());
  }

  /** The node is nominated first, because volumes may take their time. */
  async #bindVolumes(
    pod: Pod,
    { nodeName, volumeBindTimeoutMs }: Decided,
    volumes: VolumesToBind,
    signal: AbortSignal,
  ): Promise<void> {
    const { writes, volumeBinder, log, cached } = this.#options;
    try {
      await writes.nominate(pod, nodeName, signal);
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      log.warn("nominating failed", { pod: keyOf(pod), node: nodeName, error: toError(error) });
    }
    const { namespace = "", name = "" } = pod.metadata;
    const seen = {
      node: () => cached.node(nodeName),
      pod: () => cached.pod(namespace, name),
      listers: cached.listers(),
    };
    const timeout = volumeBindTimeoutMs === undefined ? {} : { timeoutMs: volumeBindTimeoutMs };
    await volumeBinder.bind({ pod, nodeName, volumes, cached: seen, ...timeout }, signal);
  }
}
