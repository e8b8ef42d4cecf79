// Writes a kubeconfig for other programs: kubectl, helm, client-go. The file is replaced atomically and readable only by its owner,
// because it contains keys.
import { resolve } from "node:path";
import type { Host } from "../credentials/host.ts";
import { printYaml } from "../credentials/json-or-yaml.ts";
import { nodeHost } from "../credentials/node-host.ts";
import type { Kubeconfig } from "./kubeconfig.ts";

/** Prints as kubectl does: YAML, fields in its order. */
export async function printKubeconfig(kubeconfig: Kubeconfig): Promise<string> {
  const { clusters = [], contexts = [], users = [], extensions } = kubeconfig;
  return await printYaml({
    apiVersion: "v1",
    clusters,
    contexts,
    "current-context": kubeconfig["current-context"] ?? "",
    ...(extensions === undefined ? {} : { extensions }),
    kind: "Config",
    users,
  });
}

export interface WriteKubeconfigOptions {
  readonly host?: Host;
}

/** Readers see the old file or the new one, never a part. Missing folders are created; mode 0600. */
export async function writeKubeconfig(
  path: string,
  kubeconfig: Kubeconfig,
  options: WriteKubeconfigOptions,
  signal: AbortSignal,
): Promise<void> {
  const { host = nodeHost } = options;
  await host.replaceFile(resolve(host.cwd(), path), await printKubeconfig(kubeconfig), signal);
}
