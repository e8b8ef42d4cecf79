// A real Kubernetes on this machine: etcd and kube-apiserver, if wanted kube-controller-manager and kube-scheduler, on
// 127.0.0.1, with certificates, tokens and data made for this run and removed with it.
//
// Promises: when `start` returns, every component is ready; if it throws, nothing is left. Disposing of the cluster ends
// all of its processes and removes its folder. If our process dies without doing so, the processes end and the folder
// goes all the same. Any number of clusters run side by side.
// Not promised: kubelets (no pod ever runs), and durability (etcd does not sync to disk; it survives a kill of the
// process, not of the machine).
import { Cleanup, runTogether, systemClock } from "@kubeloop/core/base";
import { type Binaries, findBinaries } from "./binaries.ts";
import { Component, type ComponentSpec } from "./component.ts";
import { RealClusterError } from "./errors.ts";
import { compactEtcd, isEtcdHealthy } from "./etcd.ts";
import {
  apiServerFlags,
  type ClusterFiles,
  controllerManagerFlags,
  etcdFlags,
  filesIn,
  type Setup,
  schedulerFlags,
} from "./flags.ts";
import { sendRequest } from "./http-request.ts";
import { type Credential, printKubeconfig } from "./kubeconfig.ts";
import { type CertificateAuthority, type CertificatePair, type ClientIdentity, createAuthority } from "./pki.ts";
import type { ComponentName, Program } from "./programs.ts";
import { createFolder, createServiceAccountKeys, removeFolder, writeSecrets } from "./throw-away-folder.ts";
import { admin, createTokens, printTokenFile, type TokenUser } from "./tokens.ts";

export interface RealClusterOptions {
  /** For every component, as `--feature-gates`. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Defaults to true, as upstream. */
  readonly watchCache?: boolean;
  /** Also run upstream's kube-controller-manager. Defaults to false; without it no namespace has a ServiceAccount. */
  readonly controllerManager?: boolean;
  /** Also run upstream's kube-scheduler. Defaults to false. */
  readonly scheduler?: boolean;
  /** Who gets a static token besides the admin. */
  readonly users?: readonly TokenUser[];
  /** Appended to a component's own flags; of a flag given twice the last one counts. */
  readonly extraFlags?: Readonly<Partial<Record<ComponentName, readonly string[]>>>;
  /** How long each component may take until it is ready. Defaults to one minute. */
  readonly startTimeoutMs?: number;
  /** Defaults to the process's; says where the programs are found (see findBinaries). */
  readonly env?: NodeJS.ProcessEnv;
}

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

export class RealCluster implements AsyncDisposable {
  /** Everything the cluster wrote, logs included; gone once it is disposed of. */
  readonly folder: string;
  readonly caPem: string;
  /** Read from disk by kubectl and the like; its user is in `system:masters`. */
  readonly adminKubeconfigPath: string;
  /** A kubectl of the cluster's own version. */
  readonly kubectlPath: string;
  /** How long `start` took, from etcd's first step to the last component being ready. */
  readonly startedInMs: number;
  readonly #components: ReadonlyMap<ComponentName, Component>;
  readonly #authority: CertificateAuthority;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #files: ClusterFiles;
  readonly #cleanup: Cleanup;

  private constructor(ground: Ground, components: ReadonlyMap<ComponentName, Component>, startedInMs: number) {
    this.folder = ground.folder;
    this.caPem = ground.authority.pair.certPem;
    this.adminKubeconfigPath = ground.files.adminKubeconfig;
    this.kubectlPath = pathOf(ground.binaries, "kubectl");
    this.startedInMs = startedInMs;
    this.#components = components;
    this.#authority = ground.authority;
    this.#tokens = ground.tokens;
    this.#files = ground.files;
    this.#cleanup = ground.cleanup.move();
  }

  static async start(options: RealClusterOptions = {}, signal: AbortSignal = neverAborted): Promise<RealCluster> {
    const binaries = await findBinaries(
      wantedPrograms(options),
      options.env === undefined ? {} : { env: options.env },
      signal,
    );
    const beganMs = systemClock.monotonic();
    await using cleanup = new Cleanup();
    const ground = await prepareGround(options, binaries, cleanup);
    const components = new Map<ComponentName, Component>();
    const begin = async (spec: ComponentSpec, signal: AbortSignal) => {
      const component = new Component(spec);
      components.set(spec.name, component);
      cleanup.defer(() => component.stop());
      await component.start(signal);
      return component;
    };
    await begin(etcdSpec(ground), signal);
    const apiServer = await begin(apiServerSpec(ground), signal);
    const url = urlOf(apiServer);
    await writeKubeconfigs(ground, url);
    // They depend on the API server alone, so they may start together.
    await runTogether(
      signal,
      managerSpecs(options, ground).map((spec) => (together) => begin(spec, together)),
    );
    signal.throwIfAborted();
    return new RealCluster(ground, components, systemClock.monotonic() - beganMs);
  }

  /** The API server's address, the same through restarts. */
  get url(): string {
    return urlOf(this.#component("kube-apiserver"));
  }

  /** Where the controller manager or the scheduler serves its health and metrics. */
  urlOf(component: Exclude<ComponentName, "etcd">): string {
    return urlOf(this.#component(component));
  }

  get adminToken(): string {
    return this.token(admin.user);
  }

  /** The static token of the admin or of one of the `users` of the options. */
  token(user: string = admin.user): string {
    const token = this.#tokens.get(user);
    if (token !== undefined) return token;
    throw new RealClusterError(`no token was made for user ${user}`, { reason: "Unknown" });
  }

  /** A new client certificate for anyone, whether the cluster has heard of them or not. */
  clientCertificate(client: ClientIdentity): Promise<CertificatePair> {
    return this.#authority.issueClient(client);
  }

  /** The text of a kubeconfig. */
  kubeconfig(user: string, credential: Credential): string {
    return printKubeconfig({ url: this.url, caPem: this.caPem, user, credential });
  }

  /**
   * Forgets history up to now and returns the revision that is left. A list or watch from before it gets 410 where etcd is
   * asked: with `watchCache: false` always, otherwise for lists of an exact version, at once, and for watches after the
   * next `restart()`, because a watch cache remembers its own last events.
   */
  compact(signal: AbortSignal = neverAborted): Promise<string> {
    return compactEtcd(this.#files.etcdSocket, signal);
  }

  /** Stops a component in order, if it runs, and starts it again with its port and data; ready when this returns. */
  async restart(name: ComponentName = "kube-apiserver", signal: AbortSignal = neverAborted): Promise<void> {
    const component = this.#component(name);
    await component.stop();
    await component.start(signal);
  }

  /** Ends a component without warning (SIGKILL); `restart` brings it back. */
  async kill(name: ComponentName = "kube-apiserver"): Promise<void> {
    await this.#component(name).kill();
  }

  /** Freezes a component (SIGSTOP): its connections stay open and silent until `resume`. */
  pause(name: ComponentName = "kube-apiserver"): void {
    this.#component(name).pause();
  }

  resume(name: ComponentName = "kube-apiserver"): void {
    this.#component(name).resume();
  }

  /** Everything a component has printed so far. */
  logs(name: ComponentName): Promise<string> {
    return this.#component(name).logs();
  }

  /** The process ids of the components that run. */
  get pids(): readonly number[] {
    return [...this.#components.values()].flatMap((component) => component.pid ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup[Symbol.asyncDispose]();
  }

  #component(name: ComponentName): Component {
    const component = this.#components.get(name);
    if (component !== undefined) return component;
    throw new RealClusterError(`this cluster was started without ${name}`, { reason: "Unknown" });
  }
}

const neverAborted = new AbortController().signal;

/** What has to exist before the first component starts. */
interface Ground {
  readonly folder: string;
  readonly files: ClusterFiles;
  readonly setup: Setup;
  readonly binaries: Binaries;
  readonly authority: CertificateAuthority;
  readonly tokens: ReadonlyMap<string, string>;
  readonly startTimeoutMs: number;
  readonly cleanup: Cleanup;
}

async function prepareGround(options: RealClusterOptions, binaries: Binaries, cleanup: Cleanup): Promise<Ground> {
  const { users = [], featureGates = {}, watchCache = true, extraFlags = {}, startTimeoutMs = 60_000 } = options;
  const folder = await createFolder();
  cleanup.defer(() => removeFolder(folder));
  const files = filesIn(folder);
  const authority = await createAuthority("real-cluster");
  const server = await authority.issueServer({ commonName: "kube-apiserver", names: serverNames });
  const serviceAccount = createServiceAccountKeys();
  const tokens = createTokens(users);
  await writeSecrets(
    new Map([
      [files.caCert, authority.pair.certPem],
      [files.caKey, authority.pair.keyPem],
      [files.serverCert, server.certPem],
      [files.serverKey, server.keyPem],
      [files.serviceAccountKey, serviceAccount.privatePem],
      [files.serviceAccountPublicKey, serviceAccount.publicPem],
      [files.tokens, printTokenFile(users, tokens)],
    ]),
  );
  const setup = { files, watchCache, featureGates, extraFlags };
  return { folder, files, setup, binaries, authority, tokens, startTimeoutMs, cleanup };
}

function wantedPrograms(options: RealClusterOptions): readonly Program[] {
  return [
    "etcd",
    "kube-apiserver",
    "kubectl",
    ...(options.controllerManager === true ? (["kube-controller-manager"] as const) : []),
    ...(options.scheduler === true ? (["kube-scheduler"] as const) : []),
  ];
}

function etcdSpec(ground: Ground): ComponentSpec {
  return {
    ...commonSpec(ground, "etcd"),
    flags: () => etcdFlags(ground.setup),
    isReady: (_port, signal) => holds(() => isEtcdHealthy(ground.files.etcdSocket, signal)),
  };
}

function apiServerSpec(ground: Ground): ComponentSpec {
  return {
    ...commonSpec(ground, "kube-apiserver"),
    flags: (port) => apiServerFlags(ground.setup, port),
    isReady: (port, signal) => holds(() => answersOk(ground, `https://127.0.0.1:${port}/readyz`, signal)),
  };
}

function managerSpecs(options: RealClusterOptions, ground: Ground): readonly ComponentSpec[] {
  const isReady: ComponentSpec["isReady"] = (port, signal) =>
    holds(() => answersOk(ground, `https://127.0.0.1:${port}/healthz`, signal));
  const specs: ComponentSpec[] = [];
  if (options.controllerManager === true) {
    const flags = (port: number) => controllerManagerFlags(ground.setup, port);
    specs.push({ ...commonSpec(ground, "kube-controller-manager"), flags, isReady });
  }
  if (options.scheduler === true) {
    const flags = (port: number) => schedulerFlags(ground.setup, port);
    specs.push({ ...commonSpec(ground, "kube-scheduler"), flags, isReady });
  }
  return specs;
}

function commonSpec({ folder, binaries, startTimeoutMs }: Ground, name: ComponentName) {
  return { name, folder, startTimeoutMs, path: pathOf(binaries, name) };
}

async function answersOk(ground: Ground, url: string, signal: AbortSignal): Promise<boolean> {
  const headers = { authorization: `Bearer ${ground.tokens.get(admin.user)}` };
  const answer = await sendRequest({ url, headers, caPem: ground.authority.pair.certPem }, signal);
  return answer.status === 200;
}

/** A component that does not accept connections yet is not ready; why it does not, its log will tell. */
async function holds(probe: () => Promise<boolean>): Promise<boolean> {
  try {
    return await probe();
  } catch {
    return false;
  }
}

async function writeKubeconfigs({ files, authority }: Ground, url: string): Promise<void> {
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

const urlOf = (component: Component): string => `https://127.0.0.1:${component.port}`;

function pathOf(binaries: Binaries, program: Program): string {
  const path = binaries.get(program);
  if (path !== undefined) return path;
  throw new RealClusterError(`${program} was not looked for`, { reason: "Unknown" });
}
