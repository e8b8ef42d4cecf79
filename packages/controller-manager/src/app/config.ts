// From options to what the process runs with. `Config` is what the options say; `CompletedConfig` has everything that was still open filled in:
// clients, clock, log, metrics.
import { type Clock, type Log, type Random, systemClock, systemRandom } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import type { MetadataSharedInformerFactory, SharedInformerFactory } from "@kubeloop/core/informer";
import { KubeMetrics, type PrintedMetrics } from "../metrics/index.ts";
import {
  type ComponentConfig,
  type ComponentOptions,
  type FeatureGates,
  gateOptions,
  type KubeControllerManagerOptions,
  readFeatureGates,
} from "../options/index.ts";

export interface Config {
  readonly options: KubeControllerManagerOptions;
  /** Of the cluster, as the manager itself. */
  readonly client: Client;
  /** PEM: with what that client verifies the server, where that is not the platform's own roots; none unless given. */
  readonly clusterCa?: string;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Where the process keeps its metrics; a registry of its own unless given. */
  readonly metrics?: PrintedMetrics;
  /** Reads and sets `-v` while the process runs. */
  readonly verbosity?: { get(): number; set(level: number): void };
  /** Caches that the process has already; own ones unless given. */
  readonly informers?: SharedInformerFactory;
  readonly metadataInformers?: MetadataSharedInformerFactory;
}

export interface CompletedConfig extends Config {
  readonly componentConfig: ComponentConfig;
  readonly featureGates: FeatureGates;
  readonly clock: Clock;
  readonly random: Random;
  /** Under the rules of Kubernetes' components, and of the flags. */
  readonly metrics: KubeMetrics;
}

/** As the flags want them; for those who need them before the configuration is complete. Those that follow the flags already stay. */
export function newMetrics({ metrics }: Pick<ComponentOptions, "metrics">, inner?: PrintedMetrics): KubeMetrics {
  if (inner instanceof KubeMetrics) return inner;
  return new KubeMetrics({
    ...(inner === undefined ? {} : { inner }),
    disabled: metrics.disabledMetrics,
    isShowingHidden: metrics.showHiddenMetricsForVersion !== "",
  });
}

export function complete(config: Config): CompletedConfig {
  const { clock = systemClock, random = systemRandom, options } = config;
  const metrics = newMetrics(options, config.metrics);
  return {
    ...config,
    componentConfig: options.componentConfig,
    featureGates: readFeatureGates(gateOptions(options)).gates,
    clock,
    random,
    metrics,
  };
}
