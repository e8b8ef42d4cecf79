// What the scheduler runs with: the configuration file, or the deprecated flags without one, and over both the flags of the election that were given.
import { printDurationMs } from "@kubeloop/core/api";
import { decodeSchedulerConfiguration, type SchedulerConfiguration, type SchedulerDocument } from "@kubeloop/scheduler";
import { tlsSettings } from "../serving/tls-settings.ts";
import { leaderElection as electionFlags, type KubeSchedulerOptions } from "./options.ts";

const apiVersion = "kubescheduler.config.k8s.io/v1";
const kind = "KubeSchedulerConfiguration";

/** `document` is the parsed file; undefined without one. Throws a SchedulerConfigurationError. */
export function schedulerConfigurationOf(options: KubeSchedulerOptions, document?: unknown): SchedulerConfiguration {
  if (document !== undefined) {
    return decodeSchedulerConfiguration(document, (decoded) => withElectionFlags(decoded, options));
  }
  // Upstream validates the defaults and then applies the flags, so that what is wrong with those shows only when they are used.
  const byDefault = decodeSchedulerConfiguration({ apiVersion, kind });
  const flagged = withElectionFlags(withDeprecatedFlags(byDefault.document, options), options);
  const { clientConnection, leaderElection, enableProfiling } = flagged;
  const { leaderElect: _, resourceLock: __, ...election } = options.leaderElection;
  return {
    ...byDefault,
    kubeconfig: clientConnection.kubeconfig === "" ? undefined : clientConnection.kubeconfig,
    qps: clientConnection.qps,
    burst: clientConnection.burst,
    enableProfiling,
    leaderElection: leaderElection.leaderElect ? election : undefined,
    document: flagged,
  };
}

function withDeprecatedFlags(document: SchedulerDocument, { deprecated }: KubeSchedulerOptions): SchedulerDocument {
  const { kubeconfig, contentType, qps, burst, enableProfiling, enableContentionProfiling } = deprecated;
  return {
    ...document,
    clientConnection: { ...document.clientConnection, kubeconfig, contentType, qps, burst },
    enableProfiling,
    enableContentionProfiling,
  };
}

/** Those that were given go before the file. */
function withElectionFlags(
  document: SchedulerDocument,
  { leaderElection: flags, parsedFlags }: KubeSchedulerOptions,
): SchedulerDocument {
  const fields = {
    leaderElect: flags.leaderElect,
    leaseDurationMs: printDurationMs(flags.leaseDurationMs),
    renewDeadlineMs: printDurationMs(flags.renewDeadlineMs),
    retryPeriodMs: printDurationMs(flags.retryPeriodMs),
    resourceLock: flags.resourceLock,
    resourceName: flags.resourceName,
    resourceNamespace: flags.resourceNamespace,
  };
  const given = Object.entries(fields).flatMap(([key, value]) =>
    parsedFlags.isSet(electionFlags[key as keyof typeof fields]) ? [[key.replace(/Ms$/, ""), value] as const] : [],
  );
  return { ...document, leaderElection: { ...document.leaderElection, ...Object.fromEntries(given) } };
}

/** Throws what upstream says about a configuration that it can read and not start with, in the order in which it finds out. */
export function checkStart(
  { secureServing }: KubeSchedulerOptions,
  { document: { leaderElection, clientConnection } }: SchedulerConfiguration,
): void {
  if (secureServing.bindPort !== 0) tlsSettings(secureServing);
  const { qps, burst } = clientConnection;
  if (qps > 0 && burst <= 0) {
    throw new Error(
      "burst is required to be greater than 0 when RateLimiter is not set and QPS is set to greater than 0",
    );
  }
  const { leaderElect, resourceLock } = leaderElection;
  if (!leaderElect || resourceLock === "leases") return;
  const isRemoved = ["endpoints", "configmaps", "endpointsleases", "configmapsleases"].includes(resourceLock);
  const why = isRemoved ? `${resourceLock} lock is removed, migrate to leases` : `Invalid lock-type ${resourceLock}`;
  throw new Error(`couldn't create resource lock: ${why}`);
}
