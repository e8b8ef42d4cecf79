// `client`: typed access to any Kubernetes API server: kubeconfig and credentials, transports over HTTP/1.1 and HTTP/2, the
// API's verbs on any resource, lists and watches that lose nothing, discovery. Start with `openClient` in client.ts;
// docs/client.md is a tour.
//
// Promises: every call takes a signal and leaves nothing behind when it aborts; no response is held whole except single objects.
// Not here: caches (informer) and retries beyond one request.
export {
  Client,
  type ClientChanges,
  type ClientOptions,
  clientOf,
  type Identity,
  type OpenClientOptions,
  openClient,
  type Sender,
} from "./client.ts";
export {
  basicCredentials,
  type CaBundle,
  type CaCertificates,
  type CertificateFilesOptions,
  type CertificatePair,
  type ClientCertificate,
  type Credential,
  type CredentialFunction,
  type Credentials,
  CredentialsError,
  type CredentialsErrorReason,
  certificateCredentials,
  certificateFileCredentials,
  combinedCredentials,
  type ExecCluster,
  type ExecInteractiveMode,
  type ExecPlugin,
  type ExecPluginOptions,
  execCredentials,
  type FetchedCredential,
  fileCaBundle,
  functionCredentials,
  type Host,
  type HostCommand,
  type HostExit,
  type Impersonation,
  impersonationHeaders,
  inlineCaBundle,
  noCredentials,
  nodeHost,
  parseJsonOrYaml,
  printYaml,
  type RereadContext,
  systemCaBundle,
  type TokenFileOptions,
  tokenCredentials,
  tokenFileCredentials,
  validateImpersonation,
} from "./credentials/index.ts";
export {
  type ApiGroup,
  type Asked,
  CachedDiscovery,
  type CachedDiscoveryOptions,
  type Discovered,
  Discovery,
  type DiscoveryOptions,
  type KindQuery,
  NoMatchError,
  type Reading,
  type ResourceQuery,
  RestMapper,
  type RestMapperOptions,
  type ServerVersion,
  StaleGroupVersionError,
} from "./discovery/index.ts";
export { type HttpIdentity, HttpTransport, type HttpTransportOptions } from "./http/http-transport.ts";
export type { HttpVersion } from "./http/server-connections.ts";
export {
  type ClusterConfig,
  type ClusterConfigOptions,
  type ClusterTls,
  clusterConfig,
  clusterConfigFromKubeconfig,
  inClusterConfig,
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigContext,
  KubeconfigError,
  type KubeconfigExec,
  type KubeconfigExtension,
  type KubeconfigFault,
  type KubeconfigFile,
  type KubeconfigOverrides,
  type KubeconfigUser,
  kubeconfigPaths,
  type LoadOptions,
  type Located,
  loadClusterConfig,
  loadKubeconfig,
  type MergedKubeconfig,
  mergeKubeconfigs,
  parseKubeconfig,
  printKubeconfig,
  toKubeconfig,
  type WriteKubeconfigOptions,
  writeKubeconfig,
} from "./kubeconfig/index.ts";
export {
  parseWarnings,
  printUserAgent,
  RateLimiter,
  type RateLimiterOptions,
  type UserAgentParts,
  type Warning,
} from "./policy/index.ts";
export type { Encoding } from "./rest/accept.ts";
export type { AnswerEncoding, AnswerObserver } from "./rest/answer-observer.ts";
export type { Applied } from "./rest/applied.ts";
export type { EncodingMemory } from "./rest/encoding-memory.ts";
export type {
  ApplyOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  SelectorOptions,
  TableOptions,
  WatchOptions,
  WriteOptions,
} from "./rest/options.ts";
export type { PagedList } from "./rest/paged-list.ts";
export type { Patch } from "./rest/patch.ts";
export type { PodLogOptions } from "./rest/pod-logs.ts";
export { type MetadataClient, ResourceClient } from "./rest/resource-client.ts";
export { type CreateAnswer, type SubresourceBody, SubresourceClient } from "./rest/subresource-client.ts";
export type { Batched } from "./streams/batched.ts";
export { ListDecodeError, WatchDecodeError } from "./streams/decode-errors.ts";
export type { BookmarkEvent, ErrorEvent, ObjectEvent, WatchEvent } from "./streams/watch-event.ts";
