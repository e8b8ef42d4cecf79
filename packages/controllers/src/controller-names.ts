// The canonical names of Kubernetes' controllers, in upstream's order of registration, with the names that 1.18 gave them.
// Names are IDs: flags, metrics, health checks and service accounts hang on them. A name here does not mean that the
// controller is written yet; it means that nobody may call it anything else.

export interface ControllerName {
  readonly name: string;
  /** What `--controllers` also takes: its name in 1.18 or shortly after. */
  readonly alias?: string;
  /** `*` does not start it. */
  readonly isOffByDefault?: boolean;
  /** Left the controller manager for cloud providers' own: known, never built. */
  readonly isCloud?: boolean;
}

export const controllerNames: readonly ControllerName[] = [
  { name: "serviceaccount-token-controller", alias: "serviceaccount-token" },
  { name: "endpoints-controller", alias: "endpoint" },
  { name: "endpointslice-controller", alias: "endpointslice" },
  { name: "endpointslice-mirroring-controller", alias: "endpointslicemirroring" },
  { name: "replicationcontroller-controller", alias: "replicationcontroller" },
  { name: "pod-garbage-collector-controller", alias: "podgc" },
  { name: "resourcequota-controller", alias: "resourcequota" },
  { name: "namespace-controller", alias: "namespace" },
  { name: "serviceaccount-controller", alias: "serviceaccount" },
  { name: "garbage-collector-controller", alias: "garbagecollector" },
  { name: "daemonset-controller", alias: "daemonset" },
  { name: "job-controller", alias: "job" },
  { name: "deployment-controller", alias: "deployment" },
  { name: "replicaset-controller", alias: "replicaset" },
  { name: "horizontal-pod-autoscaler-controller", alias: "horizontalpodautoscaling" },
  { name: "disruption-controller", alias: "disruption" },
  { name: "statefulset-controller", alias: "statefulset" },
  { name: "cronjob-controller", alias: "cronjob" },
  { name: "certificatesigningrequest-signing-controller", alias: "csrsigning" },
  { name: "certificatesigningrequest-approving-controller", alias: "csrapproving" },
  { name: "certificatesigningrequest-cleaner-controller", alias: "csrcleaner" },
  { name: "podcertificaterequest-cleaner-controller" },
  { name: "ttl-controller", alias: "ttl" },
  { name: "bootstrap-signer-controller", alias: "bootstrapsigner", isOffByDefault: true },
  { name: "token-cleaner-controller", alias: "tokencleaner", isOffByDefault: true },
  { name: "node-ipam-controller", alias: "nodeipam" },
  { name: "node-lifecycle-controller", alias: "nodelifecycle" },
  { name: "taint-eviction-controller" },
  { name: "persistentvolume-binder-controller", alias: "persistentvolume-binder" },
  { name: "persistentvolume-attach-detach-controller", alias: "attachdetach" },
  { name: "persistentvolume-expander-controller", alias: "persistentvolume-expander" },
  { name: "clusterrole-aggregation-controller", alias: "clusterrole-aggregation" },
  { name: "persistentvolumeclaim-protection-controller", alias: "pvc-protection" },
  { name: "persistentvolume-protection-controller", alias: "pv-protection" },
  { name: "volumeattributesclass-protection-controller" },
  { name: "ttl-after-finished-controller", alias: "ttl-after-finished" },
  { name: "root-ca-certificate-publisher-controller", alias: "root-ca-cert-publisher" },
  { name: "kube-apiserver-serving-clustertrustbundle-publisher-controller" },
  { name: "ephemeral-volume-controller", alias: "ephemeral-volume" },
  { name: "storageversion-garbage-collector-controller", alias: "storage-version-gc" },
  { name: "resourceclaim-controller", alias: "resource-claim-controller" },
  { name: "resourcepoolstatusrequest-controller" },
  { name: "device-taint-eviction-controller" },
  { name: "legacy-serviceaccount-token-cleaner-controller", alias: "legacy-service-account-token-cleaner" },
  { name: "validatingadmissionpolicy-status-controller" },
  { name: "service-cidr-controller" },
  { name: "storage-version-migrator-controller", alias: "svm" },
  { name: "selinux-warning-controller", isOffByDefault: true },
  { name: "podgroup-protection-controller" },
  { name: "service-lb-controller", alias: "service", isCloud: true },
  { name: "node-route-controller", alias: "route", isCloud: true },
  { name: "cloud-node-lifecycle-controller", alias: "cloud-node-lifecycle", isCloud: true },
];
