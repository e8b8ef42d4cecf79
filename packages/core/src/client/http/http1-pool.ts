// HTTP/1.1 to one server: kept-alive connections with one exchange each at a time, as many connections as exchanges. undici
// implements the protocol on each; it takes longer to load than everything else here, so it is loaded with the first connection.
//
// A server may close a kept-alive connection at the moment it is reused. A request that is safe to repeat is then sent once more
// on a new connection, and the caller does not notice.
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Client, Dispatcher } from "undici";
import { TransportError } from "../../api/transport.ts";
import { type Clock, childSignal, onAbort } from "../../base/index.ts";
import type { DialedSocket } from "./dial.ts";
import {
  closedError,
  type HttpExchange,
  type HttpResponse,
  mayRepeat,
  toLists,
  withoutUndefined,
} from "./http-exchange.ts";
import { SilenceLimit } from "./silence-limit.ts";
import { loadUndiciParts } from "./undici-parts.ts";

export interface Http1Options {
  readonly server: URL;
  readonly clock: Clock;
  readonly dial: (signal: AbortSignal) => Promise<DialedSocket>;
}

interface PooledConnection {
  readonly socket: Socket;
  readonly client: Client;
  readonly request: (options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
  readonly lastError: DialedSocket["lastError"];
  /** Whether it was idle: then it may be dead without being noticed. */
  wasIdle: boolean;
}

const neverSent = "the connection was gone before the request was sent";

export class Http1Pool implements AsyncDisposable {
  readonly #options: Http1Options;
  readonly #closing = new AbortController();
  readonly #connections = new Set<PooledConnection>();
  // The most recently used connection is reused first, so that the others stay idle and time out.
  readonly #idle: PooledConnection[] = [];

  constructor(options: Http1Options) {
    this.#options = options;
  }

  /** The number of connections. */
  get size(): number {
    return this.#connections.size;
  }

  /** Adds a connection that was dialled elsewhere, for the next request. It has not been idle yet. */
  async adopt(dialed: DialedSocket): Promise<void> {
    const connection = await this.#toConnection(dialed);
    connection.socket.unref();
    if (!connection.socket.destroyed) this.#idle.push(connection);
  }

  async request(exchange: HttpExchange, signal: AbortSignal): Promise<HttpResponse> {
    this.#closing.signal.throwIfAborted();
    const connection = this.#takeIdle() ?? (await this.#open(signal));
    const { wasIdle } = connection;
    try {
      return await this.#exchangeOn(connection, exchange, signal);
    } catch (error) {
      if (!wasIdle || !mayRepeat(exchange, error)) throw error;
      return await this.#exchangeOn(await this.#open(signal), exchange, signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(closedError());
    await Promise.all([...this.#connections].map((connection) => closeConnection(connection)));
  }

  #takeIdle(): PooledConnection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (!connection.socket.destroyed) return connection;
    }
    return undefined;
  }

  // A connection for this caller only, so that aborting it does not affect others.
  async #open(signal: AbortSignal): Promise<PooledConnection> {
    using limit = childSignal(signal);
    using _closing = onAbort(this.#closing.signal, (reason) => limit.abort(reason));
    return await this.#toConnection(await this.#options.dial(limit.signal));
  }

  async #toConnection({ socket, lastError }: DialedSocket): Promise<PooledConnection> {
    const { Client, request } = await loadUndiciParts();
    let isHandedOver = false;
    const client = new Client(this.#options.server.origin, {
      connect: (_options, callback) => {
        // undici would reconnect by itself when the socket has closed; here a connection ends with its socket. undici also
        // misses a callback that is called before `connect` has returned, so it is called in a microtask.
        queueMicrotask(() => {
          if (isHandedOver || socket.destroyed) return callback(new Error(neverSent), null);
          isHandedOver = true;
          socket.ref();
          callback(null, socket as never);
        });
      },
      pipelining: 1,
      // A quiet watch is not dead, and deadlines are set by the caller.
      bodyTimeout: 0,
      headersTimeout: 0,
      keepAliveTimeout: 30_000,
      maxHeaderSize: 64 * 1024,
    });
    const connection: PooledConnection = {
      socket,
      client,
      request: (options) => request(client, options),
      lastError,
      wasIdle: false,
    };
    this.#connections.add(connection);
    socket.once("close", () => this.#drop(connection));
    if (this.#closing.signal.aborted) {
      await closeConnection(connection);
      throw this.#closing.signal.reason;
    }
    return connection;
  }

  #drop(connection: PooledConnection): void {
    this.#connections.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
  }

  #keep(connection: PooledConnection): void {
    if (connection.socket.destroyed) return;
    connection.wasIdle = true;
    this.#idle.push(connection);
  }

  /** The limit until the head of the response has arrived; after that, the reader of the body has its own limit. */
  #silenceOf({ silenceMs }: HttpExchange, onSilent: () => void): SilenceLimit | undefined {
    if (silenceMs === undefined) return undefined;
    const silence = new SilenceLimit({ clock: this.#options.clock, limitMs: silenceMs }, onSilent);
    silence.wait();
    return silence;
  }

  async #exchangeOn(connection: PooledConnection, exchange: HttpExchange, signal: AbortSignal): Promise<HttpResponse> {
    // undici listens on its signal as long as the response lasts; a child signal keeps that listener off the caller's signal.
    const child = childSignal(signal);
    using silence = this.#silenceOf(exchange, () => child.abort());
    try {
      const { statusCode, headers, body } = await connection.request({
        method: exchange.method as Dispatcher.HttpMethod,
        path: exchange.path,
        headers: { host: this.#options.server.host, ...toLists(exchange.headers) },
        body: toBody(exchange.body),
        signal: child.signal,
        // undici would close the connection after a DELETE with a body.
        reset: false,
      });
      const letGo = () => child[Symbol.dispose]();
      // A body that is no longer read still emits an error if it is cut off; ignore it.
      body.on("error", () => {});
      body.once("close", () => {
        letGo();
        this.#keep(connection);
      });
      const end = () => {
        letGo();
        body.destroy();
      };
      const isCutOff = () => false;
      return {
        protocol: "http/1.1",
        status: statusCode,
        headers: withoutUndefined(headers),
        stream: body,
        isCutOff,
        end,
      };
    } catch (cause) {
      child[Symbol.dispose]();
      void closeConnection(connection);
      signal.throwIfAborted();
      silence?.throwIfSilent();
      throw this.#closing.signal.aborted ? closedError("maybe") : toTransportError(cause, connection);
    }
  }
}

async function closeConnection({ client, socket }: PooledConnection): Promise<void> {
  await client.destroy(closedError());
  socket.destroy();
}

function toBody(body: HttpExchange["body"]): Uint8Array | Readable | null {
  if (body === undefined) return null;
  return body instanceof Uint8Array ? body : Readable.from(body);
}

function toTransportError(cause: unknown, { lastError }: PooledConnection): TransportError {
  const { message, code }: NodeJS.ErrnoException = cause instanceof Error ? cause : new Error(String(cause));
  if (code === "UND_ERR_INVALID_ARG") {
    return new TransportError(`not a request: ${message}`, { reason: "Invalid", wasSent: "no", cause });
  }
  const wasSent = message === neverSent ? "no" : "maybe";
  // The socket's error is more precise than undici's: a TLS alert, a reset.
  const why = code === "UND_ERR_SOCKET" ? (lastError()?.message.trim() ?? message) : message;
  return new TransportError(`no answer: ${why}`, {
    reason: "ConnectionLost",
    wasSent,
    cause,
  });
}
