// The Transport over sockets. It connects as the ClusterConfig says, HTTP/2 where the server offers it, and keeps its
// connections for all who share it. Nothing is loaded or opened before the first request.
//
// Promises: an aborted request leaves no socket busy, no timer and no listener behind. A request that the server answered
// with 401 is repeated once if the credentials have something newer. A rotated CA or client certificate makes new connections;
// exchanges on the old ones end in peace.
import {
  type ApiRequest,
  type ApiResponse,
  type HttpHeaders,
  printQuery,
  queryValue,
  type Transport,
  TransportError,
} from "../../api/transport.ts";
import { type Clock, systemClock } from "../../base/index.ts";
import type { CaCertificates } from "../credentials/ca-bundle.ts";
import type { ClientCertificate } from "../credentials/client-certificate.ts";
import type { Credential, Credentials } from "../credentials/credentials.ts";
import { type Impersonation, impersonationHeaders } from "../credentials/impersonation.ts";
import type { ClusterConfig } from "../kubeconfig/cluster-config.ts";
import { checkExchange, closedError } from "./http-exchange.ts";
import { toResponse } from "./response-body.ts";
import { type HttpVersion, ServerConnections } from "./server-connections.ts";

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

/** An identity in use: what it adds to each request, and the certificate it showed last. */
interface Sender {
  readonly credentials: Credentials;
  readonly headers: HttpHeaders;
  certificate: ClientCertificate | undefined;
}

const mostIdentities = 8;
/** Bookmarks come about every minute; a quarter of one more is patience enough. */
const watchSilenceMs = 75_000;

export class HttpTransport implements AsyncDisposable {
  readonly #config: ClusterConfig;
  readonly #clock: Clock;
  readonly #version: HttpVersion;
  /** What the server's address has before every path, without a slash at its end. */
  readonly #prefix: string;
  /** By the CA and the client certificate they were made with. */
  readonly #connections = new Map<string, ServerConnections>();
  readonly #retired = new Set<ServerConnections>();
  #isClosed = false;

  constructor(config: ClusterConfig, options: HttpTransportOptions = {}) {
    this.#config = config;
    this.#clock = options.clock ?? systemClock;
    this.#version = options.version ?? "auto";
    this.#prefix = new URL(config.server).pathname.replace(/\/$/, "");
  }

  /** HTTP/2 connections that are open now. */
  get http2Connections(): number {
    const all = [...this.#connections.values(), ...this.#retired];
    return all.reduce((sum, one) => sum + one.http2Connections, 0);
  }

  /** A Transport that sends as this identity; the config's own unless given. All share this one's connections. */
  as({ credentials, impersonate }: HttpIdentity = this.#config): Transport {
    const headers = impersonate === undefined ? {} : impersonationHeaders(impersonate);
    const sender: Sender = { credentials, headers, certificate: undefined };
    return async (request, signal) => {
      signal.throwIfAborted();
      const shown = await credentials.current(signal);
      const response = await this.#send(request, sender, shown, signal);
      if (response.status !== 401 || !isReplayable(request)) return response;
      if (!(await isRenewed(response, () => credentials.rejected(shown, signal)))) return response;
      return await this.#send(request, sender, await credentials.current(signal), signal);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#connections.values(), ...this.#retired];
    this.#connections.clear();
    await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
  }

  async #send(request: ApiRequest, sender: Sender, shown: Credential, signal: AbortSignal): Promise<ApiResponse> {
    if (request.upgrade !== undefined) {
      throw new TransportError(`this transport cannot switch to ${request.upgrade}`, {
        reason: "Invalid",
        wasSent: "no",
      });
    }
    const query = request.query.length === 0 ? "" : `?${printQuery(request.query)}`;
    const body = toBytes(request);
    const exchange = {
      method: request.method,
      path: `${this.#prefix}${request.path}${query}`,
      headers: this.#headers(request, sender, shown, body),
      body,
      silenceMs: isWatch(request) ? watchSilenceMs : undefined,
    };
    checkExchange(exchange);
    const ca = await this.#config.tls.ca.current(signal);
    // Nothing is awaited between choosing connections and counting the exchange on them: they could be retired.
    const answer = await this.#connectionsFor(ca, sender, shown.certificate).send(exchange, signal);
    // Over HTTP/2 a ping notices; over HTTP/1.1 only silence tells.
    const limitMs = answer.protocol === "http/1.1" ? exchange.silenceMs : undefined;
    const silence = limitMs === undefined ? undefined : { clock: this.#clock, limitMs };
    return await toResponse(answer, { silence }, signal);
  }

  /** Later ones stand: what the request says itself goes before everything. */
  #headers(request: ApiRequest, sender: Sender, shown: Credential, body: ReturnType<typeof toBytes>): HttpHeaders {
    const headers: Record<string, string | readonly string[]> = {};
    if (!this.#config.disableCompression) headers["accept-encoding"] = "gzip";
    Object.assign(headers, shown.headers, sender.headers);
    if (body instanceof Uint8Array) headers["content-length"] = String(body.byteLength);
    return Object.assign(headers, request.headers);
  }

  #connectionsFor(ca: CaCertificates, sender: Sender, certificate: ClientCertificate | undefined): ServerConnections {
    if (this.#isClosed) throw closedError();
    const { tls, server, proxyUrl } = this.#config;
    this.#retireOlder(ca, sender, certificate);
    const key = keyOf(ca, certificate);
    const known = this.#connections.get(key);
    if (known !== undefined) return known;
    this.#retireOthers(`${ca.generation}\n`);
    const { isVerified, serverName } = tls;
    const target = { server: new URL(server), proxyUrl, caPem: ca.pem, certificate, isVerified, serverName };
    const connections = new ServerConnections({ version: this.#version, clock: this.#clock, target });
    this.#connections.set(key, connections);
    return connections;
  }

  // A certificate that its owner has replaced opens no more connections; another identity that still shows it makes its own.
  #retireOlder(ca: CaCertificates, sender: Sender, certificate: ClientCertificate | undefined): void {
    const older = sender.certificate;
    if (certificate === undefined || certificate.generation <= (older?.generation ?? 0)) return;
    sender.certificate = certificate;
    if (older !== undefined) this.#retire(keyOf(ca, older));
  }

  // Connections made under an older CA are not to be trusted with anything new; of those with other client certificates,
  // idle ones go when there are many.
  #retireOthers(prefix: string): void {
    for (const [key, connections] of this.#connections) {
      const isCurrent = key.startsWith(prefix);
      if (!isCurrent || (connections.isIdle && this.#connections.size >= mostIdentities)) this.#retire(key);
    }
  }

  #retire(key: string): void {
    const connections = this.#connections.get(key);
    if (connections === undefined) return;
    this.#connections.delete(key);
    this.#retired.add(connections);
    void connections.retire().then(() => this.#retired.delete(connections));
  }
}

function keyOf(ca: CaCertificates, certificate: ClientCertificate | undefined): string {
  return `${ca.generation}\n${certificate?.certificatePem ?? ""}\n${certificate?.keyPem ?? ""}`;
}

/** Whether there is something newer to show; then, and when nobody can say, the refusal is not needed any more. */
async function isRenewed(refusal: ApiResponse, ask: () => Promise<boolean>): Promise<boolean> {
  let answer: "yes" | "no" | "failed" = "failed";
  try {
    answer = (await ask()) ? "yes" : "no";
  } finally {
    if (answer !== "no") await refusal[Symbol.asyncDispose]();
  }
  return answer === "yes";
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
