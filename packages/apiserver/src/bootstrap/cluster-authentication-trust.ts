// The ConfigMap kube-system/extension-apiserver-authentication: who serves beside this server (an aggregated API, a controller manager) learns from
// it which authorities vouch for clients. As upstream, what is there is kept as long as it has not expired, and the server's own is added: so a
// server that begins with another authority, or listens a second time with another one, says so, and does not take back what a server beside it
// has said.
import { X509Certificate } from "node:crypto";
import type { corev1, KubernetesObject } from "@kubeloop/core/api";
import type { LoopbackClient } from "./loopback-client.ts";

const collection = "/api/v1/namespaces/kube-system/configmaps";
const name = "extension-apiserver-authentication";
const key = "client-ca-file";
/** Upstream's: a certificate is not dropped on the minute. */
const expirySlackMs = 5 * 60_000;

type Published = corev1.ConfigMap & KubernetesObject;

export async function publishClientAuthority(
  client: LoopbackClient,
  { caPem, nowMs }: { readonly caPem: string; readonly nowMs: number },
  signal: AbortSignal,
): Promise<void> {
  await client.ensure<Published>(
    { collection, name },
    (current) => {
      const known = current?.data?.[key] ?? "";
      const wanted = combineCertificates(known, caPem, nowMs);
      if (current === undefined) {
        const metadata = { name, namespace: "kube-system" };
        return { kind: "ConfigMap", apiVersion: "v1", metadata, data: { [key]: wanted } } as Published;
      }
      return wanted === known ? undefined : { ...current, data: { ...current.data, [key]: wanted } };
    },
    signal,
  );
}

/** Returns the known certificates that have not expired, and the added ones; each once. */
export function combineCertificates(known: string, added: string, nowMs: number): string {
  const kept = certificatesIn(known).filter(({ validTo }) => Date.parse(validTo) > nowMs - expirySlackMs);
  const byFingerprint = new Map<string, X509Certificate>();
  for (const each of [...kept, ...certificatesIn(added)]) byFingerprint.set(each.fingerprint256, each);
  return [...byFingerprint.values()].map((each) => each.toString()).join("");
}

/** What is no certificate is left out: somebody has spoilt the object, and the server's own must be in it all the same. */
function certificatesIn(pem: string): readonly X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}
