// `kubeconfig`: the cluster's address and the credentials, read from kubeconfig files as kubectl reads them or from a pod's
// service account, as one ClusterConfig for a transport; and writing kubeconfig files for other programs. Start with
// load-cluster-config.ts.
//
// Promises: all faults of a configuration at once, each with its file and field; no secret in a message.
export type { KubeconfigOverrides } from "./choose-context.ts";
export { type ClusterConfig, type ClusterTls, clusterConfig } from "./cluster-config.ts";
export { parseKubeconfig } from "./decode-kubeconfig.ts";
export type {
  Kubeconfig,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigExec,
  KubeconfigExtension,
  KubeconfigUser,
} from "./kubeconfig.ts";
export { KubeconfigError, type KubeconfigFault } from "./kubeconfig-error.ts";
export {
  type ClusterConfigOptions,
  clusterConfigFromKubeconfig,
  inClusterConfig,
  type LoadOptions,
  loadClusterConfig,
  loadKubeconfig,
} from "./load-cluster-config.ts";
export { kubeconfigPaths } from "./load-kubeconfig.ts";
export {
  type KubeconfigFile,
  type Located,
  type MergedKubeconfig,
  mergeKubeconfigs,
  toKubeconfig,
} from "./merge-kubeconfigs.ts";
export { printKubeconfig, type WriteKubeconfigOptions, writeKubeconfig } from "./write-kubeconfig.ts";
