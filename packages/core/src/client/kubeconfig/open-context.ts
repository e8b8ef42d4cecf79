// Converts a chosen context to a ClusterConfig: validates it, opens its files, and reports all faults of both
// cluster and user at once.
//
// As in kubectl: no credentials are sent to a plain-HTTP server; a CA together with insecure-skip-tls-verify is an error.
import { type Clock, isAborted, type Log, type Metrics } from "../../base/index.ts";
import { type CaBundle, fileCaBundle, inlineCaBundle, systemCaBundle } from "../credentials/ca-bundle.ts";
import { noCredentials } from "../credentials/credentials.ts";
import type { FieldFault } from "../credentials/decode-fields.ts";
import type { ExecCluster } from "../credentials/exec-credential.ts";
import type { Host } from "../credentials/host.ts";
import type { ChosenContext } from "./choose-context.ts";
import { type ClusterConfig, type ClusterTls, parseServer } from "./cluster-config.ts";
import type { KubeconfigCluster } from "./kubeconfig.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import type { Located } from "./merge-kubeconfigs.ts";
import { proxyFromEnvironment } from "./proxy-from-environment.ts";
import { fromBase64, userCredentials } from "./user-credentials.ts";
import { impersonationOf, validateUser } from "./validate-user.ts";

export interface OpenContextOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Log;
  /** Why an exec plugin may not use standard input; undefined if it may. */
  readonly stdinUnavailable?: string;
  readonly metrics?: Metrics;
}

export async function openContext(
  chosen: ChosenContext,
  options: OpenContextOptions,
  signal: AbortSignal,
): Promise<ClusterConfig> {
  const { cluster, namespace, source } = chosen;
  const user = chosen.user ?? { value: {}, path: "" };
  const clusterFaults: FieldFault[] = [];
  const userFaults: FieldFault[] = [...validateUser(user.value)];
  const server = serverOf(cluster.value, clusterFaults);
  const proxyUrl = proxyOf(cluster.value, clusterFaults);
  const tls = await openTls(cluster.value, options, clusterFaults, signal);
  const execCluster = (later: AbortSignal) => describeCluster(cluster.value, server, tls, later);
  const credentials = await userCredentials(user.value, { ...options, cluster: execCluster }, userFaults, signal);
  const faults = [...placed(clusterFaults, cluster), ...placed(userFaults, user)];
  if (faults.length > 0) throw new KubeconfigError(faults);
  const proxy = proxyUrl ?? proxyFromEnvironment(server, options.host.env);
  const impersonate = impersonationOf(user.value);
  return {
    server,
    namespace,
    tls,
    ...(proxy === undefined ? {} : { proxyUrl: proxy }),
    disableCompression: cluster.value["disable-compression"] ?? false,
    credentials: server.startsWith("https:") ? credentials : noCredentials,
    ...(impersonate === undefined ? {} : { impersonate }),
    source,
  };
}

function placed(faults: readonly FieldFault[], at: Located<unknown>) {
  return faults.map(({ path, message }) => ({
    ...(at.file === undefined ? {} : { file: at.file }),
    path: at.path === "" ? path : `${at.path}.${path}`,
    message,
  }));
}

function serverOf(cluster: KubeconfigCluster, faults: FieldFault[]): string {
  try {
    if (cluster.server !== undefined) return parseServer(cluster.server);
    faults.push({ path: "server", message: "required" });
  } catch (error) {
    faults.push({ path: "server", message: error instanceof Error ? error.message : String(error) });
  }
  return "";
}

const proxySchemes = ["http:", "https:", "socks5:"];

function proxyOf(cluster: KubeconfigCluster, faults: FieldFault[]): string | undefined {
  const proxyUrl = cluster["proxy-url"];
  if (proxyUrl === undefined) return undefined;
  const isUsable = URL.canParse(proxyUrl) && proxySchemes.includes(new URL(proxyUrl).protocol);
  if (!isUsable) faults.push({ path: "proxy-url", message: "must be a URL that begins with http, https or socks5" });
  return proxyUrl;
}

async function openTls(
  cluster: KubeconfigCluster,
  options: OpenContextOptions,
  faults: FieldFault[],
  signal: AbortSignal,
): Promise<ClusterTls> {
  const { "certificate-authority": path, "certificate-authority-data": base64 } = cluster;
  const isVerified = cluster["insecure-skip-tls-verify"] !== true;
  const serverName = cluster["tls-server-name"];
  if (path !== undefined && base64 !== undefined) {
    const message = "only one of certificate-authority and certificate-authority-data may be given";
    faults.push({ path: "certificate-authority", message });
  }
  if (!isVerified && (path !== undefined || base64 !== undefined)) {
    faults.push({
      path: "insecure-skip-tls-verify",
      message: "may not be given together with a certificate authority",
    });
  }
  let ca: CaBundle = systemCaBundle;
  try {
    if (base64 !== undefined) ca = inlineCaBundle(fromBase64(base64));
    else if (path !== undefined) ca = fileCaBundle(path, options);
    await ca.current(signal);
  } catch (error) {
    if (isAborted(error, signal)) throw error;
    const field = base64 === undefined ? "certificate-authority" : "certificate-authority-data";
    faults.push({ path: field, message: error instanceof Error ? error.message : String(error) });
  }
  return { ca, isVerified, ...(serverName === undefined ? {} : { serverName }) };
}

const execExtension = "client.authentication.k8s.io/exec";

async function describeCluster(
  cluster: KubeconfigCluster,
  server: string,
  tls: ClusterTls,
  signal: AbortSignal,
): Promise<ExecCluster> {
  const { pem } = await tls.ca.current(signal);
  const extension = cluster.extensions?.find(({ name }) => name === execExtension);
  const proxyUrl = cluster["proxy-url"];
  return {
    server,
    ...(tls.serverName === undefined ? {} : { tlsServerName: tls.serverName }),
    insecureSkipTlsVerify: !tls.isVerified,
    ...(pem === undefined ? {} : { caPem: pem }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    disableCompression: cluster["disable-compression"] ?? false,
    ...(extension === undefined ? {} : { config: extension.extension }),
  };
}
