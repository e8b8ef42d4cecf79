// What a controller of the manager is started with: clients, shared informers, configuration, what the server serves. One for the whole
// process, made when this replica leads.
import type { Transport } from "@kubeloop/core/api";
import {
  type Clock,
  type Deferred,
  deferred,
  KubeloopError,
  type Log,
  type Metrics,
  type Random,
  timeoutSignal,
  toError,
} from "@kubeloop/core/base";
import { CachedDiscovery, type Client, Discovery, RestMapper } from "@kubeloop/core/client";
import type { Served } from "@kubeloop/core/contract";
import {
  type InformerFactoryOptions,
  InformerName,
  MetadataSharedInformerFactory,
  ObjectOrMetadataInformerFactory,
  SharedInformerFactory,
  stripManagedFields,
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
  /** Of the informers in the metrics, if this manager has it; to be given back also where nothing is started. */
  readonly informerName?: Disposable;
  readonly objectOrMetadataInformerFactory: ObjectOrMetadataInformerFactory;
  /** As whom the shared informers read. */
  readonly informerClient: Client;
  /** PEM: with what this process verifies the server; empty where that is the platform's own roots. */
  readonly clusterCa: string;
  readonly componentConfig: ComponentConfig;
  readonly featureGates: FeatureGates;
  /** What it knows is at most half a minute old. */
  readonly restMapper: RestMapper;
  /** What the server served when this replica began to lead. */
  readonly served: Served;
  /** A cloud provider's functions; none are built in. */
  readonly cloud: undefined;
  readonly loopMode: LoopMode;
  /** Resolves when both informer factories have been started: the garbage collector begins to watch only then. */
  readonly informersStarted: Deferred<void>;
  /** A random time between the least period and twice that: each informer factory has one. */
  readonly resyncPeriodMs: () => number;
  readonly isControllerEnabled: (descriptor: ControllerDescriptor) => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How long controllers may take to finish what they are at when they are told to end; none after a lost lease. */
  readonly drainMs: () => number;
  /** Of the start: aborted when this replica leads no longer. */
  readonly signal: AbortSignal;
  /** To be run when the informers have been started; aborted when this replica leads no longer. */
  readonly addTask: (name: string, run: (signal: AbortSignal) => Promise<void>) => void;
}

export interface ControllerContextParts {
  readonly rootClientBuilder: ControllerClientBuilder;
  readonly clientBuilder: ControllerClientBuilder;
  readonly addTask: ControllerContext["addTask"];
  readonly drainMs: ControllerContext["drainMs"];
  readonly isControllerEnabled: ControllerContext["isControllerEnabled"];
}

const apiServerHealthTimeoutMs = 10_000;
const healthRequestMs = 2000;
/** Upstream resets its mapper this often. */
const mapperTtlMs = 30_000;

/** Waits for the server first; throws if it does not become healthy in time. */
export async function createControllerContext(
  config: CompletedConfig,
  { rootClientBuilder, clientBuilder, addTask, drainMs, isControllerEnabled }: ControllerContextParts,
  signal: AbortSignal,
): Promise<ControllerContext> {
  const { clock, random, log, metrics, componentConfig } = config;
  const informerClient = rootClientBuilder.clientFor("shared-informers");
  const metadataClient = rootClientBuilder.clientFor("metadata-informers");
  await waitForApiServer(informerClient.transport, { clock, log }, signal);
  const resyncPeriodMs = () => componentConfig.generic.minResyncPeriodMs * (1 + random.next());
  const discoveryClient = rootClientBuilder.clientFor("controller-discovery", { qps: 20, burst: 200 });
  const discovery = new CachedDiscovery(new Discovery(discoveryClient.transport, { clock }), {
    clock,
    ttlMs: mapperTtlMs,
  });
  const served = await discovery.discover(signal);
  // Controllers do not read managed fields, and they are a large part of many objects.
  const options: InformerFactoryOptions = { clock, random, log, metrics, transform: stripManagedFields() };
  const named = config.informers === undefined ? reserveInformerName("kube-controller-manager") : {};
  const informerFactory =
    config.informers ??
    new SharedInformerFactory(informerClient, {
      ...options,
      resyncMs: resyncPeriodMs(),
      ...named,
    });
  const metadataInformerFactory =
    config.metadataInformers ??
    new MetadataSharedInformerFactory(metadataClient, { ...options, resyncMs: resyncPeriodMs() });
  return {
    clientBuilder,
    informerFactory,
    metadataInformerFactory,
    ...named,
    objectOrMetadataInformerFactory: new ObjectOrMetadataInformerFactory(informerFactory, metadataInformerFactory),
    informerClient,
    clusterCa: config.clusterCa ?? "",
    componentConfig,
    featureGates: config.featureGates,
    restMapper: new RestMapper(discovery, { clock }),
    served,
    cloud: undefined,
    loopMode: "external-loops",
    informersStarted: deferred(),
    resyncPeriodMs,
    isControllerEnabled,
    clock,
    random,
    log,
    metrics,
    drainMs,
    signal,
    addTask,
  };
}

/** Of several managers in one process only one can have the name, and its informers' metrics. */
function reserveInformerName(name: string): Pick<InformerFactoryOptions, "informerName"> {
  try {
    return { informerName: new InformerName(name) };
  } catch (error) {
    if (!(error instanceof KubeloopError) || error.reason !== "AlreadyExists") throw error;
    return {};
  }
}

/** Polls /healthz each second. */
export async function waitForApiServer(
  transport: Transport,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  const beganMs = clock.monotonic();
  for (;;) {
    using limit = timeoutSignal(signal, healthRequestMs, { clock, what: "/healthz" });
    const fault = await findServerFault(transport, limit.signal, signal);
    if (fault === undefined) return;
    if (clock.monotonic() - beganMs >= apiServerHealthTimeoutMs) {
      throw new Error(`failed to wait for apiserver being healthy: timed out waiting for the condition: ${fault}`);
    }
    log.info("the API server is not healthy yet", { fault });
    await clock.sleep(1000, signal);
  }
}

async function findServerFault(
  transport: Transport,
  limit: AbortSignal,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await using response = await transport(
      { method: "GET", path: "/healthz", query: [], headers: {}, body: { kind: "none" }, prefers: "bytes" },
      limit,
    );
    return response.status === 200 ? undefined : `APIServer isn't healthy: status ${response.status}`;
  } catch (error) {
    signal.throwIfAborted();
    return `failed to get apiserver /healthz status: ${toError(error).message}`;
  }
}
