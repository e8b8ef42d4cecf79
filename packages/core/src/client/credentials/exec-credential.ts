// The ExecCredential object of client.authentication.k8s.io: the input and the output of an exec plugin.
import { parseTime } from "../../api/time.ts";
import { CredentialsError } from "./credentials-error.ts";
import { type FieldFault, Fields } from "./decode-fields.ts";
import { parseJsonOrYaml } from "./json-or-yaml.ts";
import type { FetchedCredential } from "./renewed-credentials.ts";

export const execApiVersions: readonly string[] = [
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
];

/** What a plugin may get to know about its cluster. */
export interface ExecCluster {
  readonly server: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly caPem?: string;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  /** The cluster's extension `client.authentication.k8s.io/exec`. */
  readonly config?: unknown;
}

export interface ExecRequest {
  readonly apiVersion: string;
  readonly isInteractive: boolean;
  readonly cluster?: ExecCluster;
}

/** The value of KUBERNETES_EXEC_INFO. */
export function printExecRequest({ apiVersion, isInteractive, cluster }: ExecRequest): string {
  const spec = { ...(cluster === undefined ? {} : { cluster: toWire(cluster) }), interactive: isInteractive };
  return JSON.stringify({ kind: "ExecCredential", apiVersion, spec });
}

function toWire(cluster: ExecCluster): Readonly<Record<string, unknown>> {
  const { caPem } = cluster;
  return {
    server: cluster.server,
    "tls-server-name": cluster.tlsServerName,
    "insecure-skip-tls-verify": cluster.insecureSkipTlsVerify === true ? true : undefined,
    "certificate-authority-data": caPem === undefined ? undefined : Buffer.from(caPem, "utf8").toString("base64"),
    "proxy-url": cluster.proxyUrl,
    "disable-compression": cluster.disableCompression === true ? true : undefined,
    config: cluster.config ?? null,
  };
}

/** Parses what the plugin printed, JSON or YAML. Throws a CredentialsError that quotes nothing of it. */
export async function parseExecCredential(text: string, apiVersion: string): Promise<FetchedCredential> {
  const faults: FieldFault[] = [];
  const answer = new Fields(await parseOutput(text), "", faults);
  if (faults.length === 0) checkVersion(answer, apiVersion);
  const status = answer.object("status");
  if (!answer.has("status")) answer.fault("status", "required");
  const fetched = decodeStatus(status);
  if (faults.length > 0) {
    throw failed(faults.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; "));
  }
  return fetched;
}

function decodeStatus(status: Fields): FetchedCredential {
  const token = status.string("token");
  const certificatePem = status.string("clientCertificateData");
  const keyPem = status.string("clientKeyData");
  const expiresAtMs = decodeExpiry(status);
  if (certificatePem === undefined && keyPem !== undefined)
    status.fault("clientCertificateData", "required with clientKeyData");
  if (certificatePem !== undefined && keyPem === undefined)
    status.fault("clientKeyData", "required with clientCertificateData");
  if (status.has("token") === false && certificatePem === undefined && keyPem === undefined) {
    status.fault("token", "required, unless there is a client certificate");
  }
  return {
    ...(token === undefined ? {} : { token }),
    ...(certificatePem === undefined || keyPem === undefined ? {} : { certificate: { certificatePem, keyPem } }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  };
}

function decodeExpiry(status: Fields): number | undefined {
  const text = status.string("expirationTimestamp");
  if (text === undefined) return undefined;
  try {
    return parseTime(text);
  } catch {
    status.fault("expirationTimestamp", "must be a time such as 2026-01-31T12:00:00Z");
    return undefined;
  }
}

function checkVersion(answer: Fields, apiVersion: string): void {
  const kind = answer.raw("kind");
  const version = answer.raw("apiVersion");
  if (kind !== "ExecCredential") throw failed("kind: must be ExecCredential");
  if (version !== apiVersion) {
    throw failed(
      `apiVersion: the kubeconfig asks for ${apiVersion}, the plugin answered with ${JSON.stringify(version)}`,
    );
  }
}

async function parseOutput(text: string): Promise<unknown> {
  try {
    return await parseJsonOrYaml(text);
  } catch (cause) {
    throw failed(cause instanceof Error ? cause.message : "neither JSON nor YAML", cause);
  }
}

function failed(message: string, cause?: unknown): CredentialsError {
  return new CredentialsError(message, { reason: "PluginFailed", cause });
}
