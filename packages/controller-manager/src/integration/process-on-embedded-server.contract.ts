// An embedded API server on a socket, for a manager in another process: a kubeconfig in a folder of its own, the server taken off its port and
// put back, and a way to wait for what an object has become.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiServer, type Listening } from "@kubeloop/apiserver";
import { type ApiRequest, headerValue, type KubernetesObject } from "@kubeloop/core/api";
import { deferred, noLog, untilAborted } from "@kubeloop/core/base";
import { type Client, clientOf, type ResourceClient } from "@kubeloop/core/client";
import { ManagerProcess, type ManagerProcessOptions } from "./manager-process.contract.ts";

/** Resolves with the object when the predicate holds for it, now or later. */
export async function untilSeen<T extends KubernetesObject>(
  objects: ResourceClient<T>,
  name: string,
  holds: (object: T) => boolean,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    for await (const event of objects.watch({ fieldSelector: `metadata.name=${name}` }, signal)) {
      if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
      const object = event.object as T;
      if (holds(object)) return object;
    }
    // The server ended the watch: it sends what there is again.
    signal.throwIfAborted();
  }
}

/** A request that came over the socket from who may ask at all. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly userAgent: string;
  readonly request: ApiRequest;
}

export class ServedCluster implements AsyncDisposable {
  readonly server: ApiServer;
  /** What came over the socket, oldest first. */
  readonly requests: SeenRequest[] = [];
  /** Awaited before a request is answered; its own signal ends the wait. */
  hold: (request: SeenRequest) => Promise<void> | undefined = () => undefined;
  readonly folder: string;
  /** An administrator's, inside this process: it works also while nobody can connect. */
  readonly client: Client;
  readonly kubeconfig: string;
  readonly #first: Listening;
  #listening: Listening | undefined;
  readonly #processes: ManagerProcess[] = [];

  private constructor(server: ApiServer, listening: Listening, folder: string) {
    this.server = server;
    this.folder = folder;
    this.client = clientOf(server.transport, {});
    this.kubeconfig = join(folder, "kubeconfig");
    this.#first = listening;
    this.#listening = listening;
  }

  static async open(): Promise<ServedCluster> {
    const folder = await mkdtemp(join(tmpdir(), "kubeloop-process-"));
    const server = await ApiServer.open({ log: noLog });
    let cluster: ServedCluster | undefined;
    const onRequest = (request: ApiRequest, signal: AbortSignal) => cluster?.see(request, signal);
    cluster = new ServedCluster(server, await server.listen({ onRequest }), folder);
    const { admin } = cluster.#first;
    await cluster.writeKubeconfig(cluster.kubeconfig, { token: admin.token });
    return cluster;
  }

  /** Other clients than the manager are not of interest. */
  async see(request: ApiRequest, signal: AbortSignal): Promise<void> {
    const { method, path } = request;
    const userAgent = headerValue(request.headers, "user-agent") ?? "";
    if (!userAgent.startsWith("kube-controller-manager/")) return;
    const seen = { method, path, userAgent, request };
    this.requests.push(seen);
    const held = this.hold(seen);
    if (held !== undefined) await untilAborted(held, signal);
  }

  get token(): string {
    return this.#first.admin.token;
  }

  get caPem(): string {
    return this.#first.admin.caPem ?? "";
  }

  get url(): string {
    return this.#first.url;
  }

  get authority() {
    if (this.#first.authority === undefined) throw new Error("plain HTTP has no authority");
    return this.#first.authority;
  }

  async writeKubeconfig(path: string, user: Readonly<Record<string, string>>, server = this.url): Promise<string> {
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        { name: "c", cluster: { server, "certificate-authority-data": Buffer.from(this.caPem).toString("base64") } },
      ],
      users: [{ name: "u", user }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    };
    await writeFile(path, JSON.stringify(config));
    return path;
  }

  async write(name: string, text: string): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, text);
    return path;
  }

  /** Nobody can connect any more, and whoever was connected is cut off. */
  async stopListening(): Promise<void> {
    const listening = this.#listening;
    this.#listening = undefined;
    await listening?.[Symbol.asyncDispose]();
  }

  /** On the same port, with the same authority and data; the administrator's token may be another one. */
  async listenAgain(token: string = this.token): Promise<void> {
    const { port, authority } = this.#first;
    const onRequest = (request: ApiRequest, signal: AbortSignal) => this.see(request, signal);
    const given = authority === undefined ? {} : { authority };
    this.#listening = await this.server.listen({ port, token, onRequest, ...given });
  }

  /** Instead of the server, somebody who takes connections and drops them. Resolves when that has happened so often. */
  async dropConnections(times: number): Promise<void> {
    await this.stopListening();
    let dropped = 0;
    const enough = deferred();
    const dropping = createServer((socket) => {
      socket.destroy();
      if (++dropped === times) enough.resolve();
    });
    await new Promise<void>((resolve, reject) => {
      dropping.once("error", reject);
      dropping.listen({ port: this.#first.port, host: "127.0.0.1" }, resolve);
    });
    await enough.promise;
    await new Promise((resolve) => dropping.close(resolve));
  }

  /** A manager with this cluster's kubeconfig. It is killed with the cluster. */
  start(args: readonly string[], options?: ManagerProcessOptions): ManagerProcess {
    const manager = new ManagerProcess(
      [`--kubeconfig=${this.kubeconfig}`, "--bind-address=127.0.0.1", ...args],
      options,
    );
    this.#processes.push(manager);
    return manager;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((one) => one[Symbol.asyncDispose]()));
    await this.stopListening();
    await this.server[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}
