// `kubeloop`: the command, and `startCluster()` for tests.
export type { Cluster, ClusterListening, ClusterParts, ClusterSnapshot, SettledOptions } from "./cluster/cluster.ts";
export { type StartClusterOptions, startCluster } from "./cluster/start-cluster.ts";
export { type CommandIo, runCommand } from "./command.ts";
