// What has to exist before the first component starts: folder, certificates, keys, tokens. Kubeconfigs follow once the API
// server's address is known.

import { type CertificateAuthority, type ClientIdentity, createAuthority } from "@kubeloop/apiserver/authority";
import type { Cleanup } from "@kubeloop/core/base";
import type { Binaries } from "./binaries.ts";
import { type ClusterFiles, filesIn, type Setup } from "./flags.ts";
import { printKubeconfig } from "./kubeconfig.ts";
import type { RealClusterOptions } from "./options.ts";
import { createFolder, createServiceAccountKeys, removeFolder, writeSecrets } from "./throw-away-folder.ts";
import { admin, createTokens, printTokenFile } from "./tokens.ts";

const serverNames = [
  "localhost",
  "127.0.0.1",
  "::1",
  "10.0.0.1", // the `kubernetes` Service: the first address of the service range
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

export interface Ground {
  readonly folder: string;
  readonly files: ClusterFiles;
  readonly setup: Setup;
  readonly binaries: Binaries;
  readonly authority: CertificateAuthority;
  readonly tokens: ReadonlyMap<string, string>;
  readonly startTimeoutMs: number;
  readonly cleanup: Cleanup;
}

/** Whatever it creates on disk is removed by `cleanup`. */
export async function prepareGround(
  options: RealClusterOptions,
  binaries: Binaries,
  cleanup: Cleanup,
): Promise<Ground> {
  const { users = [], featureGates = {}, watchCache = true, extraFlags = {}, startTimeoutMs = 60_000 } = options;
  const folder = await createFolder();
  cleanup.defer(() => removeFolder(folder));
  const files = filesIn(folder);
  const authority = await createAuthority("real-cluster");
  const server = await authority.issueServer({ commonName: "kube-apiserver", names: serverNames });
  // Who a kube-apiserver is to kubelets, as kubeadm names it.
  const kubeletClient = await authority.issueClient({
    user: "kube-apiserver-kubelet-client",
    groups: ["system:masters"],
  });
  const serviceAccount = createServiceAccountKeys();
  const tokens = createTokens(users);
  await writeSecrets(
    new Map([
      [files.caCert, authority.pair.certPem],
      [files.caKey, authority.pair.keyPem],
      [files.serverCert, server.certPem],
      [files.serverKey, server.keyPem],
      [files.kubeletClientCert, kubeletClient.certPem],
      [files.kubeletClientKey, kubeletClient.keyPem],
      [files.serviceAccountKey, serviceAccount.privatePem],
      [files.serviceAccountPublicKey, serviceAccount.publicPem],
      [files.tokens, printTokenFile(users, tokens)],
    ]),
  );
  const setup = { files, watchCache, featureGates, extraFlags };
  return { folder, files, setup, binaries, authority, tokens, startTimeoutMs, cleanup };
}

/** For the admin and for the components that are clients themselves. */
export async function writeKubeconfigs({ files, authority }: Ground, url: string): Promise<void> {
  const who: readonly (readonly [string, ClientIdentity])[] = [
    [files.adminKubeconfig, admin],
    [files.controllerManagerKubeconfig, { user: "system:kube-controller-manager" }],
    [files.schedulerKubeconfig, { user: "system:kube-scheduler" }],
  ];
  const texts = await Promise.all(
    who.map(async ([path, client]) => {
      const credential = await authority.issueClient(client);
      return [path, printKubeconfig({ url, caPem: authority.pair.certPem, user: client.user, credential })] as const;
    }),
  );
  await writeSecrets(new Map(texts));
}
