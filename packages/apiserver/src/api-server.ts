// The embedded API server: an in-memory kube-apiserver 1.36 in this process. `transport` is all of it for readers inside; `serving/` puts it
// on a port. Tests bend it: its clock, forced compaction, snapshots, forks.
//
//   await using server = await ApiServer.open();
//   const client = clientOf(server.transport);
//
// Promises: nothing starts before `open`; disposing ends every watch and timer and waits for them, and who asks afterwards is told that the
// server is closed. Objects that come in are copied, objects that go out are frozen.
import {
  type ApiRequest,
  type ApiResponse,
  bytesResponse,
  newServiceUnavailable,
  type Transport,
  valueResponse,
} from "@kubeloop/core/api";
import {
  type Clock,
  defaultLog,
  inFlight,
  KubeloopError,
  type Log,
  MetricsRegistry,
  type Random,
  systemClock,
  systemRandom,
  TaskScope,
} from "@kubeloop/core/base";
import { publishClientAuthority, startBootstrap, startHousekeeping } from "./bootstrap/index.ts";
import { ObjectCounts } from "./describe/object-counts.ts";
import { RequestMetrics } from "./describe/request-metrics.ts";
import { handleRequest, type RequestHandlerParts } from "./handle-request.ts";
import { allRules } from "./kinds/index.ts";
import type { RequestUser } from "./kinds/kind-rules.ts";
import { columnsOf } from "./kinds/table-columns.ts";
import { fieldManagers } from "./managed-fields/index.ts";
import { builtInCatalogue } from "./resources/catalogue.ts";
import { newUid } from "./resources/new-uid.ts";
import type { NodePort } from "./resources/node-port.ts";
import type { Listening, ListenOptions } from "./serving/index.ts";
import { writeSteps } from "./steps/index.ts";
import { MemoryStorage, type Storage, type StorageSnapshot } from "./storage/index.ts";

export interface ApiServerOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** In memory unless given. */
  readonly storage?: Storage;
  /** Who answers for logs and exec; nobody unless given. */
  readonly nodePort?: NodePort;
  /** What `/api` says of where this server is: where it listens, unless given. */
  readonly serverAddress?: string;
}

/** Who asks inside the process, unless somebody else is named. */
export const systemAdmin: RequestUser = {
  name: "system:admin",
  uid: undefined,
  groups: ["system:masters", "system:authenticated"],
  extra: {},
};

export class ApiServer implements AsyncDisposable {
  readonly #parts: RequestHandlerParts;
  readonly #storage: Storage;
  readonly #scope: TaskScope;
  readonly #listening = new Set<Listening>();
  readonly #options: ApiServerOptions;
  #first: StorageSnapshot | undefined;

  private constructor(options: ApiServerOptions) {
    this.#options = options;
    const { clock = systemClock, random = systemRandom, log = defaultLog, storage = new MemoryStorage() } = options;
    const catalogue = builtInCatalogue({ rules: allRules, columnsOf });
    this.#storage = storage;
    this.#scope = new TaskScope(new AbortController().signal);
    const metrics = new MetricsRegistry();
    const counts = new ObjectCounts(metrics, catalogue, storage);
    this.#parts = {
      server: {
        storage,
        catalogue,
        clock,
        random,
        writeSteps,
        fieldManagers,
        nodePort: options.nodePort,
        userOfToken: (token) => this.#userOfToken(token),
        newUid: () => newUid(random),
        closing: this.#scope.signal,
      },
      documents: {
        catalogue,
        serverAddress: () => options.serverAddress ?? this.#firstAddress() ?? "127.0.0.1:6443",
        clock,
        async printMetrics() {
          await counts.count();
          return metrics.print();
        },
      },
      metrics: new RequestMetrics(metrics, clock),
      log,
    };
  }

  /** Ready when this resolves: the objects every cluster begins with are there. */
  static async open(options: ApiServerOptions = {}): Promise<ApiServer> {
    const server = new ApiServer(options);
    await startBootstrap(server.#parts.server, server.#scope);
    server.#first = server.snapshot();
    return server;
  }

  #userOfToken(token: string): RequestUser | undefined {
    for (const listening of this.#listening) {
      if (token !== "" && listening.admin.token === token) return listening.adminUser;
    }
    return undefined;
  }

  #firstAddress(): string | undefined {
    for (const { url } of this.#listening) return new URL(url).host;
    return undefined;
  }

  /** Requests of the administrator, by a plain call. */
  readonly transport: Transport = (request, signal) => this.answer(request, systemAdmin, signal);

  /** Requests of anybody, whoever vouches for them. */
  async answer(request: ApiRequest, user: RequestUser, signal: AbortSignal): Promise<ApiResponse> {
    signal.throwIfAborted();
    if (this.#scope.signal.aborted) return closedAnswer(request);
    return await handleRequest(request, user, this.#parts, signal);
  }

  /**
   * On a port, with certificates of its own: the result says where, and what an administrator needs to connect. Dispose of it, or of the
   * server, to stop.
   */
  async listen(options: ListenOptions = {}): Promise<Listening> {
    this.#requireOpen();
    const { clock, random } = this.#parts.server;
    const { log } = this.#parts;
    const answer = this.answer.bind(this);
    // Sockets and what belongs to them are loaded by those who want them: most servers live inside a process.
    const { listen } = await inFlight(clock, "loading sockets", () => import("./serving/index.ts"));
    const socket = await listen({ ...options, clock, random, log, answer });
    const listening: Listening = {
      ...socket,
      [Symbol.asyncDispose]: async () => {
        this.#listening.delete(listening);
        await socket[Symbol.asyncDispose]();
      },
    };
    try {
      // It may have been closed meanwhile, by somebody who knew nothing of this socket yet.
      this.#requireOpen();
      this.#listening.add(listening);
      await this.#publishAuthority(listening);
      return listening;
    } catch (error) {
      await listening[Symbol.asyncDispose]();
      throw error;
    }
  }

  #requireOpen(): void {
    if (this.#scope.signal.aborted) throw closed();
  }

  async #publishAuthority({ admin: { caPem } }: Listening): Promise<void> {
    if (caPem !== undefined) await publishClientAuthority(this.#parts.server, caPem, this.#scope.signal);
  }

  /** Forgets all history, as a compaction of etcd would: older versions get 410. */
  async compact(): Promise<void> {
    const place = { collection: "kubeloop/compactions", key: "last" };
    const last = await this.#storage.get(place);
    // Something must have happened since, or the newest state would still be one of the past that can be read.
    const object = { kind: "Compaction", apiVersion: "kubeloop/v1", metadata: { name: "last" } };
    await this.#storage.write([{ ...place, expected: Number(last?.metadata.resourceVersion ?? 0), object }]);
    await this.#storage.compact(this.#storage.log.revision);
  }

  /** All there is, to come back to. */
  snapshot(): StorageSnapshot {
    return this.#storage.snapshot();
  }

  /** Back to then, except that who vouches for clients now is still told. Watches end. */
  async restore(snapshot: StorageSnapshot): Promise<void> {
    await this.#storage.restore(snapshot);
    for (const listening of this.#listening) await this.#publishAuthority(listening);
  }

  /** Back to what there was when it opened: for the next test. Watches end. */
  async reset(): Promise<void> {
    if (this.#first !== undefined) await this.restore(this.#first);
  }

  /** Another server, with exactly what is here now, at the same revision. What happens to one is nothing to the other. It is the caller's to dispose of. */
  async fork(options: Omit<ApiServerOptions, "storage"> = {}): Promise<ApiServer> {
    const fork = new ApiServer({ ...this.#options, ...options, storage: await this.#storage.fork() });
    startHousekeeping(fork.#parts.server, fork.#scope);
    fork.#first = fork.snapshot();
    return fork;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#scope.abort(closed());
    await Promise.all([...this.#listening].map((each) => each[Symbol.asyncDispose]()));
    await this.#scope.join();
    await this.#storage[Symbol.asyncDispose]();
  }
}

const closed = () => new KubeloopError("the server is closed", { reason: "Closed", retry: "never" });

/** A client inside the process gets what one outside would get of a server that is going down: an answer, not a thrown fault. */
function closedAnswer({ prefers }: ApiRequest): ApiResponse {
  const { code, status } = newServiceUnavailable(closed().message);
  if (prefers === "values") return valueResponse(code, status);
  return bytesResponse(code, Buffer.from(JSON.stringify(status)), { "content-type": "application/json" });
}
