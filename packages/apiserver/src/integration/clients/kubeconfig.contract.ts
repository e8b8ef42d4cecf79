// A kubeconfig for an administrator with a token, for clients that read one from disk.
import { writeFile } from "node:fs/promises";

export interface Access {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
}

/** JSON, which every reader of kubeconfigs takes for YAML. */
export function kubeconfigOf({ url, caPem, token }: Access): object {
  const authority = Buffer.from(caPem).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "k", cluster: { server: url, "certificate-authority-data": authority } }],
    users: [{ name: "k", user: { token } }],
    contexts: [{ name: "k", context: { cluster: "k", user: "k" } }],
    "current-context": "k",
  };
}

export async function writeKubeconfig(path: string, access: Access): Promise<string> {
  await writeFile(path, JSON.stringify(kubeconfigOf(access)), { mode: 0o600 });
  return path;
}
