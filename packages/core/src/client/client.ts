// Typed access to one API server, over sockets or inside the same process.
//
//   await using client = openClient(await loadClusterConfig({}, signal));
//   const pod = await client.resource(pods).in("shop").get("web-1", signal);
//
// A client owns the connections it was opened with; clients made from it by `with` share them. Disposing of it aborts
// all running requests.
import type { KubernetesObject, PartialObjectMetadata, Resource, SubresourceTypes, Transport } from "../api/index.ts";
import { type Clock, defaultLog, type Log, type Metrics, systemClock } from "../base/index.ts";
import type { Credential, Credentials } from "./credentials/credentials.ts";
import { registerExecPluginMetrics } from "./credentials/exec-metrics.ts";
import { type Impersonation, impersonationHeaders } from "./credentials/impersonation.ts";
import { type CredentialFunction, functionCredentials } from "./credentials/renewed-credentials.ts";
import { CachedDiscovery, Discovery, RestMapper } from "./discovery/index.ts";
import { HttpTransport } from "./http/http-transport.ts";
import type { HttpVersion } from "./http/server-connections.ts";
import type { ClusterConfig } from "./kubeconfig/cluster-config.ts";
import { openTransportMetrics, RateLimiter, withClientPolicies } from "./policy/index.ts";
import type { Encoding, ObjectView } from "./rest/accept.ts";
import { type EncodingMemory, encodingMemoryOf } from "./rest/encoding-memory.ts";
import { linesOf, type PodLogOptions, podLogBytes } from "./rest/pod-logs.ts";
import { type MetadataClient, ResourceClient } from "./rest/resource-client.ts";

export interface ClientOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
  readonly log?: Log;
  /** Recorded as the manager of the fields that this client writes. Default: the server derives it from the user agent. */
  readonly fieldManager?: string;
  /** Requests per second on average. Default: no limit. */
  readonly qps?: number;
  /** How many requests may be sent at once before `qps` applies. Default: twice `qps`, at least 1. */
  readonly burst?: number;
  /** A rate limiter shared with other clients, instead of `qps`. */
  readonly limiter?: RateLimiter | undefined;
  /** Default: program, machine and kubeloop's version. */
  readonly userAgent?: string;
  /** The timeout of each whole call, including retries and the body; not of watches, logs and upgrades. Default: none. */
  readonly timeoutMs?: number;
  /**
   * How objects of built-in kinds are requested. In protobuf, objects of lists and watches are decoded when they are looked at; custom resources, and
   * servers without it, send JSON all the same. Default: protobuf of a client over the network, JSON of a client in the server's process, which
   * passes values anyway.
   */
  readonly encoding?: Encoding;
  readonly metrics?: Metrics;
}

/** What differs in a client made from another one. */
export interface ClientChanges extends ClientOptions {
  /** A function is called before each request, unless its last result says when it expires. */
  readonly credentials?: Credentials | CredentialFunction;
  readonly impersonate?: Impersonation;
}

/** The identity to send requests with; fields that are not given are the sender's own. */
export interface Identity {
  readonly credentials?: Credentials | undefined;
  readonly impersonate?: Impersonation | undefined;
}

/** Sends requests with an identity: through connections to a server, or to a server in this process. */
export interface Sender extends AsyncDisposable {
  /** The server's name and port, for metrics. */
  readonly host?: string;
  as(identity: Identity): Transport;
}

export class Client implements AsyncDisposable {
  /** The transport, for requests that no method here makes. */
  readonly transport: Transport;
  readonly #sender: Sender;
  readonly #isOwner: boolean;
  readonly #options: ClientChanges;
  readonly #limiter: RateLimiter | undefined;
  readonly #counted: Disposable;
  #discovery: CachedDiscovery | undefined;
  #mapper: RestMapper | undefined;

  constructor(sender: Sender, options: ClientChanges = {}, ownership: "owns" | "shares" = "owns") {
    this.#sender = sender;
    // Once for all clients made from this one, so that they share the function's results.
    const credentials = toCredentials(options);
    this.#options = { ...options, ...(credentials === undefined ? {} : { credentials }) };
    this.#isOwner = ownership === "owns";
    this.#counted = openTransportMetrics(options.metrics, ownership);
    if (options.metrics !== undefined) registerExecPluginMetrics(options.metrics);
    const { impersonate } = options;
    this.#limiter = options.limiter ?? newLimiter(options);
    this.transport = withPolicies(sender.as({ credentials, impersonate }), sender, options, this.#limiter);
  }

  /** Whether its requests are counted in metrics. */
  get isCounted(): boolean {
    return this.#options.metrics !== undefined;
  }

  /** How objects of built-in kinds are requested. */
  get encoding(): Encoding {
    return this.#options.encoding ?? "json";
  }

  /** Which resources its server has in JSON only. Shared by all clients made from one another. */
  get encodings(): EncodingMemory {
    return encodingMemoryOf(this.#sender, this.#options.clock ?? systemClock);
  }

  /** The resources that the server serves: cached for ten minutes, refreshed when a lookup of `mapper` misses. */
  get discovery(): CachedDiscovery {
    const clock = this.#options.clock ?? systemClock;
    this.#discovery ??= new CachedDiscovery(new Discovery(this.transport, { clock }), { clock });
    return this.#discovery;
  }

  /** Maps names and kinds to the server's resources. */
  get mapper(): RestMapper {
    this.#mapper ??= new RestMapper(this.discovery, { clock: this.#options.clock ?? systemClock });
    return this.#mapper;
  }

  /** The verbs on a resource, in all namespaces until `in` is called. */
  resource<T extends KubernetesObject, S extends SubresourceTypes>(resource: Resource<T, S>): ResourceClient<T, S> {
    return this.#resourceClient<T, S>(resource, "full");
  }

  /** The same with metadata only, for caches that read nothing else. */
  metadata(resource: Resource): MetadataClient {
    return this.#resourceClient<PartialObjectMetadata, SubresourceTypes>(resource, "metadata");
  }

  /** Reads a container's log, line by line. */
  podLogs(
    pod: { readonly namespace: string; readonly name: string } & PodLogOptions,
    signal: AbortSignal,
  ): AsyncIterable<string> {
    return linesOf(podLogBytes(this.transport, pod, signal));
  }

  /** Returns a client with these changes, over the same connections and, unless changed, rate limit. Disposing closes nothing. */
  with(changes: ClientChanges): Client {
    const hasOwnLimit = changes.qps !== undefined || changes.burst !== undefined;
    const limiter = hasOwnLimit ? undefined : this.#limiter;
    return new Client(this.#sender, { ...this.#options, limiter, ...changes }, "shares");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#counted[Symbol.dispose]();
    if (this.#isOwner) await this.#sender[Symbol.asyncDispose]();
  }

  #resourceClient<T extends KubernetesObject, S extends SubresourceTypes>(resource: Resource, view: ObjectView) {
    return new ResourceClient<T, S>(resource, {
      transport: this.transport,
      clock: this.#options.clock ?? systemClock,
      log: this.#options.log ?? defaultLog,
      fieldManager: this.#options.fieldManager,
      view,
      encoding: this.encoding,
      encodings: this.encodings,
    });
  }
}

function toCredentials({ credentials, clock }: ClientChanges): Credentials | undefined {
  return typeof credentials === "function"
    ? functionCredentials(credentials, { clock: clock ?? systemClock })
    : credentials;
}

function newLimiter({ qps, burst, clock }: ClientOptions): RateLimiter | undefined {
  if (qps === undefined) return undefined;
  return new RateLimiter({ qps, burst: burst ?? Math.max(1, Math.ceil(2 * qps)), clock: clock ?? systemClock });
}

function withPolicies(
  transport: Transport,
  sender: Sender,
  options: ClientChanges,
  limiter: RateLimiter | undefined,
): Transport {
  const { userAgent, timeoutMs, log, metrics } = options;
  const clock = options.clock ?? systemClock;
  return withClientPolicies(transport, { clock, log, userAgent, timeoutMs, limiter, metrics, host: sender.host });
}

export interface OpenClientOptions extends ClientOptions {
  /** Default: what the server offers, HTTP/2 first. */
  readonly httpVersion?: HttpVersion;
}

/** Returns a client over sockets. No connection is opened before the first request. */
export function openClient(config: ClusterConfig, options: OpenClientOptions = {}): Client {
  const { httpVersion, encoding = "protobuf", ...rest } = options;
  const http = new HttpTransport(config, {
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(httpVersion === undefined ? {} : { version: httpVersion }),
  });
  const sender: Sender = {
    host: new URL(config.server).host,
    // The config's impersonation belongs to the config's credentials; other credentials are not impersonated unless requested.
    as: ({ credentials, impersonate }) =>
      http.as(
        credentials === undefined
          ? { credentials: config.credentials, impersonate: impersonate ?? config.impersonate }
          : { credentials, impersonate },
      ),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
  return new Client(sender, { ...rest, encoding });
}

/** Returns a client of a server in this process. Identities are sent as headers, as over sockets; client certificates are not. */
export function clientOf(transport: Transport, options: ClientOptions = {}): Client {
  const as = ({ credentials, impersonate }: Identity): Transport => {
    if (credentials === undefined && impersonate === undefined) return transport;
    const extra = impersonate === undefined ? {} : impersonationHeaders(impersonate);
    return async (request, signal) => {
      const send = async (shown: Credential | undefined) =>
        await transport({ ...request, headers: { ...shown?.headers, ...extra, ...request.headers } }, signal);
      const shown = await credentials?.current(signal);
      const response = await send(shown);
      if (response.status !== 401 || credentials === undefined || shown === undefined) return response;
      if (!(await credentials.rejected(shown, signal))) return response;
      await response[Symbol.asyncDispose]();
      return await send(await credentials.current(signal));
    };
  };
  return new Client({ as, [Symbol.asyncDispose]: async () => {} }, options);
}
