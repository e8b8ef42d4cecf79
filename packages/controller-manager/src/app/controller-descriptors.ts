// The one table of all controllers: the names of `@kubeloop/controllers`, joined with what each may ask of the server and the function that
// starts it. A row without such a function is not written yet. Everything else that lists controllers (flags, help, roles, documentation, the start) reads it from here.
import {
  type ControllerId,
  type ControllerName,
  controllerNames,
  newClusterRoleAggregationController,
  newDeploymentController,
  newDisruptionController,
  newEndpointSliceController,
  newEndpointSliceMirroringController,
  newEndpointsController,
  newGarbageCollectorController,
  newNamespaceController,
  newNodeIpamController,
  newNodeLifecycleController,
  newPersistentVolumeClaimProtectionController,
  newPersistentVolumeProtectionController,
  newPodGarbageCollector,
  newReplicaSetController,
  newReplicationControllerController,
  newResourceQuotaController,
  newRootCaCertificatePublisher,
  newServiceAccountController,
  newServiceAccountTokenController,
  newTaintEvictionController,
  newTtlController,
} from "@kubeloop/controllers";
import type { rbacv1, Transport } from "@kubeloop/core/api";
import { type Controller, clusterRole, describeController } from "@kubeloop/core/contract";
import type { LimitFactors } from "./client-builder.ts";
import type { ControllerContext, LoopMode } from "./controller-context.ts";
import { startDeploymentController, startReplicaSetController } from "./start-apps-controllers.ts";
import {
  startEndpointsController,
  startGarbageCollectorController,
  startNamespaceController,
  startPersistentVolumeClaimProtectionController,
  startPersistentVolumeProtectionController,
  startPodGarbageCollectorController,
  startReplicationControllerController,
  startResourceQuotaController,
  startRootCaCertificatePublisher,
  startServiceAccountController,
  startServiceAccountTokenController,
  startTtlController,
} from "./start-core-controllers.ts";
import { startEndpointSliceController, startEndpointSliceMirroringController } from "./start-discovery-controllers.ts";
import {
  startNodeIpamController,
  startNodeLifecycleController,
  startTaintEvictionController,
} from "./start-node-controllers.ts";
import { startDisruptionController } from "./start-policy-controllers.ts";
import { startClusterRoleAggregationController } from "./start-rbac-controllers.ts";

/** What came of starting a controller. */
export type StartResult =
  /** It declines: its API is not served, or a setting that it needs is missing. */
  | { readonly isStarted: false }
  | {
      readonly isStarted: true;
      /** Serves /debug/controllers/<name>/. */
      readonly debugHandler?: Transport;
      /** Says what is wrong with it, for /healthz; nothing ever is unless given. */
      readonly findFault?: () => string | undefined;
    };

/** Builds a controller and adds it to the context's tasks. Throws only for what must end the process. */
export type InitFunc = (context: ControllerContext, descriptor: ControllerDescriptor) => Promise<StartResult>;

export interface ControllerDescriptor extends ControllerName {
  /** How much more often than others it may ask the server. */
  readonly limits?: LimitFactors;
  /** Undefined while it is not written. */
  readonly start?: InitFunc;
  /** What it is with its default settings: what it watches, reads, writes and measures. Undefined while it is not written. */
  readonly row?: ControllerRow;
  /** What its identity must be allowed. Watches are the manager's. */
  readonly rules?: readonly rbacv1.PolicyRule[];
}

export type ControllerRow = ReturnType<typeof describeController>;

const limits: Partial<Record<ControllerId, LimitFactors>> = {
  "namespace-controller": { qpsTimes: 20, burstTimes: 100 },
  "garbage-collector-controller": { qpsTimes: 2 },
  "storage-version-migrator-controller": { qpsTimes: 20, burstTimes: 100 },
};

type WrittenController = Required<Pick<ControllerDescriptor, "start" | "row" | "rules">>;

const eventsRule: rbacv1.PolicyRule = { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] };

interface WrittenOptions {
  readonly recordsEvents?: boolean;
}

function written<M>(start: InitFunc, controller: Controller<M>, { recordsEvents }: WrittenOptions = {}) {
  const { rules = [] } = clusterRole(controller);
  const row = describeController(controller);
  return { start, row, rules: recordsEvents === true ? [...rules, eventsRule] : rules } satisfies WrittenController;
}

const records: WrittenOptions = { recordsEvents: true };

const writtenControllers: Partial<Record<ControllerId, WrittenController>> = {
  "clusterrole-aggregation-controller": written(
    startClusterRoleAggregationController,
    newClusterRoleAggregationController(),
  ),
  "deployment-controller": written(startDeploymentController, newDeploymentController(), records),
  "endpoints-controller": written(startEndpointsController, newEndpointsController(), records),
  "endpointslice-controller": written(startEndpointSliceController, newEndpointSliceController(), records),
  "endpointslice-mirroring-controller": written(
    startEndpointSliceMirroringController,
    newEndpointSliceMirroringController(),
    records,
  ),
  "disruption-controller": written(startDisruptionController, newDisruptionController(), records),
  "namespace-controller": written(startNamespaceController, newNamespaceController()),
  "node-ipam-controller": written(startNodeIpamController, newNodeIpamController({ ranges: [] }), records),
  "node-lifecycle-controller": written(startNodeLifecycleController, newNodeLifecycleController(), records),
  "persistentvolume-protection-controller": written(
    startPersistentVolumeProtectionController,
    newPersistentVolumeProtectionController(),
  ),
  "persistentvolumeclaim-protection-controller": written(
    startPersistentVolumeClaimProtectionController,
    newPersistentVolumeClaimProtectionController(),
  ),
  "pod-garbage-collector-controller": written(startPodGarbageCollectorController, newPodGarbageCollector()),
  "garbage-collector-controller": written(startGarbageCollectorController, newGarbageCollectorController(), records),
  "replicaset-controller": written(startReplicaSetController, newReplicaSetController(), records),
  "replicationcontroller-controller": written(
    startReplicationControllerController,
    newReplicationControllerController(),
    records,
  ),
  "resourcequota-controller": written(startResourceQuotaController, newResourceQuotaController()),
  "root-ca-certificate-publisher-controller": written(
    startRootCaCertificatePublisher,
    newRootCaCertificatePublisher({ rootCa: "" }),
  ),
  "serviceaccount-controller": written(startServiceAccountController, newServiceAccountController()),
  "serviceaccount-token-controller": written(
    startServiceAccountTokenController,
    newServiceAccountTokenController({ rootCa: "" }),
  ),
  "taint-eviction-controller": written(startTaintEvictionController, newTaintEvictionController(), records),
  "ttl-controller": written(startTtlController, newTtlController()),
};

export const controllerDescriptors: readonly ControllerDescriptor[] = controllerNames.map((row) => {
  const { [row.name]: limit } = limits;
  return { ...row, ...(limit === undefined ? {} : { limits: limit }), ...writtenControllers[row.name] };
});

export function knownControllers(): readonly string[] {
  return controllerDescriptors.map(({ name }) => name).toSorted();
}

export function controllersDisabledByDefault(): readonly string[] {
  return controllerDescriptors
    .filter(({ isOffByDefault }) => isOffByDefault === true)
    .map(({ name }) => name)
    .toSorted();
}

/** The rows that this mode starts. */
export function newControllerInitializers(
  loopMode: LoopMode,
  descriptors: readonly ControllerDescriptor[] = controllerDescriptors,
): readonly ControllerDescriptor[] {
  return descriptors.filter(({ isCloud }) => isCloud !== true || loopMode === "include-cloud-loops");
}
