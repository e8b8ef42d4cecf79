// Typed access to one API server, over sockets or inside one process.
//
//   await using client = openClient(await loadClusterConfig({}, signal));
//   const pod = await client.resource(pods).in("shop").get("web-1", signal);
//
// A client owns the connections it was opened with; the ones made from it by `with` share them. Disposing of it breaks off
// whatever is under way.
import type { KubernetesObject, PartialObjectMetadata, Resource, SubresourceTypes, Transport } from "../api/index.ts";
import { type Clock, defaultLog, type Log, type Metrics, systemClock } from "../base/index.ts";
import type { Credential, Credentials } from "./credentials/credentials.ts";
import { type Impersonation, impersonationHeaders } from "./credentials/impersonation.ts";
import { type CredentialFunction, functionCredentials } from "./credentials/renewed-credentials.ts";
import { CachedDiscovery, Discovery, RestMapper } from "./discovery/index.ts";
import { HttpTransport } from "./http/http-transport.ts";
import type { HttpVersion } from "./http/server-connections.ts";
import type { ClusterConfig } from "./kubeconfig/cluster-config.ts";
import { RateLimiter, withClientPolicies } from "./policy/index.ts";
import type { ObjectView } from "./rest/accept.ts";
import { linesOf, type PodLogOptions, podLogBytes } from "./rest/pod-logs.ts";
import { type MetadataClient, ResourceClient } from "./rest/resource-client.ts";

export interface ClientOptions {
  /** The system's unless given. */
  readonly clock?: Clock;
  readonly log?: Log;
  /** Recorded as the manager of the fields this client writes. The server's own guess, the user agent, unless given. */
  readonly fieldManager?: string;
  /** Requests a second, on average; not limited unless given. */
  readonly qps?: number;
  /** How many may go at once before `qps` counts; twice `qps`, at least one, unless given. */
  readonly burst?: number;
  /** Instead of `qps`: one that other clients share. */
  readonly limiter?: RateLimiter | undefined;
  /** Program, machine and kubeloop's version unless given. */
  readonly userAgent?: string;
  /** For the whole of each request but watches; none unless given. */
  readonly timeoutMs?: number;
  readonly metrics?: Metrics;
}

/** What a client made from another one does otherwise. */
export interface ClientChanges extends ClientOptions {
  /** A function is asked before each request, unless what it returned says when it expires. */
  readonly credentials?: Credentials | CredentialFunction;
  readonly impersonate?: Impersonation;
}

/** As whom to send; what is not given is the sender's own. */
export interface Identity {
  readonly credentials?: Credentials | undefined;
  readonly impersonate?: Impersonation | undefined;
}

/** Whatever can send as somebody: connections to a server, or a server in this process. */
export interface Sender extends AsyncDisposable {
  /** The server's name and port, for metrics. */
  readonly host?: string;
  as(identity: Identity): Transport;
}

export class Client implements AsyncDisposable {
  /** For requests that no method here makes. */
  readonly transport: Transport;
  readonly #sender: Sender;
  readonly #isOwner: boolean;
  readonly #options: ClientChanges;
  readonly #limiter: RateLimiter | undefined;
  #discovery: CachedDiscovery | undefined;
  #mapper: RestMapper | undefined;

  constructor(sender: Sender, options: ClientChanges = {}, ownership: "owns" | "shares" = "owns") {
    this.#sender = sender;
    // Once for all clients made from this one, so that they share what the function has returned.
    const credentials = toCredentials(options);
    this.#options = { ...options, ...(credentials === undefined ? {} : { credentials }) };
    this.#isOwner = ownership === "owns";
    const { impersonate } = options;
    this.#limiter = options.limiter ?? newLimiter(options);
    this.transport = withPolicies(sender.as({ credentials, impersonate }), sender, options, this.#limiter);
  }

  /** Whether its requests are counted somewhere. */
  get isCounted(): boolean {
    return this.#options.metrics !== undefined;
  }

  /** What the server serves: kept for ten minutes, refreshed when something is missed. */
  get discovery(): CachedDiscovery {
    const clock = this.#options.clock ?? systemClock;
    this.#discovery ??= new CachedDiscovery(new Discovery(this.transport, { clock }), { clock });
    return this.#discovery;
  }

  /** From names and kinds to resources, as the server has them. */
  get mapper(): RestMapper {
    this.#mapper ??= new RestMapper(this.discovery, { clock: this.#options.clock ?? systemClock });
    return this.#mapper;
  }

  /** The verbs on a resource, over all namespaces until `in` names one. */
  resource<T extends KubernetesObject, S extends SubresourceTypes>(resource: Resource<T, S>): ResourceClient<T, S> {
    return this.#resourceClient<T, S>(resource, "full");
  }

  /** The same with metadata only: what a cache needs that never looks at more. */
  metadata(resource: Resource): MetadataClient {
    return this.#resourceClient<PartialObjectMetadata, SubresourceTypes>(resource, "metadata");
  }

  /** A container's log, line by line. */
  podLogs(
    pod: { readonly namespace: string; readonly name: string } & PodLogOptions,
    signal: AbortSignal,
  ): AsyncIterable<string> {
    return linesOf(podLogBytes(this.transport, pod, signal));
  }

  /** A client over the same connections, and under the same rate limit, that differs in this. Disposing of it closes nothing. */
  with(changes: ClientChanges): Client {
    const hasOwnLimit = changes.qps !== undefined || changes.burst !== undefined;
    const limiter = hasOwnLimit ? undefined : this.#limiter;
    return new Client(this.#sender, { ...this.#options, limiter, ...changes }, "shares");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOwner) await this.#sender[Symbol.asyncDispose]();
  }

  #resourceClient<T extends KubernetesObject, S extends SubresourceTypes>(resource: Resource, view: ObjectView) {
    return new ResourceClient<T, S>(resource, {
      transport: this.transport,
      clock: this.#options.clock ?? systemClock,
      log: this.#options.log ?? defaultLog,
      fieldManager: this.#options.fieldManager,
      view,
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
  /** What the server offers, HTTP/2 first, unless given. */
  readonly httpVersion?: HttpVersion;
}

/** A client over sockets. Nothing is opened before the first request. */
export function openClient(config: ClusterConfig, options: OpenClientOptions = {}): Client {
  const { httpVersion, ...rest } = options;
  const http = new HttpTransport(config, {
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(httpVersion === undefined ? {} : { version: httpVersion }),
  });
  const sender: Sender = {
    host: new URL(config.server).host,
    // Whom the config acts as is a matter of its own credentials; others act as themselves until told otherwise.
    as: ({ credentials, impersonate }) =>
      http.as(
        credentials === undefined
          ? { credentials: config.credentials, impersonate: impersonate ?? config.impersonate }
          : { credentials, impersonate },
      ),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
  return new Client(sender, rest);
}

/** A client of a server in this process. Identities reach it as headers, as they would on the wire; certificates do not. */
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
