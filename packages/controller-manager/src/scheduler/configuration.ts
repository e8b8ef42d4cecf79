// What the scheduler runs with: the configuration file, or the deprecated flags without one, and over both the flags of the election that were given.

import { decodeSchedulerConfiguration, type SchedulerConfiguration } from "@kubeloop/scheduler";
import { printGoDuration } from "../flags/index.ts";
import { leaderElection as electionFlags, type KubeSchedulerOptions } from "./options.ts";

const apiVersion = "kubescheduler.config.k8s.io/v1";
const kind = "KubeSchedulerConfiguration";

/** `document` is the parsed file; undefined without one. Throws a SchedulerConfigurationError. */
export function schedulerConfigurationOf(options: KubeSchedulerOptions, document?: unknown): SchedulerConfiguration {
  const { deprecated, leaderElection, parsedFlags } = options;
  const decoded = decodeSchedulerConfiguration(document ?? { apiVersion, kind });
  const base =
    document === undefined
      ? {
          ...decoded,
          kubeconfig: deprecated.kubeconfig === "" ? undefined : deprecated.kubeconfig,
          qps: deprecated.qps,
          burst: deprecated.burst,
          enableProfiling: deprecated.enableProfiling,
        }
      : decoded;
  const { leaderElect, resourceLock: _, ...election } = leaderElection;
  const given = Object.entries(election).filter(([key]) =>
    parsedFlags.isSet(electionFlags[key as keyof typeof election]),
  );
  const elects = parsedFlags.isSet(electionFlags.leaderElect) ? leaderElect : base.leaderElection !== undefined;
  const fallback = base.leaderElection ?? election;
  return { ...base, leaderElection: elects ? { ...fallback, ...Object.fromEntries(given) } : undefined };
}

/** The document that says the same, with what is not decided by flags at its default. */
export function toSchedulerDocument(configuration: SchedulerConfiguration): object {
  const { leaderElection, profiles } = configuration;
  return {
    apiVersion,
    kind,
    clientConnection: {
      burst: configuration.burst,
      kubeconfig: configuration.kubeconfig ?? "",
      qps: configuration.qps,
    },
    enableProfiling: configuration.enableProfiling,
    leaderElection:
      leaderElection === undefined
        ? { leaderElect: false }
        : {
            leaderElect: true,
            leaseDuration: printGoDuration(leaderElection.leaseDurationMs),
            renewDeadline: printGoDuration(leaderElection.renewDeadlineMs),
            resourceLock: "leases",
            resourceName: leaderElection.resourceName,
            resourceNamespace: leaderElection.resourceNamespace,
            retryPeriod: printGoDuration(leaderElection.retryPeriodMs),
          },
    podInitialBackoffSeconds: configuration.podInitialBackoffMs / 1000,
    podMaxBackoffSeconds: configuration.podMaxBackoffMs / 1000,
    profiles: profiles.map(({ schedulerName, percentageOfNodesToScore = 0, plugins }) => ({
      schedulerName,
      percentageOfNodesToScore,
      plugins: {
        multiPoint: {
          enabled: plugins.map(({ plugin, weight }) => ({ name: plugin.name, weight })),
          disabled: [{ name: "*" }],
        },
      },
    })),
  };
}
