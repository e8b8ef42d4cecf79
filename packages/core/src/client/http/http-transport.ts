// The Transport over sockets. It connects as the ClusterConfig says, HTTP/2 where the server offers it, and keeps its
// connections for all who share it. Nothing is loaded or opened before the first request.
//
// Promises: an aborted request leaves no socket busy, no timer and no listener behind. A request that the server answered
// with 401 is repeated once if the credentials have something newer. A rotated CA or client certificate makes new connections;
// exchanges on the old ones end in peace.
import type { Readable } from "node:stream";
import {
  type ApiRequest,
  type ApiResponse,
  type HttpHeaders,
  printQuery,
  queryValue,
  type Transport,
  TransportError,
} from "../../api/transport.ts";
import { type Clock, onAbort, systemClock } from "../../base/index.ts";
import type { ClientCertificate } from "../credentials/client-certificate.ts";
import type { Credential, Credentials } from "../credentials/credentials.ts";
import { type Impersonation, impersonationHeaders } from "../credentials/impersonation.ts";
import type { ClusterConfig } from "../kubeconfig/cluster-config.ts";
import { decompressed, readBody } from "./response-body.ts";
import { type HttpAnswer, type HttpVersion, ServerConnections } from "./server-connections.ts";
import { withSilenceLimit } from "./silence-limit.ts";

export interface HttpTransportOptions {
  /** The system's unless given. */
  readonly clock?: Clock;
  /** What the server offers, HTTP/2 first, unless given. */
  readonly version?: HttpVersion;
}

/** As whom to send: what differs between clients that share connections. */
export interface HttpIdentity {
  readonly credentials: Credentials;
  readonly impersonate?: Impersonation | undefined;
}

const mostIdentities = 8;
/** Bookmarks come about every minute; a quarter of one more is patience enough. */
const watchSilenceMs = 75_000;

export class HttpTransport implements AsyncDisposable {
  readonly #config: ClusterConfig;
  readonly #clock: Clock;
  readonly #version: HttpVersion;
  readonly #connections = new Map<string, ServerConnections>();
  #isClosed = false;

  constructor(config: ClusterConfig, options: HttpTransportOptions = {}) {
    this.#config = config;
    this.#clock = options.clock ?? systemClock;
    this.#version = options.version ?? "auto";
  }

  /** HTTP/2 connections that are open now. */
  get http2Connections(): number {
    return [...this.#connections.values()].reduce((sum, one) => sum + (one.http2Connections ?? 0), 0);
  }

  /** A Transport that sends as this identity; the config's own unless given. All share this one's connections. */
  as(identity: HttpIdentity = this.#config): Transport {
    const { credentials, impersonate } = identity;
    const extra = impersonate === undefined ? {} : impersonationHeaders(impersonate);
    return async (request, signal) => {
      signal.throwIfAborted();
      const shown = await credentials.current(signal);
      const response = await this.#send(request, shown, extra, signal);
      if (response.status !== 401 || !isReplayable(request)) return response;
      if (!(await credentials.rejected(shown, signal))) return response;
      await response[Symbol.asyncDispose]();
      return await this.#send(request, await credentials.current(signal), extra, signal);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#connections.values()].map((one) => one[Symbol.asyncDispose]()));
    this.#connections.clear();
  }

  async #send(request: ApiRequest, shown: Credential, extra: HttpHeaders, signal: AbortSignal): Promise<ApiResponse> {
    const connections = await this.#connectionsFor(shown.certificate, signal);
    const prefix = new URL(this.#config.server).pathname.replace(/\/$/, "");
    const query = request.query.length === 0 ? "" : `?${printQuery(request.query)}`;
    const body = toBytes(request);
    const answer = await connections.send(
      {
        method: request.method,
        path: `${prefix}${request.path}${query}`,
        headers: {
          ...(this.#config.disableCompression ? {} : { "accept-encoding": "gzip" }),
          ...shown.headers,
          ...extra,
          ...(body instanceof Uint8Array ? { "content-length": String(body.byteLength) } : {}),
          ...request.headers,
        },
        body,
      },
      signal,
    );
    const response = await toResponse(answer, signal);
    // Over HTTP/2 a ping notices; over HTTP/1.1 only silence tells.
    if (answer.protocol === "h2" || !isWatch(request)) return response;
    return withSilenceLimit(response, { clock: this.#clock, limitMs: watchSilenceMs });
  }

  async #connectionsFor(certificate: ClientCertificate | undefined, signal: AbortSignal): Promise<ServerConnections> {
    const { tls, server, proxyUrl } = this.#config;
    const ca = await tls.ca.current(signal);
    if (this.#isClosed) throw new TransportError("the client was closed", { reason: "Closed", wasSent: "no" });
    const key = `${ca.generation}\n${certificate?.certificatePem ?? ""}\n${certificate?.keyPem ?? ""}`;
    const known = this.#connections.get(key);
    if (known !== undefined) return known;
    this.#retireOthers(`${ca.generation}\n`);
    const connections = new ServerConnections({
      version: this.#version,
      clock: this.#clock,
      target: {
        server: new URL(server),
        proxyUrl,
        caPem: ca.pem,
        certificate,
        isVerified: tls.isVerified,
        serverName: tls.serverName,
      },
    });
    this.#connections.set(key, connections);
    return connections;
  }

  // Connections made under an older CA are not to be trusted with anything new; of those with other client certificates,
  // which may have been rotated away, idle ones go when there are many.
  #retireOthers(prefix: string): void {
    for (const [key, connections] of this.#connections) {
      const isCurrent = key.startsWith(prefix);
      if (isCurrent && (!connections.isIdle || this.#connections.size < mostIdentities)) continue;
      this.#connections.delete(key);
      void connections.retire();
    }
  }
}

/** The answer as the Transport hands it out: its body ends with the reading, the signal, or its disposal. */
async function toResponse(answer: HttpAnswer, signal: AbortSignal): Promise<ApiResponse> {
  if (signal.aborted) {
    answer.end();
    throw signal.reason;
  }
  let stream: Readable | undefined;
  const end = () => {
    watch[Symbol.dispose]();
    answer.end();
    stream?.destroy();
  };
  const watch = onAbort(signal, end);
  try {
    stream = await decompressed(answer.stream, answer.headers);
  } catch (error) {
    end();
    throw error;
  }
  const bytes = readBody(stream, signal, end);
  return {
    status: answer.status,
    headers: answer.headers,
    body: { kind: "bytes", bytes },
    async [Symbol.asyncDispose]() {
      end();
      await bytes.return(undefined).catch(() => {});
    },
  };
}

function isWatch({ query }: ApiRequest): boolean {
  const watch = queryValue(query, "watch");
  return watch === "true" || watch === "1";
}

function isReplayable({ body }: ApiRequest): boolean {
  return body.kind !== "bytes" || body.bytes instanceof Uint8Array;
}

function toBytes({ body }: ApiRequest): Uint8Array | AsyncIterable<Uint8Array> | undefined {
  switch (body.kind) {
    case "none":
      return undefined;
    case "bytes":
      return body.bytes;
    case "value":
      return Buffer.from(JSON.stringify(body.value), "utf8");
  }
}
