// Fills upstream's defaults into a document whose shape has been checked.
import { parseDuration, printDuration } from "@kubeloop/core/api";
import { type Fields, isObject } from "./decode-shape.ts";
import {
  configurationKind,
  configurationVersion,
  type PluginConfig,
  type ProfileDocument,
  type SchedulerDocument,
} from "./document-shape.ts";
import { readArguments } from "./plugin-arguments.ts";
import { type GivenPluginSet, mergePluginSets } from "./plugin-sets.ts";

const objectAt = (fields: Fields, name: string): Fields => (isObject(fields[name]) ? fields[name] : {});

/** Throws a SchedulerConfigurationError for arguments of plugins that cannot be read. */
export function withDefaults(given: Fields): SchedulerDocument {
  const client = objectAt(given, "clientConnection");
  const isProfiling = given["enableProfiling"] ?? true;
  const { extenders, delayCacheUntilActive } = given as Pick<SchedulerDocument, "extenders" | "delayCacheUntilActive">;
  return {
    apiVersion: configurationVersion,
    kind: configurationKind,
    parallelism: (given["parallelism"] ?? 16) as number,
    leaderElection: defaultElection(objectAt(given, "leaderElection")),
    clientConnection: {
      kubeconfig: (client["kubeconfig"] ?? "") as string,
      acceptContentTypes: (client["acceptContentTypes"] ?? "") as string,
      contentType: (client["contentType"] || "application/vnd.kubernetes.protobuf") as string,
      qps: (client["qps"] || 50) as number,
      burst: (client["burst"] || 100) as number,
    },
    enableProfiling: isProfiling as boolean,
    enableContentionProfiling: (given["enableContentionProfiling"] ?? isProfiling) as boolean,
    percentageOfNodesToScore: (given["percentageOfNodesToScore"] ?? 0) as number,
    podInitialBackoffSeconds: (given["podInitialBackoffSeconds"] ?? 1) as number,
    podMaxBackoffSeconds: (given["podMaxBackoffSeconds"] ?? 10) as number,
    profiles: defaultProfiles((given["profiles"] ?? []) as readonly Fields[]),
    ...(extenders === undefined || extenders.length === 0 ? {} : { extenders: extenders.map(withTimeout) }),
    ...(delayCacheUntilActive === true ? { delayCacheUntilActive } : {}),
  };
}

const withTimeout = <E extends object>(extender: E): E => ({ httpTimeout: "5s", ...extender });

function defaultElection(given: Fields): SchedulerDocument["leaderElection"] {
  // A time of zero is one that was not given.
  const time = (name: string, fallback: string) => {
    const nanos = parseDuration((given[name] ?? "0") as string);
    return nanos === 0n ? fallback : printDuration(nanos);
  };
  return {
    leaderElect: (given["leaderElect"] ?? true) as boolean,
    leaseDuration: time("leaseDuration", "15s"),
    renewDeadline: time("renewDeadline", "10s"),
    retryPeriod: time("retryPeriod", "2s"),
    resourceLock: (given["resourceLock"] || "leases") as string,
    resourceName: (given["resourceName"] || "kube-scheduler") as string,
    resourceNamespace: (given["resourceNamespace"] || "kube-system") as string,
  };
}

function defaultProfiles(given: readonly Fields[]): readonly ProfileDocument[] {
  const profiles = given.length === 0 ? [{}] : given;
  return profiles.map((profile: Fields, index) => {
    const percentage = profile["percentageOfNodesToScore"] ?? undefined;
    const plugins = mergePluginSets((profile["plugins"] ?? {}) as Readonly<Record<string, GivenPluginSet>>);
    const pluginConfig = (profile["pluginConfig"] ?? []) as readonly { readonly name?: string; args?: unknown }[];
    return {
      // Only a profile that is alone has a name by default.
      schedulerName: (profile["schedulerName"] ?? (profiles.length === 1 ? "default-scheduler" : "")) as string,
      ...(percentage === undefined ? {} : { percentageOfNodesToScore: percentage as number }),
      plugins,
      pluginConfig: pluginConfig.map(({ name = "", args }, at) =>
        toEntry(name, readArguments(name, args, `profiles[${index}].pluginConfig[${at}]`)),
      ),
    };
  });
}

export const toEntry = (name: string, args: object | undefined): PluginConfig => ({
  name,
  ...(args === undefined ? {} : { args }),
});
