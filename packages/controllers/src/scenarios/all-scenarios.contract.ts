// The scenarios of all controllers, by the controller's name: for the runs on a real server, under our manager and under upstream's.
import { deploymentScenarios } from "../apps/deployment/scenarios.contract.ts";
import { replicaSetScenarios } from "../apps/replicaset/scenarios.contract.ts";
import { endpointsScenarios } from "../core/endpoints/scenarios.contract.ts";
import { garbageCollectorScenarios } from "../core/garbage-collector/scenarios.contract.ts";
import { namespaceScenarios } from "../core/namespace/scenarios.contract.ts";
import { nodeIpamScenarios } from "../core/node-ipam/scenarios.contract.ts";
import { nodeLifecycleScenarios } from "../core/node-lifecycle/scenarios.contract.ts";
import { persistentVolumeProtectionScenarios } from "../core/persistentvolume-protection/scenarios.contract.ts";
import { persistentVolumeClaimProtectionScenarios } from "../core/persistentvolumeclaim-protection/scenarios.contract.ts";
import { podGarbageCollectorScenarios } from "../core/pod-garbage-collector/scenarios.contract.ts";
import { replicationControllerScenarios } from "../core/replicationcontroller/scenarios.contract.ts";
import { resourceQuotaScenarios } from "../core/resourcequota/scenarios.contract.ts";
import { rootCaCertificatePublisherScenarios } from "../core/root-ca-certificate-publisher/scenarios.contract.ts";
import { serviceAccountScenarios } from "../core/serviceaccount/scenarios.contract.ts";
import { serviceAccountTokenScenarios } from "../core/serviceaccount-token/scenarios.contract.ts";
import { taintEvictionScenarios } from "../core/taint-eviction/scenarios.contract.ts";
import { ttlScenarios } from "../core/ttl/scenarios.contract.ts";
import { endpointSliceScenarios } from "../discovery/endpointslice/scenarios.contract.ts";
import { endpointSliceMirroringScenarios } from "../discovery/endpointslice-mirroring/scenarios.contract.ts";
import { disruptionScenarios } from "../policy/disruption/scenarios.contract.ts";
import { clusterRoleAggregationScenarios } from "../rbac/clusterrole-aggregation/scenarios.contract.ts";
import type { Scenario } from "./scenario.contract.ts";

export type { Scenario, ScenarioCluster } from "./scenario.contract.ts";
export { newServiceStage, serviceStage } from "./services.contract.ts";

export const allScenarios: Readonly<Record<string, readonly Scenario[]>> = {
  // First: how many nodes there are is the whole cluster's, and others leave some behind.
  "ttl-controller": ttlScenarios,
  "clusterrole-aggregation-controller": clusterRoleAggregationScenarios,
  "deployment-controller": deploymentScenarios,
  "endpoints-controller": endpointsScenarios,
  "endpointslice-controller": endpointSliceScenarios,
  "endpointslice-mirroring-controller": endpointSliceMirroringScenarios,
  "disruption-controller": disruptionScenarios,
  "namespace-controller": namespaceScenarios,
  "persistentvolume-protection-controller": persistentVolumeProtectionScenarios,
  "persistentvolumeclaim-protection-controller": persistentVolumeClaimProtectionScenarios,
  "pod-garbage-collector-controller": podGarbageCollectorScenarios,
  "garbage-collector-controller": garbageCollectorScenarios,
  "replicaset-controller": replicaSetScenarios,
  "replicationcontroller-controller": replicationControllerScenarios,
  "resourcequota-controller": resourceQuotaScenarios,
  "root-ca-certificate-publisher-controller": rootCaCertificatePublisherScenarios,
  "serviceaccount-controller": serviceAccountScenarios,
  "serviceaccount-token-controller": serviceAccountTokenScenarios,
  // Last: their nodes stay.
  "node-ipam-controller": nodeIpamScenarios,
  "node-lifecycle-controller": nodeLifecycleScenarios,
  "taint-eviction-controller": taintEvictionScenarios,
};
