// Upstream's configuration file, `KubeSchedulerConfiguration`, as options of a scheduler. The caller reads the file and parses its YAML. What upstream accepts and
// this scheduler cannot do is refused with a sentence, never ignored; what makes no difference here (`parallelism`, profiling) is accepted.
import { KubeloopError } from "@kubeloop/core/base";
import type { ElectionTimings } from "@kubeloop/core/election";
import type { Profile } from "../driver/scheduler.ts";
import { FieldReader } from "./decode-fields.ts";
import { readPlugins } from "./profile-plugins.ts";

export interface SchedulerConfiguration {
  readonly profiles: readonly Profile[];
  readonly podInitialBackoffMs: number;
  readonly podMaxBackoffMs: number;
  /** Undefined: runs without an election. */
  readonly leaderElection:
    | (ElectionTimings & { readonly resourceName: string; readonly resourceNamespace: string })
    | undefined;
  readonly kubeconfig: string | undefined;
  /** Requests per second, and how many may go out at once. */
  readonly qps: number;
  readonly burst: number;
  readonly enableProfiling: boolean;
}

/** One line for each fault, with the path of the field. */
export class SchedulerConfigurationError extends KubeloopError {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`the scheduler's configuration is not valid:\n${faults.join("\n")}`, { reason: "Invalid", retry: "never" });
    this.faults = faults;
  }
}

const apiVersion = "kubescheduler.config.k8s.io/v1";
const known = [
  "apiVersion",
  "kind",
  "parallelism",
  "leaderElection",
  "clientConnection",
  "enableProfiling",
  "enableContentionProfiling",
  "percentageOfNodesToScore",
  "podInitialBackoffSeconds",
  "podMaxBackoffSeconds",
  "profiles",
  "extenders",
  "delayCacheUntilActive",
];
const maxInt32 = 2 ** 31 - 1;

/** Throws a SchedulerConfigurationError. */
export function decodeSchedulerConfiguration(document: unknown): SchedulerConfiguration {
  const faults: string[] = [];
  const fields = FieldReader.of(document, faults);
  fields.only(known);
  if (fields.text("apiVersion") !== apiVersion) fields.fault("apiVersion", `must be ${apiVersion}`);
  if (fields.text("kind") !== "KubeSchedulerConfiguration") fields.fault("kind", "must be KubeSchedulerConfiguration");
  if (fields.list("extenders").length > 0) fields.fault("extenders", "extenders are not supported");
  const initial = fields.integer("podInitialBackoffSeconds", { min: 1, max: maxInt32 }) ?? 1;
  const max = fields.integer("podMaxBackoffSeconds", { min: 0, max: maxInt32 }) ?? 10;
  if (max < initial && max !== 0) {
    fields.fault(
      "podMaxBackoffSeconds",
      `Invalid value: ${max}: must be greater than or equal to PodInitialBackoffSeconds`,
    );
  }
  const percentage = fields.integer("percentageOfNodesToScore", { min: 0, max: 100 }) ?? 0;
  const configuration: SchedulerConfiguration = {
    profiles: readProfiles(fields, percentage),
    podInitialBackoffMs: initial * 1000,
    podMaxBackoffMs: max * 1000,
    leaderElection: readLeaderElection(fields.object("leaderElection")),
    ...readClientConnection(fields.object("clientConnection")),
    enableProfiling: fields.boolean("enableProfiling") ?? true,
  };
  if (faults.length > 0) throw new SchedulerConfigurationError(faults);
  return configuration;
}

function readClientConnection(fields: FieldReader): Pick<SchedulerConfiguration, "kubeconfig" | "qps" | "burst"> {
  fields.only(["kubeconfig", "acceptContentTypes", "contentType", "qps", "burst"]);
  return {
    kubeconfig: fields.text("kubeconfig"),
    // Upstream's defaults hold for 0, too.
    qps: fields.number("qps") || 50,
    burst: fields.integer("burst", { min: 0, max: maxInt32 }) || 100,
  };
}

function readProfiles(fields: FieldReader, percentage: number): readonly Profile[] {
  const names = new Set<string>();
  const listed = fields.list("profiles");
  // Without profiles there is one, with all defaults.
  const profiles = listed.length === 0 ? [FieldReader.of({}, [])] : listed;
  return profiles.map((profile) => {
    profile.only(["schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig"]);
    const isOnly = profiles.length === 1;
    const schedulerName = profile.text("schedulerName") ?? (isOnly ? "default-scheduler" : "");
    if (schedulerName === "") profile.fault("schedulerName", "Required value");
    if (names.has(schedulerName)) profile.fault("schedulerName", `Duplicate value: ${JSON.stringify(schedulerName)}`);
    names.add(schedulerName);
    for (const argument of profile.list("pluginConfig")) {
      argument.fault("args", `arguments of ${argument.text("name") ?? "plugins"} are not supported`);
    }
    return {
      schedulerName,
      plugins: readPlugins(profile.object("plugins")),
      percentageOfNodesToScore: profile.integer("percentageOfNodesToScore", { min: 0, max: 100 }) ?? percentage,
    };
  });
}

function readLeaderElection(fields: FieldReader): SchedulerConfiguration["leaderElection"] {
  const names = ["leaseDuration", "renewDeadline", "retryPeriod", "resourceLock", "resourceName", "resourceNamespace"];
  fields.only(["leaderElect", ...names]);
  const lock = fields.text("resourceLock") ?? "leases";
  if (lock !== "leases") fields.fault("resourceLock", `Invalid value: ${JSON.stringify(lock)}: must be leases`);
  const election = {
    leaseDurationMs: fields.durationMs("leaseDuration") ?? 15_000,
    renewDeadlineMs: fields.durationMs("renewDeadline") ?? 10_000,
    retryPeriodMs: fields.durationMs("retryPeriod") ?? 2000,
    resourceName: fields.text("resourceName") ?? "kube-scheduler",
    resourceNamespace: fields.text("resourceNamespace") ?? "kube-system",
  };
  if (election.leaseDurationMs <= election.renewDeadlineMs) {
    fields.fault("leaseDuration", "must be greater than renewDeadline");
  }
  if (election.renewDeadlineMs <= election.retryPeriodMs) {
    fields.fault("renewDeadline", "must be greater than retryPeriod");
  }
  return fields.boolean("leaderElect") === false ? undefined : election;
}
