// A real Kubernetes on this machine: etcd and kube-apiserver, if wanted kube-controller-manager and kube-scheduler, on
// 127.0.0.1, with certificates, tokens and data made for this run and removed with it.
//
// Promises: when `start` returns, every component is ready; if it throws, nothing is left. Disposing of the cluster ends
// all of its processes and removes its folder. If our process dies without doing so, the processes end and the folder
// goes all the same. Any number of clusters run side by side.
// Not promised: kubelets (no pod ever runs), and durability (etcd does not sync to disk; it survives a kill of the
// process, not of the machine).

import type { CertificateAuthority, CertificatePair, ClientIdentity } from "@kubeloop/apiserver/authority";
import { Cleanup, runTogether, systemClock } from "@kubeloop/core/base";
import { findBinaries, pathOf } from "./binaries.ts";
import { Component, type ComponentSpec } from "./component.ts";
import { apiServerSpec, etcdSpec, managerSpecs, wantedPrograms } from "./component-specs.ts";
import { RealClusterError } from "./errors.ts";
import { compactEtcd } from "./etcd.ts";
import type { ClusterFiles } from "./flags.ts";
import { type Ground, prepareGround, writeKubeconfigs } from "./ground.ts";
import { type Credential, printKubeconfig } from "./kubeconfig.ts";
import type { ManagerProgram, RealClusterOptions } from "./options.ts";
import type { ComponentName } from "./programs.ts";
import { admin } from "./tokens.ts";

const neverAborted = new AbortController().signal;

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
  readonly #components: Map<ComponentName, Component>;
  readonly #ground: Ground;
  readonly #authority: CertificateAuthority;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #files: ClusterFiles;
  readonly #cleanup: Cleanup;

  private constructor(ground: Ground, components: Map<ComponentName, Component>, startedInMs: number) {
    this.folder = ground.folder;
    this.caPem = ground.authority.pair.certPem;
    this.adminKubeconfigPath = ground.files.adminKubeconfig;
    this.kubectlPath = pathOf(ground.binaries, "kubectl");
    this.startedInMs = startedInMs;
    this.#components = components;
    this.#ground = ground;
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
   * Forgets all changes up to now and returns the revision of that moment. A list of an exact older version, or a watch
   * from one, then gets 410 wherever etcd is asked: with `watchCache: false` at once. A watch cache has a memory of its
   * own: it drops old lists within 15 seconds, and its last events only with the next `restart()`.
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

  /**
   * Stops the controller manager, if one runs, and starts this one in its place, as upstream's (`true`) or as a program: two may follow each
   * other on the same data. Its flags come after all others. Ready when this returns.
   */
  async runManager(
    controllerManager: true | ManagerProgram,
    flags: readonly string[] = [],
    signal: AbortSignal = neverAborted,
  ): Promise<void> {
    await this.stop("kube-controller-manager");
    const binaries =
      controllerManager === true ? await findBinaries(["kube-controller-manager"], {}, signal) : this.#ground.binaries;
    const [spec] = managerSpecs({ controllerManager }, { ...this.#ground, binaries });
    if (spec === undefined) return;
    const component = new Component({ ...spec, flags: (port) => [...spec.flags(port), ...flags] });
    this.#components.set(spec.name, component);
    this.#cleanup.defer(() => component.stop());
    await component.start(signal);
  }

  /** Stops a component in order, if it runs. */
  async stop(name: ComponentName): Promise<void> {
    await this.#components.get(name)?.stop();
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
    // A component that waits for a frozen one would not end in time.
    for (const component of this.#components.values()) component.resume();
    await this.#cleanup[Symbol.asyncDispose]();
  }

  #component(name: ComponentName): Component {
    const component = this.#components.get(name);
    if (component !== undefined) return component;
    throw new RealClusterError(`this cluster was started without ${name}`, { reason: "Unknown" });
  }
}

const urlOf = (component: Component): string => `https://127.0.0.1:${component.port}`;
