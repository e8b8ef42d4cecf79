// The kubeconfig that leads an administrator to a server of this process.
import type { Listening } from "@kubeloop/apiserver";
import { type Kubeconfig, printKubeconfig } from "@kubeloop/core/client";

export const kubeconfigTextFor = (listening: Pick<Listening, "url" | "admin">): Promise<string> =>
  printKubeconfig(kubeconfigFor(listening));

export function kubeconfigFor({ url, admin }: Pick<Listening, "url" | "admin">): Kubeconfig {
  const base64 = (text: string | undefined) => Buffer.from(text ?? "", "utf8").toString("base64");
  const cluster = { server: url, "certificate-authority-data": base64(admin.caPem) };
  const user = {
    token: admin.token,
    "client-certificate-data": base64(admin.certPem),
    "client-key-data": base64(admin.keyPem),
  };
  return {
    clusters: [{ name: "kubeloop", cluster }],
    users: [{ name: "kubeloop-admin", user }],
    contexts: [{ name: "kubeloop", context: { cluster: "kubeloop", user: "kubeloop-admin" } }],
    "current-context": "kubeloop",
  };
}
