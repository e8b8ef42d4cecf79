// The Transport over sockets. It connects as the ClusterConfig says, with HTTP/2 if the server offers it, and shares its
// connections between all its users. Nothing is loaded or opened before the first request.
//
// Promises: an aborted request leaves no busy socket, timer or listener behind. A request that was answered
// with 401 is repeated once if the credentials have a newer value. A rotated CA or client certificate causes new connections;
// running requests on the old ones finish.
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
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Default: what the server offers, HTTP/2 first. */
  readonly version?: HttpVersion;
}

/** The identity of requests: what differs between clients that share connections. */
export interface HttpIdentity {
  readonly credentials: Credentials;
  readonly impersonate?: Impersonation | undefined;
}

/** An identity in use: what it adds to each request, and the certificate it used last. */
interface Sender {
  readonly credentials: Credentials;
  readonly headers: HttpHeaders;
  certificate: ClientCertificate | undefined;
}

const maxIdentities = 8;
/** Bookmarks come about every minute; a quarter of a minute more is enough margin. */
const watchSilenceMs = 75_000;

export class HttpTransport implements AsyncDisposable {
  readonly #config: ClusterConfig;
  readonly #clock: Clock;
  readonly #version: HttpVersion;
  /** The path of the server's address, which precedes every request path; without a trailing slash. */
  readonly #prefix: string;
  /** By the CA and client certificate of the connections. */
  readonly #connections = new Map<string, ServerConnections>();
  readonly #retired = new Set<ServerConnections>();
  #isClosed = false;

  constructor(config: ClusterConfig, options: HttpTransportOptions = {}) {
    this.#config = config;
    this.#clock = options.clock ?? systemClock;
    this.#version = options.version ?? "auto";
    this.#prefix = new URL(config.server).pathname.replace(/\/$/, "");
  }

  /** The number of open HTTP/2 connections. */
  get http2Connections(): number {
    const all = [...this.#connections.values(), ...this.#retired];
    return all.reduce((sum, one) => sum + one.http2Connections, 0);
  }

  /** Returns a Transport that sends with this identity. Default: the config's. All share the connections of this object. */
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
    // No await between choosing the connections and counting the exchange on them, because they could be retired meanwhile.
    const answer = await this.#connectionsFor(ca, sender, shown.certificate).send(exchange, signal);
    // Over HTTP/2 a ping detects a dead connection; over HTTP/1.1 only silence does.
    const limitMs = answer.protocol === "http/1.1" ? exchange.silenceMs : undefined;
    const silence = limitMs === undefined ? undefined : { clock: this.#clock, limitMs };
    return await toResponse(answer, { silence }, signal);
  }

  /** Later entries win: the request's own headers override all others. */
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

  // A replaced certificate opens no more connections; another identity that still uses it opens its own.
  #retireOlder(ca: CaCertificates, sender: Sender, certificate: ClientCertificate | undefined): void {
    const older = sender.certificate;
    if (certificate === undefined || certificate.generation <= (older?.generation ?? 0)) return;
    sender.certificate = certificate;
    if (older !== undefined) this.#retire(keyOf(ca, older));
  }

  // Connections made with an older CA must not be used for new requests. Of those with other client certificates,
  // idle ones are closed if there are many.
  #retireOthers(prefix: string): void {
    for (const [key, connections] of this.#connections) {
      const isCurrent = key.startsWith(prefix);
      if (!isCurrent || (connections.isIdle && this.#connections.size >= maxIdentities)) this.#retire(key);
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

/** Whether the credentials have a newer value. If so, or if that cannot be determined, the 401 response is disposed of. */
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
