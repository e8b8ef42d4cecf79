// The in-cluster configuration of a pod: the API server's address in the environment; token, CA and
// namespace of its service account in files. Token and CA are read again from time to time, because kubelet rotates them.
import { isAborted } from "../../base/index.ts";
import { fileCaBundle, systemCaBundle } from "../credentials/ca-bundle.ts";
import { noCredentials } from "../credentials/credentials.ts";
import { tokenFileCredentials } from "../credentials/file-credentials.ts";
import { fileFault, isMissing } from "../credentials/host.ts";
import { type ClusterConfig, parseServer } from "./cluster-config.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import type { OpenContextOptions } from "./open-context.ts";
import { proxyFromEnvironment } from "./proxy-from-environment.ts";

const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
const files = { token: `${folder}/token`, ca: `${folder}/ca.crt`, namespace: `${folder}/namespace` };

export interface InClusterOverrides {
  readonly server?: string;
  readonly namespace?: string;
}

/** Throws a KubeconfigError with reason NotFound if the process is not in a pod, or the pod has no service account. */
export async function openInCluster(
  options: OpenContextOptions & InClusterOverrides,
  signal: AbortSignal,
): Promise<ClusterConfig> {
  const server = parseServer(options.server ?? addressOf(options.host.env));
  const credentials = tokenFileCredentials({ ...options, path: files.token });
  try {
    await credentials.current(signal);
  } catch (error) {
    if (isAborted(error, signal)) throw error;
    throw notInCluster(error instanceof Error ? error.message : String(error));
  }
  const proxyUrl = proxyFromEnvironment(server, options.host.env);
  return {
    server,
    namespace: options.namespace ?? (await namespaceOf(options, signal)),
    tls: { ca: await openCa(options, signal), isVerified: true },
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    disableCompression: false,
    // As everywhere: no credentials over plain HTTP.
    credentials: server.startsWith("https:") ? credentials : noCredentials,
    source: `service account in ${folder}`,
  };
}

function addressOf(env: OpenContextOptions["host"]["env"]): string {
  const names = ["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"] as const;
  const missing = names.filter((name) => (env[name] ?? "") === "");
  if (missing.length > 0) throw notInCluster(`${missing.join(" and ")} not set`);
  const [host = "", port = ""] = names.map((name) => env[name]);
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function notInCluster(why: string): KubeconfigError {
  return new KubeconfigError([{ path: "", message: `not in a cluster: ${why}` }], "NotFound");
}

async function openCa(options: OpenContextOptions, signal: AbortSignal) {
  const ca = fileCaBundle(files.ca, options);
  try {
    await ca.current(signal);
    return ca;
  } catch (error) {
    if (isAborted(error, signal)) throw error;
    options.log.warn("service account's CA cannot be used, trusting the platform's roots", { error });
    return systemCaBundle;
  }
}

async function namespaceOf({ host, log }: OpenContextOptions, signal: AbortSignal): Promise<string> {
  const { POD_NAMESPACE: named } = host.env;
  if (named !== undefined && named !== "") return named;
  try {
    return (await host.readFile(files.namespace, signal)).trim() || "default";
  } catch (error) {
    if (isAborted(error, signal)) throw error;
    if (!isMissing(error)) log.warn("service account's namespace cannot be read", { fault: fileFault(error) });
    return "default";
  }
}
