// A small server for a handler, which is a function from request to response. It serves HTTP, or HTTPS with a certificate that may be renewed.
//
// Promises
// - Nothing is opened before `run`. `run` ends when the signal has aborted and the server is closed: the server accepts no new connections,
//   lets requests in flight end within `closeGraceMs`, then aborts them and closes their connections.
// - The signal of a request aborts when its client disconnects or its time is up. If the handler throws, the client receives a Status, and
//   other requests are not affected.
// - Connections of slow senders are closed: there is a timeout for the headers and one for the whole request. A body beyond the limit is
//   answered with 413.
// - New connections get a renewed certificate; open connections continue.
// - With `asksForCertificate`, a connection without a client certificate, or with one from an unknown CA, is accepted, too, unless the serving
//   certificate has client CAs. The handler decides whom a certificate identifies, from its third argument.
// - With `takesUpgrades`, a handler may switch protocols; the connection then lasts until either side ends it, or the server closes, which does not
//   wait for it.
import type { Server as HttpListener, IncomingMessage, ServerOptions, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureVersion, TLSSocket } from "node:tls";
import {
  type ApiRequest,
  type ApiResponse,
  carryUpgraded,
  findStatusError,
  newInternalError,
  upgradeHead,
} from "../../api/index.ts";
import {
  type Clock,
  childSignal,
  defaultLog,
  deferred,
  inFlight,
  isAborted,
  KubeloopError,
  type Log,
  onAbort,
  systemClock,
  TaskScope,
  toError,
  untilAborted,
} from "../../base/index.ts";
import { Connections } from "./connections.ts";
import { sendAnswer, sendLastAnswer, toApiRequest } from "./exchange.ts";
import { statusResponse } from "./responses.ts";
import type { ServedCertificate, ServingCertificate } from "./serving-certificate.ts";

/** The client at the other end of a request's connection. */
export interface Peer {
  /** The client's certificate as DER, and the others of its chain; empty unless the server requests certificates. Not verified. */
  readonly certificates: readonly Uint8Array[];
}

/** A Transport can be used as a handler: it ignores the peer. */
export type HttpHandler = (request: ApiRequest, signal: AbortSignal, peer: Peer) => Promise<ApiResponse>;

export interface TlsSettings {
  /** TLS 1.2 unless given. */
  readonly minVersion?: SecureVersion;
  /** The cipher suites of TLS 1.2, by their OpenSSL names, separated by colons. Node's default unless given. */
  readonly ciphers?: string;
  /** The curves, by their OpenSSL names, separated by colons. */
  readonly curves?: string;
  /** Whether the server requests a certificate from clients, without requiring one. */
  readonly asksForCertificate?: boolean;
  /** Certificates for other server names (SNI), also with a wildcard ("*.example.com"). The first exact match is used, otherwise a wildcard. */
  readonly byName?: readonly {
    readonly names: readonly string[];
    readonly certificatePem: string;
    readonly keyPem: string;
  }[];
  /** Serves HTTP/2 in addition to HTTP/1.1, with at most `maxStreams` streams on a connection; only HTTP/1.1 unless given. */
  readonly http2?: { readonly maxStreams?: number };
}

export interface HttpServerOptions {
  /** 0 for a free port: `HttpServer.port` returns it. */
  readonly port: number;
  /** The address to listen on; all addresses of the machine unless given. */
  readonly host?: string;
  /** The server uses HTTPS if given, otherwise HTTP. */
  readonly certificate?: ServingCertificate | undefined;
  readonly tls?: TlsSettings;
  /** Whether other processes may listen on the same port; needs Node 23.1. */
  readonly reusePort?: boolean;
  /** The maximum size of a request body; 3 MiB unless given, as in kube-apiserver. */
  readonly maxRequestBytes?: number;
  /** Whether requests to switch protocols (WebSocket) reach the handler as such. Otherwise they are requests like others. */
  readonly takesUpgrades?: boolean;
  /** Timeout for receiving the headers of a request; 32 s unless given. */
  readonly headersTimeoutMs?: number;
  /** Timeout for receiving the whole request; 60 s unless given. */
  readonly requestTimeoutMs?: number;
  /** How long a connection may be idle; 90 s unless given. */
  readonly idleTimeoutMs?: number;
  /** How long requests in flight may take when the server is stopped; 10 s unless given. */
  readonly closeGraceMs?: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

type Life =
  | { readonly at: "new" }
  | { readonly at: "opening" }
  | { readonly at: "listening"; readonly address: AddressInfo }
  | { readonly at: "closing" }
  | { readonly at: "ended" };

const maxHeaderBytes = 1024 * 1024;

export class HttpServer {
  readonly name: string;
  readonly group = "servers";
  readonly #handler: HttpHandler;
  readonly #options: HttpServerOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #listening = deferred();
  /** Aborts the requests in flight. */
  readonly #requests = new AbortController();
  /** Aborts connections that have switched protocols, or are about to: they have no end that could be waited for. */
  readonly #upgrades = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #connections = new Connections();
  #life: Life = { at: "new" };

  constructor(name: string, handler: HttpHandler, options: HttpServerOptions) {
    this.name = name;
    this.#handler = handler;
    this.#options = options;
    this.#clock = (options.clock ?? systemClock).labelled({ kind: "background", name: `server ${name}` });
    this.#log = (options.log ?? defaultLog).with({ server: name });
    // A caller that awaits it gets the error. If no caller does, the rejection must not count as unhandled.
    this.#listening.promise.catch(() => {});
  }

  get state(): Life["at"] {
    return this.#life.at;
  }

  /** The port on which the server listens. Throws while it does not listen. */
  get port(): number {
    if (this.#life.at === "listening") return this.#life.address.port;
    throw new KubeloopError(`server ${this.name} does not listen`, { reason: "Invalid", retry: "never" });
  }

  /** Resolves when the server listens. */
  async whenReady(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#listening.promise, signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#life.at !== "new") {
      throw new KubeloopError(`server ${this.name} runs once only`, { reason: "Invalid", retry: "never" });
    }
    this.#life = { at: "opening" };
    const { certificate, port, host } = this.#options;
    const scope = new TaskScope(signal);
    try {
      const listener = await inFlight(this.#clock, `opening of server ${this.name}`, async () => {
        if (certificate?.current === undefined) await certificate?.reload(scope.signal);
        return await this.#open(scope.signal);
      });
      using _renewal = certificate?.subscribe((renewed) => takeCertificate(listener, renewed));
      if (certificate !== undefined) void scope.spawn((each) => certificate.run(each));
      try {
        await this.#serveUntilAborted(listener, scope);
      } finally {
        this.#life = { at: "closing" };
        await this.#close(listener);
      }
    } catch (error) {
      this.#listening.reject(error);
      if (isAborted(error, signal)) return;
      throw error instanceof KubeloopError ? error : cannotServe(this.name, { host, port }, error);
    } finally {
      this.#life = { at: "ended" };
      scope.abort(signal.reason);
      await scope.join();
    }
  }

  async #serveUntilAborted(listener: HttpListener, scope: TaskScope): Promise<void> {
    const address = listener.address();
    if (address === null || typeof address === "string") throw new Error("listens on no port");
    this.#life = { at: "listening", address };
    this.#log.info("listens", { address: address.address, port: address.port });
    this.#listening.resolve();
    const end = deferred();
    using _aborted = onAbort(scope.signal, () => end.resolve());
    listener.once("error", end.reject);
    await end.promise;
  }

  async #open(signal: AbortSignal): Promise<HttpListener> {
    const { headersTimeoutMs = 32_000, requestTimeoutMs = 60_000, idleTimeoutMs = 90_000 } = this.#options;
    const { certificate, port, host, tls, reusePort } = this.#options;
    const options: ServerOptions = {
      headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: idleTimeoutMs,
      maxHeaderSize: maxHeaderBytes,
      // How often Node checks for connections that are too slow.
      connectionsCheckingInterval: Math.max(100, Math.min(5000, Math.floor(headersTimeoutMs / 4))),
    };
    const answer = (request: IncomingMessage, response: ServerResponse) => this.#take(request, response);
    const listener = await newListener(options, certificate?.current, { answer, tls });
    signal.throwIfAborted();
    this.#connections.follow(listener);
    if (this.#options.takesUpgrades === true) {
      listener.on("upgrade", (request: IncomingMessage, socket: Duplex, first: Buffer) =>
        this.#track(this.#upgrade(request, socket, first)),
      );
    }
    await new Promise<void>((resolve, reject) => {
      listener.once("error", reject);
      const where = { port, ...(host === undefined ? {} : { host }), ...(reusePort === true ? { reusePort } : {}) };
      listener.listen(where, () => {
        listener.off("error", reject);
        resolve();
      });
    });
    return listener;
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    this.#track(this.#exchange(request, response));
  }

  #track(exchange: Promise<void>): void {
    this.#underWay.add(exchange);
    void exchange.finally(() => {
      this.#underWay.delete(exchange);
      if (this.#life.at === "closing") this.#connections.cut("idle");
    });
  }

  /** Never rejects. */
  async #exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    using own = childSignal(this.#requests.signal);
    using _busy = this.#connections.begin(request);
    response.once("close", () => {
      if (!response.writableFinished) own.abort(new KubeloopError("the client went away", { reason: "ClientGone" }));
    });
    const maxBytes = this.#options.maxRequestBytes ?? 3 * 1024 * 1024;
    try {
      await this.#answer(request, response, { maxBytes, signal: own.signal });
    } catch (error) {
      if (!own.signal.aborted) this.#log.error("answer broke off", { path: request.url, error: toError(error) });
      response.destroy();
    } finally {
      // The unread rest of the body is read and dropped, so that the connection can be used for the next request.
      if (!request.complete) request.resume();
    }
  }

  /** Never rejects. An answer that switches nothing is the last one of its connection. */
  async #upgrade(request: IncomingMessage, socket: Duplex, first: Buffer): Promise<void> {
    using own = childSignal(this.#upgrades.signal);
    using _busy = this.#connections.begin(request);
    const leave = () => own.abort(new KubeloopError("the client went away", { reason: "ClientGone" }));
    socket.once("close", leave);
    // Without a listener, a connection that breaks would end the process.
    socket.on("error", leave);
    try {
      const asked = { ...toApiRequest(request, { maxBytes: 0 }), upgrade: request.headers.upgrade ?? "" };
      await using answer = await this.#answerOrStatus(asked, own.signal, peerOf(request));
      if (answer.body.kind === "upgraded") {
        socket.write(upgradeHead(answer, answer.body));
        await carryUpgraded(socket, first, answer.body.connection, own.signal);
        return;
      }
      await sendLastAnswer(answer, request, socket as Socket, own.signal);
    } catch (error) {
      if (!own.signal.aborted) this.#log.error("answer broke off", { path: request.url, error: toError(error) });
    } finally {
      socket.off("close", leave);
      socket.destroy();
    }
  }

  async #answerOrStatus(asked: ApiRequest, signal: AbortSignal, peer: Peer): Promise<ApiResponse> {
    try {
      return await this.#handler(asked, signal, peer);
    } catch (error) {
      if (signal.aborted) throw error;
      return this.#failure(asked.path, error);
    }
  }

  #failure(path: string | undefined, error: unknown): ApiResponse {
    const known = findStatusError(error);
    if (known === undefined) this.#log.error("request failed", { path, error: toError(error) });
    return statusResponse((known ?? newInternalError(toError(error))).status);
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<void> {
    try {
      const answer = await this.#handler(toApiRequest(request, { maxBytes }), signal, peerOf(request));
      // The server is closing, so the client should not reuse this connection.
      if (this.#life.at !== "listening") response.shouldKeepAlive = false;
      await sendAnswer(answer, response, signal);
    } catch (error) {
      if (signal.aborted || response.headersSent) throw error;
      await sendAnswer(this.#failure(request.url, error), response, signal);
    }
  }

  async #close(listener: HttpListener): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      listener.close(() => resolve());
    });
    this.#upgrades.abort(new KubeloopError(`server ${this.name} is closing`, { reason: "Closing" }));
    this.#connections.cut("idle");
    const { closeGraceMs = 10_000 } = this.#options;
    using _limit = this.#clock.after(closeGraceMs, () => {
      // Who gives no time knows that requests are cut off.
      if (closeGraceMs > 0) this.#log.warn("requests under way are cut off", { requests: this.#underWay.size });
      this.#requests.abort(new KubeloopError(`server ${this.name} is closing`, { reason: "Closing" }));
      this.#connections.cut("all");
    });
    await closed;
    await Promise.all(this.#underWay);
  }
}

interface Answering {
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
  readonly tls: TlsSettings | undefined;
}

async function newListener(
  options: ServerOptions,
  certificate: ServedCertificate | undefined,
  { answer, tls = {} }: Answering,
): Promise<HttpListener> {
  if (certificate === undefined) {
    const { createServer } = await import("node:http");
    return createServer(options, answer);
  }
  const isMutual = certificate.clientCaPem !== undefined;
  const settings = {
    minVersion: tls.minVersion ?? "TLSv1.2",
    requestCert: isMutual || tls.asksForCertificate === true,
    rejectUnauthorized: isMutual,
    ...(tls.ciphers === undefined ? {} : { ciphers: tls.ciphers }),
    ...(tls.curves === undefined ? {} : { ecdhCurve: tls.curves }),
    ...(await namedContexts(tls)),
    ...contextOf(certificate),
  } as const;
  if (tls.http2 !== undefined) {
    const { createSecureServer } = await import("node:http2");
    const { maxStreams } = tls.http2;
    const http2 = {
      allowHTTP1: true,
      ...(maxStreams === undefined ? {} : { settings: { maxConcurrentStreams: maxStreams } }),
    };
    // The requests and responses of HTTP/2 have everything that is used here of those of HTTP/1.1.
    return createSecureServer({ ...options, ...settings, ...http2 }, answer as never) as unknown as HttpListener;
  }
  const { createServer } = await import("node:https");
  return createServer({ ...options, ...settings }, answer);
}

async function namedContexts({ byName = [] }: TlsSettings) {
  if (byName.length === 0) return {};
  const { createSecureContext } = await import("node:tls");
  const contexts = byName.map(({ names, certificatePem, keyPem }) => ({
    names,
    context: createSecureContext({ cert: certificatePem, key: keyPem }),
  }));
  const find = (wanted: string) =>
    contexts.find(({ names }) => names.includes(wanted)) ??
    contexts.find(({ names }) => names.includes(wanted.replace(/^[^.]+/, "*")));
  return {
    SNICallback: (
      name: string,
      done: (error: Error | null, context?: ReturnType<typeof createSecureContext>) => void,
    ) => done(null, find(name)?.context),
  };
}

/** Stops where the chain repeats, because Node lets a self-signed CA point to itself as its issuer. */
function peerOf({ socket }: IncomingMessage): Peer {
  const certificates: Uint8Array[] = [];
  if ("getPeerCertificate" in socket && typeof socket.getPeerCertificate === "function") {
    let each: ReturnType<TLSSocket["getPeerCertificate"]> | undefined = (socket as TLSSocket).getPeerCertificate(true);
    const seen = new Set<unknown>();
    while (each?.raw !== undefined && !seen.has(each)) {
      seen.add(each);
      certificates.push(each.raw);
      each = "issuerCertificate" in each ? (each.issuerCertificate as typeof each) : undefined;
    }
  }
  return { certificates };
}

function takeCertificate(listener: HttpListener, certificate: ServedCertificate): void {
  if ("setSecureContext" in listener && typeof listener.setSecureContext === "function") {
    listener.setSecureContext(contextOf(certificate));
  }
}

function contextOf({ certificatePem, keyPem, clientCaPem }: ServedCertificate) {
  return { cert: certificatePem, key: keyPem, ...(clientCaPem === undefined ? {} : { ca: clientCaPem }) };
}

function cannotServe(
  name: string,
  { host = "", port }: { readonly host: string | undefined; readonly port: number },
  cause: unknown,
): KubeloopError {
  const message = `server ${name} cannot listen on ${host}:${port}: ${toError(cause).message}`;
  return new KubeloopError(message, { reason: "Listen", cause });
}
