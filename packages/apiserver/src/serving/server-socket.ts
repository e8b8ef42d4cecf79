// The server on a port: TLS with HTTP/2 and HTTP/1.1, or plain HTTP/1.1. Loopback unless told otherwise. Closing stops taking requests,
// ends watches, and waits for what is under way for a while before it cuts the rest.
import { createServer, type IncomingMessage, type Server } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type ServerHttp2Session,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import {
  type ApiRequest,
  type ApiResponse,
  bytesResponse,
  carryUpgraded,
  collectBytes,
  requestInfoOf,
  StatusError,
  TransportError,
  upgradeHead,
} from "@kubeloop/core/api";
import { type Clock, deferred, KubeloopError, type Log, onAbort, TimeoutError, toError } from "@kubeloop/core/base";
import type { RequestOrigin } from "../authentication/authenticator.ts";
import type { RequestUser } from "../kinds/kind-rules.ts";
import { isLongRunning } from "../resources/options/request-options.ts";
import { bodyWithin } from "./body-deadline.ts";
import { type Incoming, type Outgoing, toApiRequest, writeResponse } from "./exchange.ts";
import { headOf, requestOfUnknownMethod } from "./exchange-unknown-method.ts";
import { peerCertificateOf } from "./peer-certificate.ts";
import { RequestScheduler, type SchedulerLimits } from "./request-scheduler.ts";
import { WatchWriteScheduler } from "./watch-write-scheduler.ts";

export interface ServerSocketOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Plain HTTP without. */
  readonly tls?: { readonly certPem: string; readonly keyPem: string; readonly clientCaPem: string };
  /** Everybody is this user: for plain HTTP on loopback. */
  readonly everybody?: RequestUser;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a sender may take for the headers of a request. Default: 32 s, as a real server's. */
  readonly headersTimeoutMs?: number;
  /** How much is in flight and waits at most, whoever asks. */
  readonly limits?: SchedulerLimits;
  answer(request: ApiRequest, origin: RequestOrigin, signal: AbortSignal): Promise<ApiResponse>;
}

/** Headers of a request, all together; slow senders are cut off. */
const maxHeaderBytes = 1024 * 1024;
const maxHeaders = 2_000;
const defaultHeadersTimeoutMs = 32_000;
/** As long as a real server gives any request that is no watch, from its first byte to the last of the answer. */
const requestTimeoutMs = 60_000;
/** What a body of unknown length is counted as: no longer one is taken. */
const longestBodyBytes = 3 * 1024 * 1024;
/** Of a body that nobody wants so much is let through, for so long, so that its sender hears the answer. */
const drainBytes = 16 * 1024 * 1024;
const drainMs = 10_000;
const closeGraceMs = 2_000;

export class ServerSocket implements AsyncDisposable {
  readonly #server: Server | Http2SecureServer;
  readonly #options: ServerSocketOptions;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #exchanges = new Set<Promise<void>>();
  /** What was asked last on a connection that carries one answer at a time. */
  readonly #last = new WeakMap<Socket, Promise<void>>();
  /** Connections on which somebody still waits for an answer. */
  readonly #answering = new WeakMap<Socket, number>();
  readonly #life = new AbortController();
  readonly #scheduler: RequestScheduler;
  readonly #watchWrites: WatchWriteScheduler;

  private constructor(options: ServerSocketOptions) {
    this.#options = options;
    this.#scheduler = new RequestScheduler(options.clock, options.limits);
    this.#watchWrites = new WatchWriteScheduler(options.clock);
    const { tls, headersTimeoutMs = defaultHeadersTimeoutMs } = options;
    const limits = { maxHeaderSize: maxHeaderBytes, keepAliveTimeout: 120_000 };
    const timeouts = {
      headersTimeout: headersTimeoutMs,
      // Bodies have a deadline of their own, which is answered.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(headersTimeoutMs / 2, 30_000),
    };
    this.#server =
      tls === undefined
        ? createServer({ ...limits, ...timeouts })
        : createSecureServer({
            ...limits,
            allowHTTP1: true,
            cert: tls.certPem,
            key: tls.keyPem,
            ca: tls.clientCaPem,
            requestCert: true,
            rejectUnauthorized: false,
            // Of one header, the platform's own limit stays: 64 KiB as it is packed.
            settings: { maxConcurrentStreams: 250, initialWindowSize: 1024 * 1024, maxHeaderListSize: maxHeaderBytes },
            maxHeaderListPairs: maxHeaders,
          });
    // Of these, a server of both versions takes no notice when they are options.
    Object.assign(this.#server, limits, timeouts);
    this.#server.on("connection", (socket: Socket) => this.#keep(socket));
    this.#server.on("secureConnection", (socket: Socket) => socket.setNoDelay(true));
    this.#server.on("session", (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.on("close", () => this.#sessions.delete(session));
    });
    this.#server.on("request", (incoming: Incoming, outgoing: Outgoing) => this.#accept(incoming, outgoing));
    this.#server.on("upgrade", (incoming: IncomingMessage, socket: Socket, first: Buffer) =>
      this.#awaitAtEnd(this.#upgrade(incoming, socket, first)),
    );
    this.#server.on("clientError", (error: Error, socket: Socket) => {
      // An answer to noise would be taken for the answer to the request before it.
      if ((this.#answering.get(socket) ?? 0) > 0) socket.destroy();
      else this.#awaitAtEnd(this.#refuse(error, socket));
    });
    // A client that speaks something else, or goes away in the middle of a handshake: nobody's fault here.
    this.#server.on("tlsClientError", () => {});
    this.#server.on("sessionError", () => {});
  }

  /** Throws a KubeloopError when the port cannot be had. */
  static async listen(options: ServerSocketOptions): Promise<ServerSocket> {
    const socket = new ServerSocket(options);
    const { host, port } = options;
    const listening = deferred();
    const fail = (error: Error) => listening.reject(error);
    socket.#server.once("error", fail);
    socket.#server.listen({ host, port }, () => listening.resolve());
    try {
      await listening.promise;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      const why =
        code === "EADDRINUSE"
          ? `port ${port} on ${host} is taken`
          : `cannot listen on ${host}:${port}: ${toError(error).message}`;
      throw new KubeloopError(why, {
        reason: code === "EADDRINUSE" ? "PortTaken" : "CannotListen",
        retry: "never",
        cause: error,
      });
    }
    socket.#server.off("error", fail);
    return socket;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    const { host, tls } = this.#options;
    const printed = host.includes(":") ? `[${host}]` : host;
    return `${tls === undefined ? "http" : "https"}://${printed}:${this.port}`;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
  }

  #accept(incoming: Incoming, outgoing: Outgoing): void {
    const { socket } = incoming;
    const isAlone = incoming.httpVersionMajor < 2;
    const exchange = this.#exchange(incoming, outgoing, isAlone ? this.#last.get(socket) : undefined).catch(
      (error: unknown) => {
        this.#options.log.error("an exchange failed", { error: toError(error) });
        (outgoing as { destroy?: () => void }).destroy?.();
      },
    );
    if (isAlone) this.#last.set(socket, exchange);
    const count = (step: number) => this.#answering.set(socket, (this.#answering.get(socket) ?? 0) + step);
    count(1);
    this.#awaitAtEnd(exchange.then(() => void count(-1)));
  }

  #awaitAtEnd(work: Promise<void>): void {
    this.#exchanges.add(work);
    void work.then(() => this.#exchanges.delete(work));
  }

  /** After `before`: of requests that are sent together, answers are not made ahead of who reads them. */
  async #exchange(incoming: Incoming, outgoing: Outgoing, before: Promise<void> | undefined): Promise<void> {
    const gone = new AbortController();
    // Of a stream that was cut off HTTP/2 says that all was written: only who wrote it knows.
    let isWritten = false;
    const leave = () => {
      // Also told after every answer that was heard to its end.
      if (!isWritten) gone.abort(new KubeloopError("the client has gone", clientGone));
    };
    outgoing.on("close", leave);
    outgoing.on("error", leave);
    incoming.on("error", leave);
    // A stream that was reset before its headers were looked at says so nowhere else, or has said so already.
    const { stream } = incoming as Partial<Http2ServerRequest>;
    stream?.on("close", leave);
    if (stream?.closed === true || stream?.destroyed === true) leave();
    using _closing = onAbort(this.#life.signal, (reason) => gone.abort(reason));
    try {
      if (before !== undefined) await before;
      gone.signal.throwIfAborted();
      const { clock } = this.#options;
      const request = toApiRequest(incoming, () => bodyWithin(incoming, requestTimeoutMs, clock));
      const isLong = isLongRunning(requestInfoOf(request));
      const entered = this.#scheduler.enter({ isLongRunning: isLong, bytes: bodyBytesOf(request, incoming) });
      using _inFlight = await entered;
      gone.signal.throwIfAborted();
      using _deadline = isLong ? undefined : this.#cutWhenLate(outgoing);
      const response =
        entered === undefined ? tooMany() : await this.#answerTo(request, tlsSocketOf(incoming), gone.signal);
      await using _response = response;
      const isHead = incoming.method === "HEAD";
      const pace = isWatch(incoming)
        ? { mayCompress: false, turn: () => this.#watchWrites.next() }
        : { mayCompress: takesGzip(incoming) };
      await writeResponse(response, outgoing, { isHead, ...pace });
      isWritten = true;
      if (!incoming.complete && !incoming.destroyed) this.#letThrough(incoming);
    } catch (error) {
      // A connection that is to break, by a fault rule or because its time is up, breaks.
      const isMeant = error instanceof TransportError || error instanceof TimeoutError;
      if (!gone.signal.aborted && !isMeant) throw error;
      (outgoing as { destroy?: () => void }).destroy?.();
    }
  }

  /** What is left of a body that was too large, too slow, or that nobody wanted; not without end. */
  #letThrough(incoming: Incoming): void {
    let left = drainBytes;
    const cut = this.#options.clock
      .labelled({ kind: "background", name: "rest of a request" })
      .after(drainMs, () => cutOff(incoming));
    incoming.on("data", (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) cutOff(incoming);
    });
    incoming.on("close", () => cut[Symbol.dispose]());
    incoming.resume();
  }

  /** Who reads an answer too slowly is cut off: before the answer has begun, the handler has its own deadline and says so. */
  #cutWhenLate(outgoing: Outgoing): Disposable {
    const clock = this.#options.clock.labelled({ kind: "background", name: "deadline of an answer" });
    return clock.after(requestTimeoutMs, () => {
      if (outgoing.headersSent) (outgoing as { destroy?: () => void }).destroy?.();
    });
  }

  /**
   * A request to switch protocols, for exec, attach and port-forward. The platform hands over the connection, so an answer that switches nothing
   * is written by hand, and is the last one.
   */
  async #upgrade(incoming: IncomingMessage, socket: Socket, first: Buffer): Promise<void> {
    const gone = new AbortController();
    const leave = () => gone.abort(new KubeloopError("the client has gone", clientGone));
    socket.on("close", leave);
    using _closing = onAbort(this.#life.signal, (reason) => gone.abort(reason));
    try {
      await this.#last.get(socket);
      const request = toApiRequest(incoming, () => bodyOnSocket(incoming, socket, first));
      const upgrade = String(incoming.headers.upgrade ?? "");
      await using response = await this.#answerTo({ ...request, upgrade }, asTls(socket), gone.signal);
      const { body } = response;
      if (body.kind !== "upgraded") {
        await this.#writeLast(response, socket, incoming.method === "HEAD");
        return;
      }
      socket.write(upgradeHead(response, body));
      await carryUpgraded(socket, first, body.connection, gone.signal);
    } catch (error) {
      if (!gone.signal.aborted && !(error instanceof TransportError)) {
        this.#options.log.error("an exchange failed", { error: toError(error) });
      }
    } finally {
      socket.off("close", leave);
      if (!socket.writableEnded) socket.destroy();
    }
  }

  async #writeLast(response: ApiResponse, socket: Socket, isHead: boolean): Promise<void> {
    socket.write(headOf(response, undefined), "latin1");
    const { body } = response;
    if (body.kind === "bytes" && !isHead) {
      for await (const chunk of body.bytes) {
        if (socket.destroyed) return;
        if (!socket.write(chunk)) await once(socket, "drain", "close");
      }
    }
    socket.end(() => socket.destroy());
  }

  /** A method that the platform does not know is answered like any other request, but is the last of its connection. */
  async #refuse(error: Error, socket: Socket): Promise<void> {
    const request = requestOfUnknownMethod(error);
    if (request === undefined || !socket.writable) {
      refuseConnection(error, socket);
      return;
    }
    try {
      await using response = await this.#answerTo(request, asTls(socket), this.#life.signal);
      const { body } = response;
      const bytes = body.kind === "bytes" ? await collectBytes(body.bytes, { maxBytes: maxHeaderBytes }) : noBytes;
      socket.end(Buffer.concat([Buffer.from(headOf(response, bytes.length), "latin1"), bytes]), () => socket.destroy());
    } catch {
      socket.destroy();
    }
  }

  async #answerTo(request: ApiRequest, socket: TLSSocket | undefined, signal: AbortSignal): Promise<ApiResponse> {
    try {
      const { everybody } = this.#options;
      const origin: RequestOrigin =
        everybody === undefined
          ? { kind: "connection", certificate: peerCertificateOf(socket) }
          : { kind: "user", user: everybody };
      return await this.#options.answer(request, origin, signal);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const body = Buffer.from(JSON.stringify(error.status), "utf8");
      return bytesResponse(error.code, body, { "content-type": "application/json" });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = deferred();
    this.#server.close(() => closed.resolve());
    this.#life.abort(new KubeloopError("the server is closing", { reason: "Closed", retry: "never" }));
    for (const session of this.#sessions) session.close();
    (this.#server as Server).closeIdleConnections?.();
    using _cut = this.#options.clock.after(closeGraceMs, () => this.#cutAll());
    await Promise.allSettled(this.#exchanges);
    this.#cutAll();
    await closed.promise;
  }

  #cutAll(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** The connection, or of one that carries several requests only this one. */
function cutOff(incoming: Incoming): void {
  const { stream } = incoming as Partial<Http2ServerRequest>;
  if (stream === undefined) incoming.socket.destroy();
  else stream.close();
}

/** What cannot be read as a request is answered where that is still possible, in the words of a Go server. */
function refuseConnection(error: Error, socket: Socket): void {
  const code = "code" in error ? String(error.code) : "";
  const status = code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  if (!socket.writable || code === "ECONNRESET" || code === "ERR_HTTP_REQUEST_TIMEOUT") {
    socket.destroy();
    return;
  }
  const head = "content-type: text/plain; charset=utf-8\r\nconnection: close";
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${status}`, () => socket.destroy());
}

/** Refused before anybody has looked at it, in the words of a real server. */
function tooMany(): ApiResponse {
  const text = "Too many requests, please try again later.\n";
  return bytesResponse(429, Buffer.from(text), {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "retry-after": "1",
  });
}

/** How many bytes of the body are held at most. */
function bodyBytesOf({ body }: ApiRequest, { headers }: Incoming): number {
  if (body.kind === "none") return 0;
  const length = Number(headers["content-length"] ?? longestBodyBytes);
  return Math.min(Number.isNaN(length) ? longestBodyBytes : length, longestBodyBytes);
}

/** The body of a request whose connection the platform has handed over: as long as it says, or nothing. */
async function* bodyOnSocket(incoming: IncomingMessage, socket: Socket, first: Uint8Array): AsyncGenerator<Uint8Array> {
  // Since Node 24.9 the platform reads the body of such a request itself; before, it takes the request for complete without one.
  if (!incoming.complete || incoming.readableLength > 0) {
    yield* incoming as AsyncIterable<Uint8Array>;
    return;
  }
  let left = Number(incoming.headers["content-length"] ?? 0);
  if (first.length > 0 && left > 0) {
    const part = first.subarray(0, left);
    left -= part.length;
    yield part;
  }
  if (left <= 0) return;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    const part = (chunk as Uint8Array).subarray(0, left);
    left -= part.length;
    yield part;
    if (left <= 0) return;
  }
}

/** Until one of these happens. */
function once(socket: Socket, ...events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      for (const event of events) socket.off(event, settle);
      resolve();
    };
    for (const event of events) socket.on(event, settle);
  });
}

const takesGzip = ({ headers }: Incoming) =>
  /(?:^|[,\s])gzip(?:$|[,;\s])/.test(String(headers["accept-encoding"] ?? ""));

/** A watch has no size, and must not wait for one. */
const isWatch = ({ url = "" }: Incoming) => /[?&]watch(?:=(?!false|0)|&|$)|\/watch\//.test(url);

const noBytes = new Uint8Array();

const clientGone = { reason: "Gone", retry: "never" } as const;

const tlsSocketOf = (incoming: Incoming) =>
  asTls((incoming as Http2ServerRequest).stream?.session?.socket ?? incoming.socket);

const asTls = (socket: object) => ("encrypted" in socket ? (socket as TLSSocket) : undefined);
