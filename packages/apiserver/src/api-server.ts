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
  deepFreeze,
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
import { AdmissionMetrics } from "./admission/admission-metrics.ts";
import { AdmissionChain } from "./admission/chain.ts";
import { choosePluginNames, newPlugins, type PluginChoice } from "./admission/choose-plugins.ts";
import { writtenPlugins } from "./admission/plugins/index.ts";
import { type RequestOrigin, TokenAuthenticator } from "./authentication/authenticator.ts";
import { serverItself, systemAdmin, type UserDescription, userOf } from "./authentication/users.ts";
import { type AuthorizationMode, defaultAuthorizer } from "./authorization/authorizer.ts";
import { startBootstrap, startHousekeeping } from "./bootstrap/index.ts";
import type { ServedAddress, ServingObjects } from "./bootstrap/serving-objects.ts";
import { DiscoveryDocuments } from "./describe/discovery-documents.ts";
import { ObjectCounts } from "./describe/object-counts.ts";
import { OpenApiDocuments } from "./describe/openapi-documents.ts";
import { RequestMetrics } from "./describe/request-metrics.ts";
import { handleRequest, type RequestHandlerParts } from "./handle-request.ts";
import { InflightLimits, type InflightOptions } from "./inflight-limits.ts";
import { allRules } from "./kinds/index.ts";
import type { RequestUser } from "./kinds/kind-rules.ts";
import { columnsOf } from "./kinds/table-columns.ts";
import { fieldManagers } from "./managed-fields/index.ts";
import { reserversFor } from "./reservations/index.ts";
import { builtInResources } from "./resources/registry/built-in-resources.ts";
import { Catalogue } from "./resources/registry/catalogue.ts";
import { newUid } from "./resources/registry/new-uid.ts";
import type { NodeConnector } from "./resources/registry/node-connector.ts";
import type { Listening, ListenOptions } from "./serving/index.ts";
import {
  isSnapshotStorage,
  MemoryStorage,
  type RevertChoice,
  type RevertedObject,
  type SnapshotStorage,
  type Storage,
  type StorageSnapshot,
} from "./storage/index.ts";

/** `enableAdmissionPlugins` and `disableAdmissionPlugins` are kube-apiserver's flags of these names. */
export interface ApiServerOptions extends PluginChoice {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** In memory unless given. */
  readonly storage?: Storage;
  /** Who answers for logs and exec; nobody unless given. */
  readonly nodeConnector?: NodeConnector;
  /** What `/api` says of where this server is: where it listens, unless given. */
  readonly serverAddress?: string;
  /**
   * Until roles are read, those who are not of `system:masters` may do only what a real server allows everybody (discovery, reviews of
   * themselves). "always-allow" lets everybody who is authenticated do everything.
   */
  readonly authorization?: AuthorizationMode;
  /** How many requests of others than administrators are in flight at most. Upstream's limits unless given. */
  readonly inflight?: InflightOptions;
}

export class ApiServer implements AsyncDisposable {
  readonly #parts: RequestHandlerParts;
  readonly #storage: Storage;
  readonly #scope: TaskScope;
  readonly #listening = new Set<Listening>();
  /** Of those with an address that was given: what is said of where the server is. */
  readonly #advertised = new WeakMap<Listening, string>();
  /** From when it has listened first. */
  #servingObjects: ServingObjects | undefined;
  readonly #options: ApiServerOptions;
  readonly #tokens = new TokenAuthenticator();
  #first: StorageSnapshot | undefined;

  private constructor(options: ApiServerOptions, catalogue: Catalogue) {
    this.#options = options;
    const { clock = systemClock, random = systemRandom, log = defaultLog } = options;
    const { storage = new MemoryStorage({ clock, log }) } = options;
    const authorizer = defaultAuthorizer(options.authorization ?? "default-bindings");
    const names = choosePluginNames(options, (name) => writtenPlugins.has(name));
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
        admission: new AdmissionChain(
          newPlugins(names, writtenPlugins, { storage, clock, random, authorizer }),
          new AdmissionMetrics(metrics, clock),
        ),
        reservers: reserversFor(names),
        fieldManagers,
        nodeConnector: options.nodeConnector,
        authenticator: this.#tokens,
        authorizer,
        newUid: () => newUid(random),
        closing: this.#scope.signal,
      },
      documents: {
        discovery: new DiscoveryDocuments(catalogue),
        openApi: new OpenApiDocuments(catalogue, clock),
        serverAddress: () => options.serverAddress ?? this.#firstAddress() ?? "127.0.0.1:6443",
        clock,
        async printMetrics() {
          await counts.count();
          return metrics.print();
        },
      },
      metrics: new RequestMetrics(metrics, clock),
      inflight: new InflightLimits(options.inflight),
      log,
    };
  }

  /** Ready when this resolves: the objects every cluster begins with are there. */
  static async open(options: ApiServerOptions = {}): Promise<ApiServer> {
    const server = new ApiServer(options, new Catalogue(builtInResources({ rules: allRules, columnsOf })));
    await startBootstrap(server.#parts.server, server.#scope);
    server.#noteFirst();
    return server;
  }

  #firstAddress(): string | undefined {
    for (const listening of this.#listening) return this.#advertised.get(listening) ?? new URL(listening.url).host;
    return undefined;
  }

  /** What is served, which may change while the server runs. For the server's own parts: its types are not public. */
  get catalogue(): Catalogue {
    return this.#parts.server.catalogue;
  }

  /** Requests of the administrator, by a plain call. */
  readonly transport: Transport = (request, signal) => this.answer(request, systemAdmin, signal);

  /** Requests of this user, by a plain call: for a controller in the process that is to have no more rights than it would have outside. */
  transportAs(user: UserDescription): Transport {
    const whole = userOf(user);
    return (request, signal) => this.answer(request, whole, signal);
  }

  /** A request of a user for whom the caller vouches; it is authorized like any other. */
  answer(request: ApiRequest, user: RequestUser, signal: AbortSignal): Promise<ApiResponse> {
    return this.#answerFrom(request, { kind: "user", user }, signal);
  }

  async #answerFrom(request: ApiRequest, origin: RequestOrigin, signal: AbortSignal): Promise<ApiResponse> {
    signal.throwIfAborted();
    if (this.#scope.signal.aborted) return closedAnswer(request);
    return await handleRequest(request, origin, this.#parts, signal);
  }

  /**
   * On a port, with certificates of its own: the result says where, and what an administrator needs to connect. Dispose of it, or of the
   * server, to stop.
   */
  async listen(options: ListenOptions = {}): Promise<Listening> {
    this.#requireOpen();
    const { clock, random } = this.#parts.server;
    const { log } = this.#parts;
    const answer = this.#answerFrom.bind(this);
    // Sockets and what belongs to them are loaded by those who want them: most servers live inside a process.
    const { listen } = await inFlight(clock, "loading sockets", () => import("./serving/index.ts"));
    const socket = await listen({ ...options, clock, random, log, answer });
    const served = servedAt(socket, options);
    const listening: Listening = {
      ...socket,
      [Symbol.asyncDispose]: async () => {
        this.#listening.delete(listening);
        const { token } = listening.admin;
        // Another socket may have been given the same one.
        if (![...this.#listening].some(({ admin }) => admin.token === token)) this.#tokens.remove(token);
        if (served !== undefined) await this.#servingObjects?.remove(served, this.#scope.signal);
        await socket[Symbol.asyncDispose]();
      },
    };
    try {
      // It may have been closed meanwhile, by somebody who knew nothing of this socket yet.
      this.#requireOpen();
      this.#listening.add(listening);
      this.#tokens.add(listening.admin.token, listening.adminUser);
      const { advertiseAddress } = options;
      if (advertiseAddress !== undefined) this.#advertised.set(listening, hostAndPort(advertiseAddress, socket.port));
      if (served !== undefined) await (await this.#loadServingObjects()).add(served, this.#scope.signal);
      return listening;
    } catch (error) {
      await listening[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #loadServingObjects(): Promise<ServingObjects> {
    const { clock, random } = this.#parts.server;
    const load = () => import("./bootstrap/serving-objects.ts");
    const { LoopbackClient, ServingObjects } = await inFlight(clock, "loading what is said while listening", load);
    const client = new LoopbackClient(this.transportAs(serverItself));
    const { log } = this.#parts;
    this.#servingObjects ??= new ServingObjects({ client, clock, random, log, newUid: () => newUid(random) });
    return this.#servingObjects;
  }

  #requireOpen(): void {
    if (this.#scope.signal.aborted) throw closed();
  }

  /** Forgets all history, as a compaction of etcd would: older versions get 410. */
  async compact(): Promise<void> {
    const storageKey = { collection: "kubeloop/compactions", key: "last" };
    const last = await this.#storage.get(storageKey);
    // Something must have happened since, or the newest state would still be one of the past that can be read.
    const object = { kind: "Compaction", apiVersion: "kubeloop/v1", metadata: { name: "last" } };
    await this.#storage.write([{ ...storageKey, expected: Number(last?.metadata.resourceVersion ?? 0), object }]);
    await this.#storage.compact(this.#storage.log.revision);
  }

  /** All there is, to come back to. Throws, as `restore`, `reset` and `fork` do, where the storage has no snapshots. */
  snapshot(): StorageSnapshot {
    return this.#snapshots().snapshot();
  }

  #noteFirst(): void {
    if (isSnapshotStorage(this.#storage)) this.#first = this.#storage.snapshot();
  }

  #snapshots(): SnapshotStorage {
    if (isSnapshotStorage(this.#storage)) return this.#storage;
    throw new KubeloopError("this server's storage has no snapshots", { reason: "NotSupported", retry: "never" });
  }

  /**
   * Back to then, except that what a listening server says of itself is written again. Watches end. The catalogue is no part of a snapshot and stays as
   * it is: whoever changed it follows what is stored.
   */
  async restore(snapshot: StorageSnapshot): Promise<void> {
    await this.#snapshots().restore(snapshot);
    await this.#servingObjects?.write(this.#scope.signal);
  }

  /**
   * The same by writes that watches see as any others: what came since is deleted, what was changed or deleted is written again, with a new resourceVersion.
   * Returns false, and changes nothing, if one change is refused. What is kept stays as it is now.
   */
  async revert(snapshot: StorageSnapshot, choose: (change: RevertedObject) => RevertChoice): Promise<boolean> {
    if (!(await this.#snapshots().revert(snapshot, choose))) return false;
    await this.#servingObjects?.write(this.#scope.signal);
    return true;
  }

  /** Back to what there was when it opened: for the next test. Watches end. */
  async reset(): Promise<void> {
    await this.restore(this.#first ?? this.snapshot());
  }

  /**
   * Another server, with exactly what is here now, at the same revision, and with a catalogue of its own that serves the same resources. What happens to
   * one does not happen to the other. It is the caller's to dispose of.
   */
  async fork(options: Omit<ApiServerOptions, "storage"> = {}): Promise<ApiServer> {
    const storage = await this.#snapshots().fork();
    const fork = new ApiServer({ ...this.#options, ...options, storage }, this.catalogue.fork());
    startHousekeeping(fork.#parts.server, fork.#scope);
    fork.#noteFirst();
    return fork;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#scope.abort(closed());
    await Promise.all([...this.#listening].map((each) => each[Symbol.asyncDispose]()));
    await this.#scope.join();
    await this.#storage[Symbol.asyncDispose]();
  }
}

const hostAndPort = (host: string, port: number) => (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`);

/** Undefined for plain HTTP, which is for this machine only. */
function servedAt({ url, port, admin }: Listening, options: ListenOptions): ServedAddress | undefined {
  if (admin.caPem === undefined) return undefined;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return { caPem: admin.caPem, host, port, advertiseAddress: options.advertiseAddress };
}

const closed = () => new KubeloopError("the server is closed", { reason: "Closed", retry: "never" });

/** A client inside the process gets what one outside would get of a server that is going down: an answer, not a thrown fault. */
function closedAnswer({ prefers }: ApiRequest): ApiResponse {
  const { code, status } = newServiceUnavailable(closed().message);
  if (prefers === "values") return valueResponse(code, deepFreeze(status));
  return bytesResponse(code, Buffer.from(JSON.stringify(status)), { "content-type": "application/json" });
}
