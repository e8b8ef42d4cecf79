// upstream-roles.facts.json holds the rules of the bootstrap ClusterRoles of Kubernetes 1.36, by name. What a controller declares has to be
// within the role of its service account, or it is refused on a real cluster.
import { readFileSync } from "node:fs";
import type { rbacv1 } from "@kubeloop/core/api";
import { clusterRole } from "@kubeloop/core/contract";
import { expect, test } from "vitest";
import { newDeploymentController } from "./apps/deployment/controller.ts";
import { newReplicaSetController } from "./apps/replicaset/controller.ts";
import { newEndpointsController } from "./core/endpoints/controller.ts";
import { newGarbageCollectorController } from "./core/garbage-collector/controller.ts";
import { newNamespaceController } from "./core/namespace/controller.ts";
import { newDualStack } from "./core/node-ipam/controller.fixture.ts";
import { newNodeLifecycleController } from "./core/node-lifecycle/controller.ts";
import { newPersistentVolumeProtectionController } from "./core/persistentvolume-protection/controller.ts";
import { newPersistentVolumeClaimProtectionController } from "./core/persistentvolumeclaim-protection/controller.ts";
import { newPodGarbageCollector } from "./core/pod-garbage-collector/controller.ts";
import { newReplicationControllerController } from "./core/replicationcontroller/controller.ts";
import { newResourceQuotaController } from "./core/resourcequota/controller.ts";
import { newRootCaCertificatePublisher } from "./core/root-ca-certificate-publisher/controller.ts";
import { newServiceAccountController } from "./core/serviceaccount/controller.ts";
import { newServiceAccountTokenController } from "./core/serviceaccount-token/controller.ts";
import { newTaintEvictionController } from "./core/taint-eviction/controller.ts";
import { newTtlController } from "./core/ttl/controller.ts";
import { newEndpointSliceController } from "./discovery/endpointslice/controller.ts";
import { newEndpointSliceMirroringController } from "./discovery/endpointslice-mirroring/controller.ts";
import { newDisruptionController } from "./policy/disruption/controller.ts";
import { newClusterRoleAggregationController } from "./rbac/clusterrole-aggregation/controller.ts";
import { newVolumeBinder } from "./sketches/volume-binder.fixture.ts";

type Facts = Readonly<Record<string, readonly rbacv1.PolicyRule[]>>;
const upstream: Facts = JSON.parse(readFileSync(new URL("./upstream-roles.facts.json", import.meta.url), "utf8"));

/** "patch pods", one for each group, resource and verb. */
function grantsOf(rules: readonly rbacv1.PolicyRule[] = []): readonly string[] {
  return rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`))),
  );
}

test.each([
  clusterRole(newDeploymentController()),
  clusterRole(newEndpointsController(), "endpoint-controller"),
  clusterRole(newEndpointSliceController()),
  clusterRole(newEndpointSliceMirroringController(), "endpointslicemirroring-controller"),
  clusterRole(newReplicaSetController()),
  clusterRole(newReplicationControllerController(), "replication-controller"),
  clusterRole(newResourceQuotaController()),
  clusterRole(newRootCaCertificatePublisher({ rootCa: "" }), "root-ca-cert-publisher"),
  clusterRole(newServiceAccountController(), "service-account-controller"),
  // Has no account of its own: it speaks as the manager.
  { ...clusterRole(newServiceAccountTokenController()), metadata: { name: "system:kube-controller-manager" } },
  clusterRole(newTtlController()),
  clusterRole(newNamespaceController()),
  clusterRole(newPersistentVolumeProtectionController(), "pv-protection-controller"),
  clusterRole(newPersistentVolumeClaimProtectionController(), "pvc-protection-controller"),
  clusterRole(newPodGarbageCollector(), "pod-garbage-collector"),
  clusterRole(newClusterRoleAggregationController()),
  clusterRole(newDisruptionController()),
  clusterRole(newGarbageCollectorController(), "generic-garbage-collector"),
  clusterRole(newVolumeBinder(1), "persistent-volume-binder"),
  clusterRole(newDualStack(), "node-controller"),
  clusterRole(newNodeLifecycleController(), "node-controller"),
  clusterRole(newTaintEvictionController(), "node-controller"),
])("the role of $metadata.name grants all that the controller declares", ({ metadata: { name = "" }, rules }) => {
  const granted = new Set(grantsOf(upstream[name]));
  expect(granted.size).toBeGreaterThan(0);
  expect(grantsOf(rules).length).toBeGreaterThan(0);
  expect(grantsOf(rules).filter((grant) => !granted.has(grant))).toEqual([]);
});
