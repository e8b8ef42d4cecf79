// A kubeconfig for one user of one cluster. It is printed as JSON, which every reader of kubeconfigs takes for YAML.
// It holds a secret: whoever writes it to disk does so with mode 0600.
import type { CertificatePair } from "@kubeloop/apiserver/authority";

/** How a user shows who they are. */
export type Credential = { readonly token: string } | CertificatePair;

export interface KubeconfigFacts {
  readonly url: string;
  readonly caPem: string;
  readonly user: string;
  readonly credential: Credential;
}

const toBase64 = (text: string): string => Buffer.from(text).toString("base64");

export function printKubeconfig({ url, caPem, user, credential }: KubeconfigFacts): string {
  const shown =
    "token" in credential
      ? { token: credential.token }
      : {
          "client-certificate-data": toBase64(credential.certPem),
          "client-key-data": toBase64(credential.keyPem),
        };
  const name = "real-cluster";
  return `${JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name, cluster: { server: url, "certificate-authority-data": toBase64(caPem) } }],
      users: [{ name: user, user: shown }],
      contexts: [{ name, context: { cluster: name, user } }],
      "current-context": name,
    },
    null,
    2,
  )}\n`;
}
