// Converts a kubeconfig's user to Credentials. Files are opened once here, so that a missing one is reported when the configuration
// is loaded and not at the first request. Faults that `validateUser` reports are not reported again.
//
// As in Kubernetes: a certificate is used together with a token or a password; an exec plugin is used only if there is none of
// these; of `token` and `tokenFile` the file wins, and the token is used until the file can be read.
import { isAborted, type Metrics } from "../../base/index.ts";
import { combinedCredentials } from "../credentials/combined-credentials.ts";
import {
  basicCredentials,
  type Credentials,
  certificateCredentials,
  noCredentials,
  tokenCredentials,
} from "../credentials/credentials.ts";
import type { FieldFault } from "../credentials/decode-fields.ts";
import { type ExecCluster, execApiVersions } from "../credentials/exec-credential.ts";
import { execCredentials } from "../credentials/exec-plugin.ts";
import { certificateFileCredentials, tokenFileCredentials } from "../credentials/file-credentials.ts";
import { type RereadContext, readText } from "../credentials/reread-files.ts";
import type { KubeconfigUser } from "./kubeconfig.ts";
import { interactiveModeOf } from "./validate-user.ts";

export interface UserContext extends RereadContext {
  /** The cluster information for an exec plugin that requests it. */
  readonly cluster: (signal: AbortSignal) => Promise<ExecCluster>;
  readonly stdinUnavailable?: string;
  readonly metrics?: Metrics;
}

/** Adds the faults of the files to `faults`. */
export async function userCredentials(
  user: KubeconfigUser,
  context: UserContext,
  faults: FieldFault[],
  signal: AbortSignal,
): Promise<Credentials> {
  const parts = [
    await openPart("client-certificate", () => clientCertificate(user, context, signal), faults, signal),
    await openPart("tokenFile", async () => authorization(user, context), faults, signal),
  ].filter((part) => part !== undefined);
  const [first = execOf(user, context) ?? noCredentials, second] = parts;
  return second === undefined ? first : combinedCredentials(parts);
}

async function openPart(
  path: string,
  open: () => Promise<Credentials | undefined>,
  faults: FieldFault[],
  signal: AbortSignal,
): Promise<Credentials | undefined> {
  try {
    const part = await open();
    await part?.current(signal);
    return part;
  } catch (error) {
    if (isAborted(error, signal)) throw error;
    faults.push({ path, message: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

async function clientCertificate(
  user: KubeconfigUser,
  context: UserContext,
  signal: AbortSignal,
): Promise<Credentials | undefined> {
  const { "client-certificate": certificatePath, "client-key": keyPath } = user;
  const { "client-certificate-data": certificateData, "client-key-data": keyData } = user;
  if (certificatePath === undefined && certificateData === undefined) return undefined;
  if (keyPath === undefined && keyData === undefined) return undefined;
  if (certificatePath !== undefined && keyPath !== undefined) {
    return certificateFileCredentials({ ...context, certificatePath, keyPath });
  }
  // One of them is inline: they cannot be rotated together, so the pair that is read now stays.
  const textOf = async (path: string | undefined, base64: string | undefined) =>
    path === undefined ? fromBase64(base64 ?? "") : await readText(context.host, path, signal);
  return certificateCredentials(await textOf(certificatePath, certificateData), await textOf(keyPath, keyData));
}

function authorization(user: KubeconfigUser, context: UserContext): Credentials | undefined {
  const { token, tokenFile, username, password = "" } = user;
  if (tokenFile !== undefined) {
    const fallback = token === undefined ? {} : { fallbackToken: token };
    return tokenFileCredentials({ ...context, path: tokenFile, ...fallback });
  }
  if (token !== undefined) return tokenCredentials(token);
  return username === undefined ? undefined : basicCredentials(username, password);
}

function execOf(user: KubeconfigUser, context: UserContext): Credentials | undefined {
  const { exec } = user;
  const interactiveMode = exec === undefined ? undefined : interactiveModeOf(exec);
  if (exec?.command === undefined || exec.apiVersion === undefined || interactiveMode === undefined) return undefined;
  if (!execApiVersions.includes(exec.apiVersion)) return undefined;
  const { cluster, ...machine } = context;
  const { command, apiVersion, args, env, installHint } = exec;
  return execCredentials({
    ...machine,
    ...(exec.provideClusterInfo === true ? { cluster } : {}),
    plugin: {
      command,
      apiVersion,
      interactiveMode,
      ...(args === undefined ? {} : { args }),
      ...(env === undefined ? {} : { env }),
      ...(installHint === undefined ? {} : { installHint }),
    },
  });
}

export function fromBase64(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}
