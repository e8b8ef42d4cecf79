// The command line of each component: pure functions of one setup. Everything listens on 127.0.0.1 or a Unix socket and
// nowhere else. Flags are as few as a working cluster needs, so that behaviour is upstream's default; the caller's extra
// flags come last and therefore win.
import { join } from "node:path";
import type { ComponentName } from "./programs.ts";

/** Where everything lies inside the throw-away folder. */
export function filesIn(folder: string) {
  const at = (name: string) => join(folder, name);
  return {
    etcdData: at("etcd-data"),
    etcdSocket: at("etcd.sock"),
    etcdPeerSocket: at("etcd-peer.sock"),
    caCert: at("ca.crt"),
    caKey: at("ca.key"),
    serverCert: at("server.crt"),
    serverKey: at("server.key"),
    kubeletClientCert: at("kubelet-client.crt"),
    kubeletClientKey: at("kubelet-client.key"),
    serviceAccountKey: at("service-account.key"),
    serviceAccountPublicKey: at("service-account.pub"),
    tokens: at("tokens.csv"),
    adminKubeconfig: at("admin.kubeconfig"),
    controllerManagerKubeconfig: at("kube-controller-manager.kubeconfig"),
    schedulerKubeconfig: at("kube-scheduler.kubeconfig"),
  } as const;
}

export type ClusterFiles = ReturnType<typeof filesIn>;

/** The name inside the cluster that service-account tokens are issued by, as kubeadm sets it. */
const issuer = "https://kubernetes.default.svc.cluster.local";

export interface Setup {
  readonly files: ClusterFiles;
  readonly watchCache: boolean;
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly extraFlags: Readonly<Partial<Record<ComponentName, readonly string[]>>>;
}

export function etcdFlags({ files, extraFlags }: Setup): readonly string[] {
  // etcd insists on host:port where it advertises, although nobody follows it: there is one member, and its client knows
  // the socket.
  const nowhere = "http://127.0.0.1:0";
  return [
    "--name=real-cluster",
    `--data-dir=${files.etcdData}`,
    `--listen-client-urls=unix://${files.etcdSocket}`,
    `--listen-peer-urls=unix://${files.etcdPeerSocket}`,
    `--advertise-client-urls=${nowhere}`,
    `--initial-advertise-peer-urls=${nowhere}`,
    `--initial-cluster=real-cluster=${nowhere}`,
    // One member elects itself as soon as the time-out has passed: a second by default, at every start.
    "--heartbeat-interval=10",
    "--election-timeout=100",
    "--unsafe-no-fsync",
    "--log-level=warn",
    ...(extraFlags.etcd ?? []),
  ];
}

export function apiServerFlags(
  { files, watchCache, featureGates, extraFlags }: Setup,
  port: number,
): readonly string[] {
  return [
    `--etcd-servers=unix://${files.etcdSocket}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${port}`,
    `--tls-cert-file=${files.serverCert}`,
    `--tls-private-key-file=${files.serverKey}`,
    `--client-ca-file=${files.caCert}`,
    `--kubelet-client-certificate=${files.kubeletClientCert}`,
    `--kubelet-client-key=${files.kubeletClientKey}`,
    `--token-auth-file=${files.tokens}`,
    "--authorization-mode=RBAC",
    `--service-account-issuer=${issuer}`,
    `--service-account-key-file=${files.serviceAccountPublicKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    "--allow-privileged=true",
    ...(watchCache ? [] : ["--watch-cache=false"]),
    ...featureGateFlags(featureGates),
    ...(extraFlags["kube-apiserver"] ?? []),
  ];
}

export function controllerManagerFlags({ files, featureGates, extraFlags }: Setup, port: number): readonly string[] {
  return [
    ...servingFlags(files, files.controllerManagerKubeconfig, port),
    "--use-service-account-credentials=true",
    `--service-account-private-key-file=${files.serviceAccountKey}`,
    `--root-ca-file=${files.caCert}`,
    `--cluster-signing-cert-file=${files.caCert}`,
    `--cluster-signing-key-file=${files.caKey}`,
    ...featureGateFlags(featureGates),
    ...(extraFlags["kube-controller-manager"] ?? []),
  ];
}

export function schedulerFlags({ files, featureGates, extraFlags }: Setup, port: number): readonly string[] {
  return [
    ...servingFlags(files, files.schedulerKubeconfig, port),
    ...featureGateFlags(featureGates),
    ...(extraFlags["kube-scheduler"] ?? []),
  ];
}

/** What the controller manager and the scheduler have in common. One replica each, so nobody need be elected. */
function servingFlags(files: ClusterFiles, kubeconfig: string, port: number): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--tls-cert-file=${files.serverCert}`,
    `--tls-private-key-file=${files.serverKey}`,
    `--client-ca-file=${files.caCert}`,
    "--leader-elect=false",
  ];
}

function featureGateFlags(gates: Readonly<Record<string, boolean>>): readonly string[] {
  const settings = Object.entries(gates).map(([gate, isOn]) => `${gate}=${isOn}`);
  return settings.length === 0 ? [] : [`--feature-gates=${settings.join(",")}`];
}
