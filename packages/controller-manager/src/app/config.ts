// From options to what the process runs with. `Config` is what the options say; `CompletedConfig` has everything that was still open filled in:
// clients, clock, log, metrics.
import {
  type Clock,
  type Log,
  type Metrics,
  MetricsRegistry,
  type Random,
  systemClock,
  systemRandom,
} from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import type { MetadataSharedInformerFactory, SharedInformerFactory } from "@kubeloop/core/informer";
import {
  type ComponentConfig,
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
  readonly metrics?: Metrics;
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
  readonly metrics: Metrics & { print(): string | Promise<string> };
}

export function complete(config: Config): CompletedConfig {
  const { clock = systemClock, random = systemRandom, metrics = new MetricsRegistry(), options } = config;
  return {
    ...config,
    componentConfig: options.componentConfig,
    featureGates: readFeatureGates(gateOptions(options)).gates,
    clock,
    random,
    metrics: metrics as CompletedConfig["metrics"],
  };
}
