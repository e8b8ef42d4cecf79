// A kubeconfig for the administrator of this server, for clients that read one from disk.
import { writeFile } from "node:fs/promises";
import type { Listening } from "../../serving/index.ts";

const toBase64 = (text: string | undefined) => Buffer.from(text ?? "").toString("base64");

/** JSON, which every reader of kubeconfigs takes for YAML. Whoever may read the folder may connect. */
export async function writeKubeconfig(path: string, { url, admin }: Listening): Promise<string> {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "k", cluster: { server: url, "certificate-authority-data": toBase64(admin.caPem) } }],
    users: [{ name: "k", user: { token: admin.token } }],
    contexts: [{ name: "k", context: { cluster: "k", user: "k" } }],
    "current-context": "k",
  };
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}
