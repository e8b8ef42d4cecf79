// The settings of the process itself that the configuration calls Generic and KubeCloudShared.
import { controllerNames } from "@kubeloop/controllers";
import { bool, duration, featureGatesType, flag, float32, int32, string, strings } from "../flags/index.ts";

const named = (isListed: (name: (typeof controllerNames)[number]) => boolean) =>
  controllerNames
    .filter(isListed)
    .map(({ name }) => name)
    .toSorted()
    .join(", ");

export const debugging = {
  enableProfiling: bool("profiling", true, "Serve CPU and heap profiles under /debug/pprof/.", {
    configz: "Debugging.enableProfiling",
  }),
  enableContentionProfiling: bool(
    "contention-profiling",
    false,
    "Block profiling, if profiling is on. Has nothing to show in a program of one thread.",
    { configz: "Debugging.enableContentionProfiling" },
  ),
} as const;

export const leaderMigration = {
  leaderMigrationEnabled: bool(
    "enable-leader-migration",
    false,
    "Move controllers between managers by leader migration.",
    {
      isInert: true,
    },
  ),
  leaderMigrationConfig: string("leader-migration-config", "", "File with the LeaderMigrationConfiguration.", {
    isInert: true,
    configz: null,
  }),
} as const;

const election = (field: string) => ({ configz: `LeaderElection.${field}` });

export const generic = {
  minResyncPeriodMs: duration(
    "min-resync-period",
    "12h0m0s",
    "Informers resync after a random time between this and twice this.",
  ),
  contentType: string(
    "kube-api-content-type",
    "application/vnd.kubernetes.protobuf",
    "Content type that is asked of the API server: protobuf, or application/json. Requests have JSON bodies.",
    { configz: "ClientConnection.contentType" },
  ),
  qps: float32("kube-api-qps", 20, "Requests per second to the API server, for each controller's client.", {
    configz: "ClientConnection.qps",
  }),
  burst: int32(
    "kube-api-burst",
    30,
    "Requests to the API server that may go out at once, for each controller's client.",
    {
      configz: "ClientConnection.burst",
    },
  ),
  controllerStartIntervalMs: duration(
    "controller-start-interval",
    "0s",
    "Wait so long, up to twice, between starting two controllers.",
  ),
  leaderElect: bool(
    "leader-elect",
    true,
    "Run the controllers only while holding the lease, so that several replicas can stand by.",
    election("leaderElect"),
  ),
  leaseDurationMs: duration(
    "leader-elect-lease-duration",
    "15s",
    "A replica takes a lease that it has seen unchanged for so long.",
    election("leaseDuration"),
  ),
  renewDeadlineMs: duration(
    "leader-elect-renew-deadline",
    "10s",
    "The leader gives up when it could not renew the lease for so long. Must be less than the lease duration.",
    election("renewDeadline"),
  ),
  retryPeriodMs: duration(
    "leader-elect-retry-period",
    "2s",
    "Wait so long between two tries to take or renew the lease.",
    election("retryPeriod"),
  ),
  resourceLock: string(
    "leader-elect-resource-lock",
    "leases",
    'The kind of lock. Only "leases".',
    election("resourceLock"),
  ),
  resourceName: string(
    "leader-elect-resource-name",
    "kube-controller-manager",
    "The lease's name.",
    election("resourceName"),
  ),
  resourceNamespace: string(
    "leader-elect-resource-namespace",
    "kube-system",
    "The lease's namespace.",
    election("resourceNamespace"),
  ),
  controllers: strings(
    "controllers",
    ["*"],
    [
      "Which controllers run: '*' all that are on by default, 'foo' the one called foo, '-foo' all but that one.",
      `All controllers: ${named(() => true)}`,
      `Off by default: ${named(({ isOffByDefault }) => isOffByDefault === true)}`,
    ].join("\n"),
  ),
  controllerShutdownTimeoutMs: duration(
    "controller-shutdown-timeout",
    "10s",
    "On SIGTERM controllers have so long to finish their work.",
    { configz: null },
  ),
} as const;

/** Which features are on, and as which version. */
export const componentGlobals = {
  featureGates: flag(
    featureGatesType,
    "feature-gates",
    [],
    "Features on or off, as key=true or key=false, by commas; kube: may stand before the key. See --list-feature-gates for all.",
    { configz: null },
  ),
  emulatedVersion: strings(
    "emulated-version",
    [],
    "Be like this version: features have its defaults. kube=1.33 to kube=1.36, or the bare version.",
    { configz: null },
  ),
  minCompatibilityVersion: strings(
    "min-compatibility-version",
    [],
    "The oldest version of the control plane that this one must get along with. kube=1.33 to kube=1.36, or the bare version.",
    { configz: null },
  ),
} as const;

export const kubeCloudShared = {
  cloudProviderName: string(
    "cloud-provider",
    "",
    'Empty, or "external" for a cloud provider\'s own controller manager.',
    {
      configz: "CloudProvider.Name",
      isInert: true,
    },
  ),
  cloudConfigFile: string("cloud-config", "", "File with the cloud provider's configuration.", {
    configz: "CloudProvider.CloudConfigFile",
    isInert: true,
  }),
  externalCloudVolumePlugin: string(
    "external-cloud-volume-plugin",
    "",
    "Volume plugin of an external cloud provider.",
    { isInert: true },
  ),
  useServiceAccountCredentials: bool(
    "use-service-account-credentials",
    false,
    "Each controller speaks to the API server as its own service account.",
  ),
  routeReconciliationPeriodMs: duration(
    "route-reconciliation-period",
    "10s",
    "How often the cloud's routes to nodes are compared.",
    { isInert: true },
  ),
  nodeMonitorPeriodMs: duration("node-monitor-period", "5s", "How often the state of nodes is looked at."),
  clusterName: string("cluster-name", "kubernetes", "The cluster's name, a prefix of what a cloud makes for it.", {
    isInert: true,
  }),
  clusterCIDR: string("cluster-cidr", "", "CIDR of the cluster's pods. Only with --allocate-node-cidrs=true."),
  allocateNodeCIDRs: bool("allocate-node-cidrs", false, "Give every node a CIDR for its pods. Needs --cluster-cidr."),
  cidrAllocatorType: string("cidr-allocator-type", "RangeAllocator", "How CIDRs are given out. Only RangeAllocator.", {
    configz: "CIDRAllocatorType",
  }),
  configureCloudRoutes: bool(
    "configure-cloud-routes",
    true,
    "Configure the cloud with the CIDRs that --allocate-node-cidrs gives.",
    { isInert: true },
  ),
  nodeSyncPeriodMs: duration("node-sync-period", "0s", "Ignored.", {
    deprecated: "This flag is currently no-op and will be deleted.",
  }),
  allowUntaggedCloud: bool("allow-untagged-cloud", false, "Run without the cluster's id on cloud instances.", {
    deprecated:
      "This flag is deprecated and will be removed in a future release. A cluster-id will be required on cloud instances.",
  }),
} as const;

export const misc = {
  master: string("master", "", "Address of the API server. Goes before the one in the kubeconfig.", { configz: null }),
  kubeconfig: string(
    "kubeconfig",
    "",
    "Kubeconfig file to reach the API server. Without it and --master: the one of the pod.",
    {
      configz: null,
    },
  ),
} as const;
