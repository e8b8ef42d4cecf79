// A real etcd and kube-apiserver for the integration suites: `await using cluster = await RealCluster.start()`. See
// docs/real-cluster.md. Not for production, and not a part of any published package.

export {
  type CertificateAuthority,
  type CertificatePair,
  type ClientIdentity,
  createAuthority,
} from "@kubeloop/apiserver/authority";
export { type Binaries, BinariesMissingError, type BinariesOptions, findBinaries, pathOf } from "./binaries.ts";
export { RealClusterError, type RealClusterReason } from "./errors.ts";
export { type ClusterFiles, filesIn } from "./flags.ts";
export { type HttpAnswer, type HttpRequest, sendRequest } from "./http-request.ts";
export type { Credential } from "./kubeconfig.ts";
export type { ManagerProgram, RealClusterOptions } from "./options.ts";
export { type ComponentName, conformancePrograms, type Program } from "./programs.ts";
export { RealCluster } from "./real-cluster.ts";
export { type SupervisedCommand, SupervisedProcess } from "./supervised-process.ts";
export type { TokenUser } from "./tokens.ts";
