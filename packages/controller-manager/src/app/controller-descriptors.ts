// The one table of all controllers: the names of `@kubeloop/controllers`, joined with what each may ask of the server and the function that
// starts it. A row without such a function is not written yet. Everything else that lists controllers (flags, help, roles, documentation, the start) reads it from here.
import { type ControllerId, type ControllerName, controllerNames } from "@kubeloop/controllers";
import type { Transport } from "@kubeloop/core/api";
import type { LimitFactors } from "./client-builder.ts";
import type { ControllerContext, LoopMode } from "./controller-context.ts";
import { startReplicaSetController } from "./start-apps-controllers.ts";
import {
  startGarbageCollectorController,
  startNamespaceController,
  startPodGarbageCollectorController,
  startRootCaCertificatePublisher,
  startServiceAccountController,
  startServiceAccountTokenController,
  startTtlController,
} from "./start-core-controllers.ts";
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
}

const limits: Partial<Record<ControllerId, LimitFactors>> = {
  "namespace-controller": { qpsTimes: 20, burstTimes: 100 },
  "garbage-collector-controller": { qpsTimes: 2 },
  "storage-version-migrator-controller": { qpsTimes: 20, burstTimes: 100 },
};

const initFuncs: Partial<Record<ControllerId, InitFunc>> = {
  "clusterrole-aggregation-controller": startClusterRoleAggregationController,
  "namespace-controller": startNamespaceController,
  "pod-garbage-collector-controller": startPodGarbageCollectorController,
  "garbage-collector-controller": startGarbageCollectorController,
  "replicaset-controller": startReplicaSetController,
  "root-ca-certificate-publisher-controller": startRootCaCertificatePublisher,
  "serviceaccount-controller": startServiceAccountController,
  "serviceaccount-token-controller": startServiceAccountTokenController,
  "ttl-controller": startTtlController,
};

export const controllerDescriptors: readonly ControllerDescriptor[] = controllerNames.map((row) => {
  const { [row.name]: limit } = limits;
  const { [row.name]: start } = initFuncs;
  return { ...row, ...(limit === undefined ? {} : { limits: limit }), ...(start === undefined ? {} : { start }) };
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
