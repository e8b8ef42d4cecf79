// The canonical names of Kubernetes' controllers, in upstream's order of registration, with the names that 1.18 gave them.
// Names are IDs: flags, metrics, health checks and service accounts hang on them. A name here does not mean that the
// controller is written yet; it means that nobody may call it anything else.

export interface ControllerName {
  readonly name: string;
  /** What `--controllers` also takes: its name in 1.18 or shortly after. */
  readonly alias?: string;
  /** In kube-system: as whom it speaks to the server, where each controller has its own. Upstream's bootstrap roles are for these names. */
  readonly serviceAccount?: string;
  /** It runs only where all of these are on. */
  readonly featureGates?: readonly string[];
  /** `*` does not start it. */
  readonly isOffByDefault?: boolean;
  /** Needs a cloud: runs only where cloud loops are included. */
  readonly isCloud?: boolean;
}

const rows = [
  { name: "serviceaccount-token-controller", alias: "serviceaccount-token" },
  { name: "endpoints-controller", alias: "endpoint", serviceAccount: "endpoint-controller" },
  { name: "endpointslice-controller", alias: "endpointslice", serviceAccount: "endpointslice-controller" },
  {
    name: "endpointslice-mirroring-controller",
    alias: "endpointslicemirroring",
    serviceAccount: "endpointslicemirroring-controller",
  },
  {
    name: "replicationcontroller-controller",
    alias: "replicationcontroller",
    serviceAccount: "replication-controller",
  },
  { name: "pod-garbage-collector-controller", alias: "podgc", serviceAccount: "pod-garbage-collector" },
  { name: "resourcequota-controller", alias: "resourcequota", serviceAccount: "resourcequota-controller" },
  { name: "namespace-controller", alias: "namespace", serviceAccount: "namespace-controller" },
  { name: "serviceaccount-controller", alias: "serviceaccount", serviceAccount: "service-account-controller" },
  { name: "garbage-collector-controller", alias: "garbagecollector", serviceAccount: "generic-garbage-collector" },
  { name: "daemonset-controller", alias: "daemonset", serviceAccount: "daemon-set-controller" },
  { name: "job-controller", alias: "job", serviceAccount: "job-controller" },
  { name: "deployment-controller", alias: "deployment", serviceAccount: "deployment-controller" },
  { name: "replicaset-controller", alias: "replicaset", serviceAccount: "replicaset-controller" },
  {
    name: "horizontal-pod-autoscaler-controller",
    alias: "horizontalpodautoscaling",
    serviceAccount: "horizontal-pod-autoscaler",
  },
  { name: "disruption-controller", alias: "disruption", serviceAccount: "disruption-controller" },
  { name: "statefulset-controller", alias: "statefulset", serviceAccount: "statefulset-controller" },
  { name: "cronjob-controller", alias: "cronjob", serviceAccount: "cronjob-controller" },
  {
    name: "certificatesigningrequest-signing-controller",
    alias: "csrsigning",
    serviceAccount: "certificate-controller",
  },
  {
    name: "certificatesigningrequest-approving-controller",
    alias: "csrapproving",
    serviceAccount: "certificate-controller",
  },
  {
    name: "certificatesigningrequest-cleaner-controller",
    alias: "csrcleaner",
    serviceAccount: "certificate-controller",
  },
  {
    name: "podcertificaterequest-cleaner-controller",
    serviceAccount: "podcertificaterequestcleaner",
    featureGates: ["PodCertificateRequest"],
  },
  { name: "ttl-controller", alias: "ttl", serviceAccount: "ttl-controller" },
  {
    name: "bootstrap-signer-controller",
    alias: "bootstrapsigner",
    isOffByDefault: true,
    serviceAccount: "bootstrap-signer",
  },
  { name: "token-cleaner-controller", alias: "tokencleaner", isOffByDefault: true, serviceAccount: "token-cleaner" },
  { name: "node-ipam-controller", alias: "nodeipam", serviceAccount: "node-controller" },
  { name: "node-lifecycle-controller", alias: "nodelifecycle", serviceAccount: "node-controller" },
  { name: "taint-eviction-controller", serviceAccount: "node-controller" },
  {
    name: "persistentvolume-binder-controller",
    alias: "persistentvolume-binder",
    serviceAccount: "persistent-volume-binder",
  },
  {
    name: "persistentvolume-attach-detach-controller",
    alias: "attachdetach",
    serviceAccount: "attachdetach-controller",
  },
  {
    name: "persistentvolume-expander-controller",
    alias: "persistentvolume-expander",
    serviceAccount: "expand-controller",
  },
  {
    name: "clusterrole-aggregation-controller",
    alias: "clusterrole-aggregation",
    serviceAccount: "clusterrole-aggregation-controller",
  },
  {
    name: "persistentvolumeclaim-protection-controller",
    alias: "pvc-protection",
    serviceAccount: "pvc-protection-controller",
  },
  {
    name: "persistentvolume-protection-controller",
    alias: "pv-protection",
    serviceAccount: "pv-protection-controller",
  },
  {
    name: "volumeattributesclass-protection-controller",
    serviceAccount: "volumeattributesclass-protection-controller",
  },
  {
    name: "ttl-after-finished-controller",
    alias: "ttl-after-finished",
    serviceAccount: "ttl-after-finished-controller",
  },
  {
    name: "root-ca-certificate-publisher-controller",
    alias: "root-ca-cert-publisher",
    serviceAccount: "root-ca-cert-publisher",
  },
  {
    name: "kube-apiserver-serving-clustertrustbundle-publisher-controller",
    serviceAccount: "kube-apiserver-serving-clustertrustbundle-publisher",
    featureGates: ["ClusterTrustBundle"],
  },
  { name: "ephemeral-volume-controller", alias: "ephemeral-volume", serviceAccount: "ephemeral-volume-controller" },
  {
    name: "storageversion-garbage-collector-controller",
    alias: "storage-version-gc",
    serviceAccount: "storage-version-garbage-collector",
    featureGates: ["APIServerIdentity", "StorageVersionAPI"],
  },
  { name: "resourceclaim-controller", alias: "resource-claim-controller", serviceAccount: "resource-claim-controller" },
  {
    name: "resourcepoolstatusrequest-controller",
    serviceAccount: "resourcepoolstatusrequest-controller",
    featureGates: ["DRAResourcePoolStatus"],
  },
  {
    name: "device-taint-eviction-controller",
    serviceAccount: "device-taint-eviction-controller",
    featureGates: ["DRADeviceTaints"],
  },
  {
    name: "legacy-serviceaccount-token-cleaner-controller",
    alias: "legacy-service-account-token-cleaner",
    serviceAccount: "legacy-service-account-token-cleaner",
  },
  {
    name: "validatingadmissionpolicy-status-controller",
    serviceAccount: "validatingadmissionpolicy-status-controller",
  },
  { name: "service-cidr-controller", serviceAccount: "service-cidrs-controller" },
  {
    name: "storage-version-migrator-controller",
    alias: "svm",
    serviceAccount: "storage-version-migrator-controller",
    featureGates: ["StorageVersionMigrator"],
  },
  { name: "selinux-warning-controller", isOffByDefault: true, serviceAccount: "selinux-warning-controller" },
  {
    name: "podgroup-protection-controller",
    serviceAccount: "podgroup-protection-controller",
    featureGates: ["GenericWorkload"],
  },
  { name: "service-lb-controller", alias: "service", isCloud: true },
  { name: "node-route-controller", alias: "route", isCloud: true },
  { name: "cloud-node-lifecycle-controller", alias: "cloud-node-lifecycle", isCloud: true },
] as const satisfies readonly ControllerName[];

/** Any of their names. */
export type ControllerId = (typeof rows)[number]["name"];

export const controllerNames: readonly (ControllerName & { readonly name: ControllerId })[] = rows;
