// Starts the controllers of the core API group.
import {
  newEndpointsController,
  newGarbageCollectorController,
  newNamespaceController,
  newPersistentVolumeClaimProtectionController,
  newPersistentVolumeProtectionController,
  newPodGarbageCollector,
  newReplicationControllerController,
  newResourceQuotaController,
  newRootCaCertificatePublisher,
  newServiceAccountController,
  newServiceAccountTokenController,
  newTtlController,
  OwnerGraph,
  tokenSigner,
} from "@kubeloop/controllers";
import { Ports } from "@kubeloop/core/runtime";
import type { InitFunc } from "./controller-descriptors.ts";
import { newGraphHandler } from "./graph-handler.ts";
import { readRootCa } from "./root-ca.ts";
import { runController } from "./run-controller.ts";
import { readTokenSigner } from "./token-signer.ts";

/** Upstream's: workers do not wait longer for caches. */
const garbageCollectorSyncMs = 30_000;

export const startGarbageCollectorController: InitFunc = async (context, descriptor) => {
  const { enableGarbageCollector, concurrentGCSyncs } = context.componentConfig.garbageCollectorController;
  if (!enableGarbageCollector) return { isStarted: false };
  const graph = new OwnerGraph();
  const controller = newGarbageCollectorController({ workers: concurrentGCSyncs, graph });
  const started = runController(context, descriptor, controller, { syncTimeoutMs: garbageCollectorSyncMs });
  return started.isStarted ? { ...started, debugHandler: newGraphHandler(graph, context.clock) } : started;
};

export const startEndpointsController: InitFunc = async (context, descriptor) => {
  const { concurrentEndpointSyncs, endpointUpdatesBatchPeriodMs } = context.componentConfig.endpointController;
  const controller = newEndpointsController({
    workers: concurrentEndpointSyncs,
    batchMs: endpointUpdatesBatchPeriodMs,
  });
  return runController(context, descriptor, controller, { eventSource: "endpoint-controller" });
};

export const startNamespaceController: InitFunc = async (context, descriptor) => {
  const { concurrentNamespaceSyncs, namespaceSyncPeriodMs } = context.componentConfig.namespaceController;
  const controller = newNamespaceController({ workers: concurrentNamespaceSyncs, resyncMs: namespaceSyncPeriodMs });
  return runController(context, descriptor, controller);
};

export const startPersistentVolumeProtectionController: InitFunc = async (context, descriptor) =>
  runController(context, descriptor, newPersistentVolumeProtectionController());

export const startPersistentVolumeClaimProtectionController: InitFunc = async (context, descriptor) => {
  const reportsUnused = context.featureGates.isEnabled("PersistentVolumeClaimUnusedSinceTime");
  return runController(context, descriptor, newPersistentVolumeClaimProtectionController({ reportsUnused }));
};

export const startPodGarbageCollectorController: InitFunc = async (context, descriptor) => {
  const { terminatedPodGCThreshold } = context.componentConfig.podGCController;
  return runController(context, descriptor, newPodGarbageCollector({ terminatedThreshold: terminatedPodGCThreshold }));
};

export const startReplicationControllerController: InitFunc = async (context, descriptor) => {
  const { componentConfig, featureGates } = context;
  const controller = newReplicationControllerController({
    workers: componentConfig.replicationController.concurrentRCSyncs,
    usesDeletionCost: featureGates.isEnabled("PodDeletionCost"),
  });
  return runController(context, descriptor, controller, { eventSource: "replication-controller" });
};

export const startResourceQuotaController: InitFunc = async (context, descriptor) => {
  const { componentConfig, featureGates } = context;
  const { concurrentResourceQuotaSyncs, resourceQuotaSyncPeriodMs } = componentConfig.resourceQuotaController;
  const controller = newResourceQuotaController({
    workers: concurrentResourceQuotaSyncs,
    resyncMs: resourceQuotaSyncPeriodMs,
    withPodLevel: featureGates.isEnabled("PodLevelResources"),
    withExtendedResources: featureGates.isEnabled("DRAExtendedResource"),
  });
  return runController(context, descriptor, controller);
};

export const startServiceAccountController: InitFunc = async (context, descriptor) =>
  runController(context, descriptor, newServiceAccountController());

export const startRootCaCertificatePublisher: InitFunc = async (context, descriptor) =>
  runController(context, descriptor, newRootCaCertificatePublisher({ rootCa: await readRootCa(context) }));

export const startTtlController: InitFunc = async (context, descriptor) =>
  runController(context, descriptor, newTtlController());

/** Declines without a key. Asks the server as the manager itself: others get their accounts' tokens only while this one runs. */
export const startServiceAccountTokenController: InitFunc = async (context, descriptor) => {
  const { serviceAccountKeyFile, concurrentSATokenSyncs: workers } = context.componentConfig.saController;
  if (serviceAccountKeyFile === "") {
    context.log.info("Controller is disabled because there is no private key", { controller: descriptor.name });
    return { isStarted: false };
  }
  const signToken = await readTokenSigner(serviceAccountKeyFile, context.clock);
  const controller = newServiceAccountTokenController({ workers, rootCa: await readRootCa(context) });
  const ports = new Ports().implement(tokenSigner, async (claims) => signToken(claims));
  return runController(context, descriptor, controller, { ports, clientName: "tokens-controller" });
};
