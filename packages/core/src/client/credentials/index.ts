// `credentials`: how a client authenticates, and which servers it trusts. Tokens, passwords, certificates, exec plugins and
// functions behind one small interface that a transport calls before each request; rotation needs no restart.
//
// Not here: their configuration (kubeconfig), and the connections they are used on. Start with credentials.ts.
export { type CaBundle, type CaCertificates, fileCaBundle, inlineCaBundle, systemCaBundle } from "./ca-bundle.ts";
export type { CertificatePair, ClientCertificate } from "./client-certificate.ts";
export { combinedCredentials } from "./combined-credentials.ts";
export {
  basicCredentials,
  type Credential,
  type Credentials,
  certificateCredentials,
  noCredentials,
  tokenCredentials,
} from "./credentials.ts";
export { CredentialsError, type CredentialsErrorReason } from "./credentials-error.ts";
export type { ExecCluster } from "./exec-credential.ts";
export { type ExecInteractiveMode, type ExecPlugin, type ExecPluginOptions, execCredentials } from "./exec-plugin.ts";
export {
  type CertificateFilesOptions,
  certificateFileCredentials,
  type TokenFileOptions,
  tokenFileCredentials,
} from "./file-credentials.ts";
export type { Host, HostCommand, HostExit } from "./host.ts";
export { type Impersonation, impersonationHeaders, validateImpersonation } from "./impersonation.ts";
export { parseJsonOrYaml, printYaml, SyntaxFault } from "./json-or-yaml.ts";
export { nodeHost } from "./node-host.ts";
export { type CredentialFunction, type FetchedCredential, functionCredentials } from "./renewed-credentials.ts";
export type { RereadContext } from "./reread-files.ts";
