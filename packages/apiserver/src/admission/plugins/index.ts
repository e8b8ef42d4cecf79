// The plugins that are written. `../plugin-order.ts` has all there are, in their order.
import type { NewPlugin } from "../plugin.ts";
import type { PluginName } from "../plugin-order.ts";
import { certificateApproval, certificateSigning } from "./certificate-signers.ts";
import { certificateSubjectRestriction } from "./certificate-subject-restriction.ts";
import { clusterTrustBundleAttest } from "./cluster-trust-bundle-attest.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { limitRanger } from "./limit-ranger.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { nodeDeclaredFeatureValidator } from "./node-declared-feature-validator.ts";
import { nodeRestriction } from "./node-restriction/node-restriction.ts";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";
import { podResizeValidator } from "./pod-resize-validator.ts";
import { podSecurity } from "./pod-security.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { priority } from "./priority.ts";
import { resourceQuota } from "./resource-quota.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";

export const writtenPlugins: ReadonlyMap<PluginName, NewPlugin> = new Map<PluginName, NewPlugin>([
  ["CertificateApproval", certificateApproval],
  ["CertificateSigning", certificateSigning],
  ["CertificateSubjectRestriction", certificateSubjectRestriction],
  ["ClusterTrustBundleAttest", clusterTrustBundleAttest],
  ["DefaultIngressClass", defaultIngressClass],
  ["DefaultStorageClass", defaultStorageClass],
  ["DefaultTolerationSeconds", defaultTolerationSeconds],
  ["LimitRanger", limitRanger],
  ["NamespaceLifecycle", namespaceLifecycle],
  ["NodeDeclaredFeatureValidator", nodeDeclaredFeatureValidator],
  ["NodeRestriction", nodeRestriction],
  ["PersistentVolumeClaimResize", persistentVolumeClaimResize],
  ["PodResizeValidator", podResizeValidator],
  ["PodSecurity", podSecurity],
  ["PodTopologyLabels", podTopologyLabels],
  ["Priority", priority],
  ["ResourceQuota", resourceQuota],
  ["RuntimeClass", runtimeClass],
  ["ServiceAccount", serviceAccount],
  ["StorageObjectInUseProtection", storageObjectInUseProtection],
  ["TaintNodesByCondition", taintNodesByCondition],
]);
