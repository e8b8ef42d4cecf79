// The one call most programs need: finds the cluster and the credentials. In kubectl's order:
//
// 1. the file given by `path`, alone; 2. the files of KUBECONFIG, merged; 3. without KUBECONFIG, ~/.kube/config;
// 4. if 2 or 3 found nothing, and no context, cluster or user was requested, the pod's service account; 5. without one,
// the server in the options, anonymously.
//
// So a kubeconfig in a pod takes precedence over the pod's service account, and a program uses the same cluster as kubectl beside it.
import { type Clock, defaultLog, type Log, type Metrics, systemClock } from "../../base/index.ts";
import type { Host } from "../credentials/host.ts";
import { nodeHost } from "../credentials/node-host.ts";
import { chooseContext, type KubeconfigOverrides } from "./choose-context.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { openInCluster } from "./in-cluster.ts";
import type { Kubeconfig } from "./kubeconfig.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import { kubeconfigPaths, loadKubeconfigFiles } from "./load-kubeconfig.ts";
import { type MergedKubeconfig, mergeKubeconfigs } from "./merge-kubeconfigs.ts";
import { type OpenContextOptions, openContext } from "./open-context.ts";

export interface ClusterConfigOptions extends KubeconfigOverrides {
  readonly host?: Host;
  readonly clock?: Clock;
  readonly log?: Log;
  /** Why an exec plugin may not use standard input ("it holds the manifests"); undefined if it may. */
  readonly stdinUnavailable?: string;
  /** Counts the calls of an exec plugin. */
  readonly metrics?: Metrics;
}

export interface LoadOptions extends ClusterConfigOptions {
  /** The only kubeconfig file to use. */
  readonly path?: string;
}

/** Throws a KubeconfigError with all faults of the configuration, or with the places that were searched. */
export async function loadClusterConfig(options: LoadOptions, signal: AbortSignal): Promise<ClusterConfig> {
  const machine = withDefaults(options);
  const merged = await loadKubeconfigFiles({ ...machine, ...pick(options, "path") }, signal);
  const isPartNamed = [options.path, options.context, options.cluster, options.user].some((part) => part !== undefined);
  if (!isEmpty(merged) || isPartNamed) return await openContext(chooseContext(merged, options), machine, signal);
  try {
    return await openInCluster({ ...machine, ...pick(options, "server", "namespace") }, signal);
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    if (options.server !== undefined) return await openContext(chooseContext(merged, options), machine, signal);
    const message = `no kubeconfig at ${kubeconfigPaths(machine).join(" or ")}, and ${error.message}`;
    throw new KubeconfigError([{ path: "", message }], "NotFound");
  }
}

/** From a kubeconfig object. Its relative paths are relative to the working directory. */
export async function clusterConfigFromKubeconfig(
  kubeconfig: Kubeconfig,
  options: ClusterConfigOptions,
  signal: AbortSignal,
): Promise<ClusterConfig> {
  const chosen = chooseContext(mergeKubeconfigs([{ kubeconfig }]), options);
  return await openContext(chosen, withDefaults(options), signal);
}

/** From the service account of the pod, ignoring kubeconfig files. */
export async function inClusterConfig(
  options: Omit<ClusterConfigOptions, "context" | "cluster" | "user">,
  signal: AbortSignal,
): Promise<ClusterConfig> {
  return await openInCluster({ ...withDefaults(options), ...pick(options, "server", "namespace") }, signal);
}

/** Returns the files that a program would use, merged into one, with absolute paths. */
export async function loadKubeconfig(
  options: Pick<LoadOptions, "path" | "host" | "log">,
  signal: AbortSignal,
): Promise<MergedKubeconfig> {
  return await loadKubeconfigFiles({ ...withDefaults(options), ...pick(options, "path") }, signal);
}

function withDefaults(options: ClusterConfigOptions): OpenContextOptions {
  const { host = nodeHost, clock = systemClock, log = defaultLog } = options;
  return { host, clock, log, ...pick(options, "stdinUnavailable", "metrics") };
}

function pick<T extends object, K extends keyof T>(options: T, ...keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.filter((key) => options[key] !== undefined).map((key) => [key, options[key]])) as Pick<
    T,
    K
  >;
}

function isEmpty({ clusters, users, contexts, currentContext }: MergedKubeconfig): boolean {
  return clusters.size === 0 && users.size === 0 && contexts.size === 0 && currentContext === undefined;
}
