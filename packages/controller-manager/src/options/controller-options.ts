// The settings of each controller: one struct per controller, under the name that the configuration has for it. A struct says which flags set
// it, with upstream's defaults; the table at the end says in which group of `--help` and which section of /configz it stands.
import { bool, duration, float32, float64, int32, string } from "../flags/index.ts";

export const attachDetachController = {
  disableAttachDetachReconcilerSync: bool(
    "disable-attach-detach-reconcile-sync",
    false,
    "Do not compare what is attached with what should be. Volumes and pods can then differ from each other unnoticed.",
  ),
  reconcilerSyncLoopPeriodMs: duration(
    "attach-detach-reconcile-sync-period",
    "1m0s",
    "How often what is attached is compared with what should be. Must be longer than a second; a longer one leaves volumes and pods apart for longer.",
  ),
  disableForceDetachOnTimeout: bool(
    "disable-force-detach-on-timeout",
    false,
    "Never detach a volume by force because unmounting it took too long: then only nodes with the out-of-service taint lose theirs.",
    { configz: "disableForceDetachOnTimeout" },
  ),
} as const;

const pemCertificate = (signer: string) =>
  `File with the PEM-encoded CA certificate that issues certificates for the ${signer} signer. Excludes --cluster-signing-{cert,key}-file.`;
const pemKey = (signer: string) =>
  `File with the PEM-encoded RSA or ECDSA key that signs certificates for the ${signer} signer. Excludes --cluster-signing-{cert,key}-file.`;

export const csrSigningController = {
  clusterSigningCertFile: string(
    "cluster-signing-cert-file",
    "",
    "File with the PEM-encoded CA certificate that issues certificates of this cluster. Excludes the per-signer --cluster-signing-* flags.",
  ),
  clusterSigningKeyFile: string(
    "cluster-signing-key-file",
    "",
    "File with the PEM-encoded RSA or ECDSA key that signs certificates of this cluster. Excludes the per-signer --cluster-signing-* flags.",
  ),
  kubeletServingCertFile: string(
    "cluster-signing-kubelet-serving-cert-file",
    "",
    pemCertificate("kubernetes.io/kubelet-serving"),
    { configz: "KubeletServingSignerConfiguration.CertFile" },
  ),
  kubeletServingKeyFile: string(
    "cluster-signing-kubelet-serving-key-file",
    "",
    pemKey("kubernetes.io/kubelet-serving"),
    { configz: "KubeletServingSignerConfiguration.KeyFile" },
  ),
  kubeletClientCertFile: string(
    "cluster-signing-kubelet-client-cert-file",
    "",
    pemCertificate("kubernetes.io/kube-apiserver-client-kubelet"),
    { configz: "KubeletClientSignerConfiguration.CertFile" },
  ),
  kubeletClientKeyFile: string(
    "cluster-signing-kubelet-client-key-file",
    "",
    pemKey("kubernetes.io/kube-apiserver-client-kubelet"),
    { configz: "KubeletClientSignerConfiguration.KeyFile" },
  ),
  kubeAPIServerClientCertFile: string(
    "cluster-signing-kube-apiserver-client-cert-file",
    "",
    pemCertificate("kubernetes.io/kube-apiserver-client"),
    { configz: "KubeAPIServerClientSignerConfiguration.CertFile" },
  ),
  kubeAPIServerClientKeyFile: string(
    "cluster-signing-kube-apiserver-client-key-file",
    "",
    pemKey("kubernetes.io/kube-apiserver-client"),
    { configz: "KubeAPIServerClientSignerConfiguration.KeyFile" },
  ),
  legacyUnknownCertFile: string(
    "cluster-signing-legacy-unknown-cert-file",
    "",
    pemCertificate("kubernetes.io/legacy-unknown"),
    { configz: "LegacyUnknownSignerConfiguration.CertFile" },
  ),
  legacyUnknownKeyFile: string("cluster-signing-legacy-unknown-key-file", "", pemKey("kubernetes.io/legacy-unknown"), {
    configz: "LegacyUnknownSignerConfiguration.KeyFile",
  }),
  clusterSigningDurationMs: duration(
    "cluster-signing-duration",
    "8760h0m0s",
    "How long a signed certificate is valid at most. A request may ask for less in spec.expirationSeconds.",
  ),
} as const;

const syncs = (what: string) =>
  `How many ${what} are synced at once. More of them react sooner and cost more processor time and network.`;

export const deploymentController = {
  concurrentDeploymentSyncs: int32("concurrent-deployment-syncs", 5, syncs("deployments")),
} as const;
export const deviceTaintEvictionController = {
  concurrentSyncs: int32("concurrent-device-taint-eviction-syncs", 8, syncs("evictions and DeviceTaintRule statuses")),
} as const;
export const resourceClaimController = {
  concurrentSyncs: int32("concurrent-resourceclaim-syncs", 50, syncs("ResourceClaims")),
} as const;
export const statefulSetController = {
  concurrentStatefulSetSyncs: int32("concurrent-statefulset-syncs", 5, syncs("statefulsets")),
} as const;
export const daemonSetController = {
  concurrentDaemonSetSyncs: int32("concurrent-daemonset-syncs", 2, syncs("daemonsets")),
} as const;

const batching = (what: string) =>
  `Wait so long after a pod has changed before its ${what} are written, so that several changes become one write. Longer means fewer writes and later news.`;

export const endpointController = {
  concurrentEndpointSyncs: int32("concurrent-endpoint-syncs", 5, syncs("services' endpoints")),
  endpointUpdatesBatchPeriodMs: duration("endpoint-updates-batch-period", "0s", batching("endpoints")),
} as const;
export const endpointSliceController = {
  concurrentServiceEndpointSyncs: int32("concurrent-service-endpoint-syncs", 5, syncs("services' endpoint slices")),
  maxEndpointsPerSlice: int32(
    "max-endpoints-per-slice",
    100,
    "How many endpoints an EndpointSlice holds at most. More make fewer and larger slices.",
  ),
  endpointUpdatesBatchPeriodMs: duration("endpointslice-updates-batch-period", "0s", batching("endpoint slices")),
} as const;
export const endpointSliceMirroringController = {
  mirroringConcurrentServiceEndpointSyncs: int32(
    "mirroring-concurrent-service-endpoint-syncs",
    5,
    syncs("mirrored endpoints"),
  ),
  mirroringMaxEndpointsPerSubset: int32(
    "mirroring-max-endpoints-per-subset",
    1000,
    "How many endpoints of one subset are mirrored at most.",
  ),
  mirroringEndpointUpdatesBatchPeriodMs: duration(
    "mirroring-endpointslice-updates-batch-period",
    "0s",
    "Wait so long after endpoints have changed before they are mirrored, so that several changes become one write.",
  ),
} as const;
export const ephemeralVolumeController = {
  concurrentEphemeralVolumeSyncs: int32("concurrent-ephemeralvolume-syncs", 5, syncs("pods' ephemeral volumes")),
} as const;
export const garbageCollectorController = {
  enableGarbageCollector: bool(
    "enable-garbage-collector",
    true,
    "Collect objects whose owners are gone. Must agree with the same flag of kube-apiserver.",
  ),
  concurrentGCSyncs: int32("concurrent-gc-syncs", 20, "How many workers of the garbage collector run at once."),
} as const;
export const hpaController = {
  concurrentHorizontalPodAutoscalerSyncs: int32(
    "concurrent-horizontal-pod-autoscaler-syncs",
    5,
    syncs("horizontal pod autoscalers"),
  ),
  horizontalPodAutoscalerSyncPeriodMs: duration(
    "horizontal-pod-autoscaler-sync-period",
    "15s",
    "How often the number of pods is looked at.",
  ),
  horizontalPodAutoscalerDownscaleStabilizationWindowMs: duration(
    "horizontal-pod-autoscaler-downscale-stabilization",
    "5m0s",
    "Never scale below what was recommended within this time.",
  ),
  horizontalPodAutoscalerTolerance: float64(
    "horizontal-pod-autoscaler-tolerance",
    0.1,
    "How far the ratio of wanted to actual metrics must be from 1.0 before anything is scaled.",
  ),
  horizontalPodAutoscalerCPUInitializationPeriodMs: duration(
    "horizontal-pod-autoscaler-cpu-initialization-period",
    "5m0s",
    "For so long after a pod's start its CPU samples may be passed over.",
  ),
  horizontalPodAutoscalerInitialReadinessDelayMs: duration(
    "horizontal-pod-autoscaler-initial-readiness-delay",
    "30s",
    "For so long after a pod's start a change of its readiness counts as the first.",
  ),
} as const;
export const jobController = { concurrentJobSyncs: int32("concurrent-job-syncs", 5, syncs("jobs")) } as const;
export const cronJobController = {
  concurrentCronJobSyncs: int32("concurrent-cron-job-syncs", 5, syncs("cron jobs")),
} as const;
export const legacySATokenCleaner = {
  cleanUpPeriodMs: duration(
    "legacy-service-account-token-clean-up-period",
    "8760h0m0s",
    "A legacy service account token that was not used for so long may be deleted.",
  ),
} as const;
export const namespaceController = {
  namespaceSyncPeriodMs: duration(
    "namespace-sync-period",
    "5m0s",
    "How often every namespace is looked at again without a change.",
  ),
  concurrentNamespaceSyncs: int32("concurrent-namespace-syncs", 10, syncs("namespaces")),
} as const;
export const nodeIPAMController = {
  serviceCIDR: string(
    "service-cluster-ip-range",
    "",
    "CIDR of the cluster's Services, one per address family. Only with --allocate-node-cidrs=true.",
  ),
  nodeCIDRMaskSize: int32(
    "node-cidr-mask-size",
    0,
    "Mask size of a node's CIDR. Default is 24 for IPv4 and 64 for IPv6.",
  ),
  nodeCIDRMaskSizeIPv4: int32(
    "node-cidr-mask-size-ipv4",
    0,
    "Mask size of a node's IPv4 CIDR in a dual-stack cluster. Default is 24.",
  ),
  nodeCIDRMaskSizeIPv6: int32(
    "node-cidr-mask-size-ipv6",
    0,
    "Mask size of a node's IPv6 CIDR in a dual-stack cluster. Default is 64.",
  ),
} as const;
export const nodeLifecycleController = {
  nodeEvictionRate: float32(
    "node-eviction-rate",
    0.1,
    "Nodes per second whose pods are deleted when nodes fail and their zone is healthy (see --unhealthy-zone-threshold). A cluster without zones is one zone.",
  ),
  secondaryNodeEvictionRate: float32(
    "secondary-node-eviction-rate",
    0.01,
    "The same when the zone is unhealthy. Counts as 0 in clusters of up to --large-cluster-size-threshold nodes.",
  ),
  nodeStartupGracePeriodMs: duration(
    "node-startup-grace-period",
    "1m0s",
    "How long a starting node may be silent before it is marked unhealthy.",
  ),
  nodeMonitorGracePeriodMs: duration(
    "node-monitor-grace-period",
    "50s",
    "How long a running node may be silent before it is marked unhealthy. Must be several times the kubelet's nodeStatusUpdateFrequency.",
  ),
  largeClusterSizeThreshold: int32(
    "large-cluster-size-threshold",
    50,
    "A cluster of more nodes than this is large: --secondary-node-eviction-rate is 0 in smaller ones.",
  ),
  unhealthyZoneThreshold: float32(
    "unhealthy-zone-threshold",
    0.55,
    "A zone is unhealthy when this fraction of its nodes, and at least three, are not ready.",
  ),
} as const;
export const persistentVolumeBinderController = {
  pvClaimBinderSyncPeriodMs: duration(
    "pvclaimbinder-sync-period",
    "15s",
    "How often volumes and claims are looked at again without a change.",
    { configz: "PVClaimBinderSyncPeriod" },
  ),
  enableHostPathProvisioning: bool(
    "enable-hostpath-provisioner",
    false,
    "Provision HostPath volumes where there is no cloud. For development on a single node only.",
    { configz: "VolumeConfiguration.EnableHostPathProvisioning" },
  ),
  enableDynamicProvisioning: bool(
    "enable-dynamic-provisioning",
    true,
    "Provision volumes dynamically where the environment can.",
    { configz: "VolumeConfiguration.EnableDynamicProvisioning" },
  ),
  podTemplateFilePathNFS: string(
    "pv-recycler-pod-template-filepath-nfs",
    "",
    "File with the pod that recycles an NFS volume.",
    { configz: "VolumeConfiguration.PersistentVolumeRecyclerConfiguration.PodTemplateFilePathNFS" },
  ),
  minimumTimeoutNFS: int32(
    "pv-recycler-minimum-timeout-nfs",
    300,
    "The least activeDeadlineSeconds of a pod that recycles an NFS volume.",
    { configz: "VolumeConfiguration.PersistentVolumeRecyclerConfiguration.MinimumTimeoutNFS" },
  ),
  incrementTimeoutNFS: int32(
    "pv-recycler-increment-timeout-nfs",
    30,
    "Seconds added to it for each Gi of the volume.",
    { configz: "VolumeConfiguration.PersistentVolumeRecyclerConfiguration.IncrementTimeoutNFS" },
  ),
  podTemplateFilePathHostPath: string(
    "pv-recycler-pod-template-filepath-hostpath",
    "",
    "File with the pod that recycles a HostPath volume. For development on a single node only.",
    { configz: "VolumeConfiguration.PersistentVolumeRecyclerConfiguration.PodTemplateFilePathHostPath" },
  ),
  minimumTimeoutHostPath: int32(
    "pv-recycler-minimum-timeout-hostpath",
    60,
    "The least activeDeadlineSeconds of a pod that recycles a HostPath volume. For development on a single node only.",
    { configz: "VolumeConfiguration.PersistentVolumeRecyclerConfiguration.MinimumTimeoutHostPath" },
  ),
  incrementTimeoutHostPath: int32(
    "pv-recycler-timeout-increment-hostpath",
    30,
    "Seconds added to it for each Gi of the volume. For development on a single node only.",
    { configz: "VolumeConfiguration.PersistentVolumeRecyclerConfiguration.IncrementTimeoutHostPath" },
  ),
  flexVolumePluginDir: string(
    "flex-volume-plugin-dir",
    "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
    "Folder in which flex volume plugins of others are looked for.",
    { configz: "VolumeConfiguration.FlexVolumePluginDir" },
  ),
} as const;
export const podGCController = {
  terminatedPodGCThreshold: int32(
    "terminated-pod-gc-threshold",
    12500,
    "How many terminated pods may stay before the oldest are deleted. 0 or less: they all stay.",
  ),
} as const;
export const replicaSetController = {
  concurrentRSSyncs: int32("concurrent-replicaset-syncs", 5, syncs("replica sets")),
} as const;
export const replicationController = {
  concurrentRCSyncs: int32("concurrent-rc-syncs", 5, syncs("replication controllers")),
} as const;
export const resourceQuotaController = {
  resourceQuotaSyncPeriodMs: duration(
    "resource-quota-sync-period",
    "5m0s",
    "How often the use of every quota is counted again without a change.",
  ),
  concurrentResourceQuotaSyncs: int32("concurrent-resource-quota-syncs", 5, syncs("resource quotas")),
} as const;
export const saController = {
  serviceAccountKeyFile: string(
    "service-account-private-key-file",
    "",
    "File with the PEM-encoded RSA or ECDSA key that signs service account tokens in secrets. Without it no such token is made.",
  ),
  concurrentSATokenSyncs: int32("concurrent-serviceaccount-token-syncs", 5, syncs("service account tokens")),
  rootCAFile: string(
    "root-ca-file",
    "",
    "File with the PEM-encoded certificates of the cluster's root authority, for token secrets and the kube-root-ca.crt ConfigMaps.",
  ),
} as const;
export const serviceController = {
  concurrentServiceSyncs: int32("concurrent-service-syncs", 1, syncs("services")),
} as const;
export const ttlAfterFinishedController = {
  concurrentTTLSyncs: int32("concurrent-ttl-after-finished-syncs", 5, syncs("finished jobs")),
} as const;
export const validatingAdmissionPolicyStatusController = {
  concurrentPolicySyncs: int32(
    "concurrent-validating-admission-policy-status-syncs",
    5,
    syncs("ValidatingAdmissionPolicies"),
  ),
} as const;

/** By controller, in the order of `--help`: the group there is the controller's name. */
export const controllerSections = [
  {
    controller: "service-lb-controller",
    key: "serviceController",
    configz: "ServiceController",
    flags: serviceController,
  },
  {
    controller: "persistentvolume-attach-detach-controller",
    key: "attachDetachController",
    configz: "AttachDetachController",
    flags: attachDetachController,
  },
  {
    controller: "certificatesigningrequest-signing-controller",
    key: "csrSigningController",
    configz: "CSRSigningController",
    flags: csrSigningController,
  },
  {
    controller: "deployment-controller",
    key: "deploymentController",
    configz: "DeploymentController",
    flags: deploymentController,
  },
  {
    controller: "device-taint-eviction-controller",
    key: "deviceTaintEvictionController",
    configz: "DeviceTaintEvictionController",
    flags: deviceTaintEvictionController,
  },
  {
    controller: "resourceclaim-controller",
    key: "resourceClaimController",
    configz: "ResourceClaimController",
    flags: resourceClaimController,
  },
  {
    controller: "statefulset-controller",
    key: "statefulSetController",
    configz: "StatefulSetController",
    flags: statefulSetController,
  },
  {
    controller: "daemonset-controller",
    key: "daemonSetController",
    configz: "DaemonSetController",
    flags: daemonSetController,
  },
  {
    controller: "endpoints-controller",
    key: "endpointController",
    configz: "EndpointController",
    flags: endpointController,
  },
  {
    controller: "endpointslice-controller",
    key: "endpointSliceController",
    configz: "EndpointSliceController",
    flags: endpointSliceController,
  },
  {
    controller: "endpointslice-mirroring-controller",
    key: "endpointSliceMirroringController",
    configz: "EndpointSliceMirroringController",
    flags: endpointSliceMirroringController,
  },
  {
    controller: "ephemeral-volume-controller",
    key: "ephemeralVolumeController",
    configz: "EphemeralVolumeController",
    flags: ephemeralVolumeController,
  },
  {
    controller: "garbage-collector-controller",
    key: "garbageCollectorController",
    configz: "GarbageCollectorController",
    flags: garbageCollectorController,
  },
  {
    controller: "horizontal-pod-autoscaler-controller",
    key: "hpaController",
    configz: "HPAController",
    flags: hpaController,
  },
  { controller: "job-controller", key: "jobController", configz: "JobController", flags: jobController },
  {
    controller: "cronjob-controller",
    key: "cronJobController",
    configz: "CronJobController",
    flags: cronJobController,
  },
  {
    controller: "legacy-serviceaccount-token-cleaner-controller",
    key: "legacySATokenCleaner",
    configz: "LegacySATokenCleaner",
    flags: legacySATokenCleaner,
  },
  {
    controller: "namespace-controller",
    key: "namespaceController",
    configz: "NamespaceController",
    flags: namespaceController,
  },
  {
    controller: "node-ipam-controller",
    key: "nodeIPAMController",
    configz: "NodeIPAMController",
    flags: nodeIPAMController,
  },
  {
    controller: "node-lifecycle-controller",
    key: "nodeLifecycleController",
    configz: "NodeLifecycleController",
    flags: nodeLifecycleController,
  },
  {
    controller: "persistentvolume-binder-controller",
    key: "persistentVolumeBinderController",
    configz: "PersistentVolumeBinderController",
    flags: persistentVolumeBinderController,
  },
  {
    controller: "pod-garbage-collector-controller",
    key: "podGCController",
    configz: "PodGCController",
    flags: podGCController,
  },
  {
    controller: "replicaset-controller",
    key: "replicaSetController",
    configz: "ReplicaSetController",
    flags: replicaSetController,
  },
  {
    controller: "replicationcontroller-controller",
    key: "replicationController",
    configz: "ReplicationController",
    flags: replicationController,
  },
  {
    controller: "resourcequota-controller",
    key: "resourceQuotaController",
    configz: "ResourceQuotaController",
    flags: resourceQuotaController,
  },
  { controller: "serviceaccount-controller", key: "saController", configz: "SAController", flags: saController },
  {
    controller: "ttl-after-finished-controller",
    key: "ttlAfterFinishedController",
    configz: "TTLAfterFinishedController",
    flags: ttlAfterFinishedController,
  },
  {
    controller: "validatingadmissionpolicy-status-controller",
    key: "validatingAdmissionPolicyStatusController",
    configz: "ValidatingAdmissionPolicyStatusController",
    flags: validatingAdmissionPolicyStatusController,
  },
] as const;
