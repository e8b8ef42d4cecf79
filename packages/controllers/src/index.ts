// `@kubeloop/controllers`: Kubernetes' built-in controllers, one folder each, on core's `contract`: they never see a client, an informer or a
// clock of their own. Start with apps/replicaset, the one that the others are copies of; docs/writing-a-built-in-controller.md walks through
// it. controller-names.ts has the names of all, also of those that are not written yet.
export { type DeploymentSettings, newDeploymentController } from "./apps/deployment/controller.ts";
export { newReplicaSetController, type ReplicaSetSettings } from "./apps/replicaset/controller.ts";
export { type ControllerId, type ControllerName, controllerNames } from "./controller-names.ts";
export { type EndpointsSettings, newEndpointsController } from "./core/endpoints/controller.ts";
export {
  type GarbageCollectorSettings,
  newGarbageCollectorController,
} from "./core/garbage-collector/controller.ts";
export { printDot } from "./core/garbage-collector/dot.ts";
export { OwnerGraph } from "./core/garbage-collector/model.ts";
export { type NamespaceSettings, newNamespaceController } from "./core/namespace/controller.ts";
export { type Cidr, overlaps, parseCidr, printCidr } from "./core/node-ipam/cidr.ts";
export { type NodeIpamSettings, newNodeIpamController } from "./core/node-ipam/controller.ts";
export { type ClusterRange, networksOf } from "./core/node-ipam/model.ts";
export { type NodeLifecycleSettings, newNodeLifecycleController } from "./core/node-lifecycle/controller.ts";
export {
  newPersistentVolumeProtectionController,
  type PersistentVolumeProtectionSettings,
} from "./core/persistentvolume-protection/controller.ts";
export {
  newPersistentVolumeClaimProtectionController,
  type PersistentVolumeClaimProtectionSettings,
} from "./core/persistentvolumeclaim-protection/controller.ts";
export { newPodGarbageCollector, type PodGarbageCollectorSettings } from "./core/pod-garbage-collector/controller.ts";
export {
  newReplicationControllerController,
  type ReplicationControllerSettings,
} from "./core/replicationcontroller/controller.ts";
export { newResourceQuotaController, type ResourceQuotaSettings } from "./core/resourcequota/controller.ts";
export {
  newRootCaCertificatePublisher,
  type RootCaCertificatePublisherSettings,
} from "./core/root-ca-certificate-publisher/controller.ts";
export { newServiceAccountController, type ServiceAccountSettings } from "./core/serviceaccount/controller.ts";
export { type TokenClaims, tokenSigner } from "./core/serviceaccount-token/claims.ts";
export {
  newServiceAccountTokenController,
  type ServiceAccountTokenSettings,
} from "./core/serviceaccount-token/controller.ts";
export { newTaintEvictionController, type TaintEvictionSettings } from "./core/taint-eviction/controller.ts";
export { newTtlController, type TtlSettings } from "./core/ttl/controller.ts";
export { type EndpointSliceSettings, newEndpointSliceController } from "./discovery/endpointslice/controller.ts";
export {
  type EndpointSliceMirroringSettings,
  newEndpointSliceMirroringController,
} from "./discovery/endpointslice-mirroring/controller.ts";
export { newDisruptionController } from "./policy/disruption/controller.ts";
export {
  type ClusterRoleAggregationSettings,
  newClusterRoleAggregationController,
} from "./rbac/clusterrole-aggregation/controller.ts";
