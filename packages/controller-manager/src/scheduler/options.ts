// The flags of kube-scheduler, in the order of its `--help`, and what a command line makes of them. What every component has comes from options/.
import {
  bool,
  duration,
  type FlagGroup,
  float32,
  int,
  int32,
  parseFlags,
  type SettingsOf,
  string,
} from "../flags/index.ts";
import {
  authentication as anyAuthentication,
  secureServing as anySecureServing,
  authorization,
  type ComponentOptions,
  componentGlobals,
  flagsOf,
  global,
  logs,
  metrics,
} from "../options/index.ts";

export const misc = {
  config: string(
    "config",
    "",
    "File with the KubeSchedulerConfiguration. The deprecated flags have no effect with it.",
  ),
  master: string("master", "", "Address of the API server. Goes before the one in the kubeconfig."),
  writeConfigTo: string("write-config-to", "", "Write the configuration to this file and end."),
} as const;

const secureServing = {
  ...anySecureServing,
  bindPort: int("secure-port", 10259, "Port of the HTTPS endpoints. 0 serves none."),
  certDirectory: string(
    "cert-dir",
    "",
    "Folder of the certificate kube-scheduler.crt and its key: made there, if they are missing. Without it a certificate is made in memory. Not with --tls-cert-file.",
  ),
} as const;

const authentication = {
  ...anyAuthentication,
  tolerateInClusterLookupFailure: { ...anyAuthentication.tolerateInClusterLookupFailure, fallback: true },
} as const;

/** Upstream calls them deprecated and still prints them in `--help`. */
export const deprecated = {
  enableProfiling: bool("profiling", true, "DEPRECATED: serve CPU and heap profiles under /debug/pprof/."),
  enableContentionProfiling: bool(
    "contention-profiling",
    true,
    "DEPRECATED: block profiling, if profiling is on. Has nothing to show in a program of one thread.",
  ),
  kubeconfig: string(
    "kubeconfig",
    "",
    "DEPRECATED: kubeconfig file to reach the API server. Without it and --master: the one of the pod.",
  ),
  contentType: string(
    "kube-api-content-type",
    "application/vnd.kubernetes.protobuf",
    "DEPRECATED: content type that is asked of the API server: protobuf, or application/json.",
  ),
  qps: float32("kube-api-qps", 50, "DEPRECATED: requests per second to the API server."),
  burst: int32("kube-api-burst", 100, "DEPRECATED: requests to the API server that may go out at once."),
  podMaxUnschedulableMs: duration(
    "pod-max-in-unschedulable-pods-duration",
    "5m0s",
    "DEPRECATED: a pod that waits for an event for so long is tried without one.",
  ),
} as const;

export const leaderElection = {
  leaderElect: bool(
    "leader-elect",
    true,
    "Place pods only while holding the lease, so that several replicas can stand by.",
  ),
  leaseDurationMs: duration(
    "leader-elect-lease-duration",
    "15s",
    "A replica takes a lease that it has seen unchanged for so long.",
  ),
  renewDeadlineMs: duration(
    "leader-elect-renew-deadline",
    "10s",
    "The leader gives up when it could not renew the lease for so long. Must be less than the lease duration.",
  ),
  resourceLock: string("leader-elect-resource-lock", "leases", 'The kind of lock. Only "leases".'),
  resourceName: string("leader-elect-resource-name", "kube-scheduler", "The lease's name."),
  resourceNamespace: string("leader-elect-resource-namespace", "kube-system", "The lease's namespace."),
  retryPeriodMs: duration(
    "leader-elect-retry-period",
    "2s",
    "Wait so long between two tries to take or renew the lease.",
  ),
} as const;

const help = { ...global, help: bool("help", false, "help for kube-scheduler", { short: "h" }) } as const;

/** In the order of `--help`. */
export const schedulerFlagGroups: readonly FlagGroup[] = [
  { name: "misc", flags: flagsOf(misc) },
  { name: "secure serving", flags: flagsOf(secureServing) },
  { name: "authentication", flags: flagsOf(authentication) },
  { name: "authorization", flags: flagsOf(authorization) },
  { name: "deprecated", flags: flagsOf(deprecated) },
  { name: "leader election", flags: flagsOf(leaderElection) },
  { name: "feature gate", flags: flagsOf(componentGlobals) },
  { name: "metrics", flags: flagsOf(metrics) },
  { name: "logs", flags: flagsOf(logs) },
  { name: "global", flags: flagsOf(help) },
];

export interface KubeSchedulerOptions extends ComponentOptions {
  readonly misc: SettingsOf<typeof misc>;
  readonly deprecated: SettingsOf<typeof deprecated>;
  readonly leaderElection: SettingsOf<typeof leaderElection>;
}

/** Throws a FlagError for a command line that cannot be read. */
export function parseSchedulerOptions(args: readonly string[]): KubeSchedulerOptions {
  const parsedFlags = parseFlags(schedulerFlagGroups, args);
  return {
    misc: parsedFlags.settingsOf(misc),
    secureServing: parsedFlags.settingsOf(secureServing),
    authentication: parsedFlags.settingsOf(authentication),
    authorization: parsedFlags.settingsOf(authorization),
    deprecated: parsedFlags.settingsOf(deprecated),
    leaderElection: parsedFlags.settingsOf(leaderElection),
    componentGlobals: parsedFlags.settingsOf(componentGlobals),
    metrics: parsedFlags.settingsOf(metrics),
    logs: parsedFlags.settingsOf(logs),
    global: parsedFlags.settingsOf(help),
    parsedFlags,
  };
}
