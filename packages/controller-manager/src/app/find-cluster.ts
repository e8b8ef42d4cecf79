// Which API server the manager works for, in upstream's order: the kubeconfig file that it was given, with the address of --master before
// the one in it; --master alone, anonymously; without both the pod's service account. Neither KUBECONFIG nor a file at home is looked at: a
// manager must not find another cluster because of who started it.
import type { Log } from "@kubeloop/core/base";
import {
  type ClusterConfig,
  type ClusterConfigOptions,
  clusterConfig,
  inClusterConfig,
  KubeconfigError,
  loadClusterConfig,
} from "@kubeloop/core/client";

export interface ClusterFlags {
  readonly kubeconfig: string;
  readonly master: string;
}

/** Throws an error that says what is wrong with the configuration, or that there is none. */
export async function findCluster(
  { kubeconfig, master }: ClusterFlags,
  options: ClusterConfigOptions & { readonly log: Log },
  signal: AbortSignal,
): Promise<ClusterConfig> {
  const server = master === "" ? {} : { server: master };
  try {
    if (kubeconfig !== "") return await loadClusterConfig({ ...options, path: kubeconfig, ...server }, signal);
    if (master !== "") return clusterConfig({ server: master });
    options.log.warn(
      "Neither --kubeconfig nor --master was specified. Using the inClusterConfig. This might not work.",
    );
    return await inClusterConfig(options, signal);
  } catch (error) {
    if (error instanceof KubeconfigError) throw new Error(`invalid configuration: ${error.message}`, { cause: error });
    throw error;
  }
}
