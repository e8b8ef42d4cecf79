// What a controller of the manager is started with: clients, shared informers, configuration, what the server serves. One for the whole
// process, made when this replica leads.
import type { Transport } from "@kubeloop/core/api";
import { type Clock, type Deferred, deferred, type Log, type Metrics, type Random } from "@kubeloop/core/base";
import type { Client, RestMapper } from "@kubeloop/core/client";
import type { Served } from "@kubeloop/core/contract";
import {
  MetadataSharedInformerFactory,
  ObjectOrMetadataInformerFactory,
  SharedInformerFactory,
} from "@kubeloop/core/informer";
import type { ComponentConfig, FeatureGates } from "../options/index.ts";
import type { ControllerClientBuilder } from "./client-builder.ts";
import type { CompletedConfig } from "./config.ts";
import type { ControllerDescriptor } from "./controller-descriptors.ts";

/** Whether the loops that need a cloud are part of this process. */
export type LoopMode = "include-cloud-loops" | "external-loops";

export interface ControllerContext {
  readonly clientBuilder: ControllerClientBuilder;
  readonly informerFactory: SharedInformerFactory;
  readonly metadataInformerFactory: MetadataSharedInformerFactory;
  readonly objectOrMetadataInformerFactory: ObjectOrMetadataInformerFactory;
  /** As whom the shared informers read. */
  readonly informerClient: Client;
  /** PEM: with what this process verifies the server; empty where that is the platform's own roots. */
  readonly clusterCa: string;
  readonly componentConfig: ComponentConfig;
  readonly featureGates: FeatureGates;
  readonly restMapper: RestMapper;
  /** What the server served when this replica began to lead. */
  readonly served: Served;
  /** A cloud provider's functions; none are built in. */
  readonly cloud: undefined;
  readonly loopMode: LoopMode;
  /** Opens when both factories have been started. */
  readonly informersStarted: Deferred<void>;
  /** A new one for each informer: between the least period and twice that. */
  readonly resyncPeriodMs: () => number;
  readonly isControllerEnabled: (descriptor: ControllerDescriptor) => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** To be run when the informers have been started; aborted when this replica leads no longer. */
  readonly addTask: (name: string, run: (signal: AbortSignal) => Promise<void>) => void;
}

export interface ControllerContextParts {
  readonly rootClientBuilder: ControllerClientBuilder;
  readonly clientBuilder: ControllerClientBuilder;
  readonly addTask: ControllerContext["addTask"];
  readonly isControllerEnabled: ControllerContext["isControllerEnabled"];
}

const serverPatienceMs = 10_000;

/** Waits for the server first; throws if it does not become healthy in time. */
export async function createControllerContext(
  config: CompletedConfig,
  { rootClientBuilder, clientBuilder, addTask, isControllerEnabled }: ControllerContextParts,
  signal: AbortSignal,
): Promise<ControllerContext> {
  const { clock, random, log, metrics, componentConfig } = config;
  const informerClient = rootClientBuilder.clientFor("shared-informers");
  const metadataClient = rootClientBuilder.clientFor("metadata-informers");
  await waitForApiServer(informerClient.transport, { clock, log }, signal);
  const resyncPeriodMs = () => componentConfig.generic.minResyncPeriodMs * (1 + random.next());
  const options = { clock, random, log, metrics, resyncMs: resyncPeriodMs(), stripManagedFields: true } as const;
  const informerFactory = config.informers ?? new SharedInformerFactory(informerClient, options);
  const metadataInformerFactory =
    config.metadataInformers ??
    new MetadataSharedInformerFactory(metadataClient, { ...options, resyncMs: resyncPeriodMs() });
  const discoveryClient = rootClientBuilder.clientFor("controller-discovery", { burstTimes: discoveryBurst });
  return {
    clientBuilder,
    informerFactory,
    metadataInformerFactory,
    objectOrMetadataInformerFactory: new ObjectOrMetadataInformerFactory(informerFactory, metadataInformerFactory),
    informerClient,
    clusterCa: config.clusterCa ?? "",
    componentConfig,
    featureGates: config.featureGates,
    restMapper: discoveryClient.mapper,
    served: await discoveryClient.discovery.discover(signal),
    cloud: undefined,
    loopMode: "external-loops",
    informersStarted: deferred(),
    resyncPeriodMs,
    isControllerEnabled,
    clock,
    random,
    log,
    metrics,
    addTask,
  };
}

/** Upstream gives discovery 200 at once. */
const discoveryBurst = 200 / 30;

/** Polls /healthz each second. */
export async function waitForApiServer(
  transport: Transport,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  const beganMs = clock.monotonic();
  for (;;) {
    const fault = await findServerFault(transport, signal);
    if (fault === undefined) return;
    if (clock.monotonic() - beganMs >= serverPatienceMs) {
      throw new Error(`failed to wait for apiserver being healthy: ${fault}`);
    }
    log.info("the API server is not healthy yet", { fault });
    await clock.sleep(1000, signal);
  }
}

async function findServerFault(transport: Transport, signal: AbortSignal): Promise<string | undefined> {
  try {
    await using response = await transport(
      { method: "GET", path: "/healthz", query: [], headers: {}, body: { kind: "none" }, prefers: "bytes" },
      signal,
    );
    return response.status === 200 ? undefined : `APIServer isn't healthy: status ${response.status}`;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  }
}
