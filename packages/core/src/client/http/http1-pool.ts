// HTTP/1.1 to one server: kept-alive connections with one exchange each at a time, as many connections as exchanges. undici implements
// the protocol on each; it takes longer to load than everything else here, so it is loaded with the first connection.
//
// A server may close a kept-alive connection at the moment it is reused. Requests that are safe to repeat are then sent again on
// a new connection, and the caller does not notice.
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Client, Dispatcher } from "undici";
import { TransportError } from "../../api/transport.ts";
import { type Clock, childSignal, onAbort } from "../../base/index.ts";
import type { DialedSocket } from "./dial.ts";
import {
  closedError,
  type HttpAnswer,
  type HttpExchange,
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

interface Lane {
  readonly socket: Socket;
  readonly client: Client;
  readonly request: (options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
  readonly complaint: DialedSocket["complaint"];
  /** Whether it was idle: then it may be dead without being noticed. */
  wasIdle: boolean;
}

const neverSent = "the connection was gone before the request was sent";

export class Http1Pool implements AsyncDisposable {
  readonly #options: Http1Options;
  readonly #closing = new AbortController();
  readonly #lanes = new Set<Lane>();
  // The most recently used connection is reused first, so that the others become idle and time out.
  readonly #idle: Lane[] = [];

  constructor(options: Http1Options) {
    this.#options = options;
  }

  /** The number of connections. */
  get size(): number {
    return this.#lanes.size;
  }

  /** Adds a connection that was dialled elsewhere, for the next request. It has not been idle yet. */
  async adopt(dialed: DialedSocket): Promise<void> {
    const lane = await this.#toLane(dialed);
    lane.socket.unref();
    if (!lane.socket.destroyed) this.#idle.push(lane);
  }

  async request(exchange: HttpExchange, signal: AbortSignal): Promise<HttpAnswer> {
    this.#closing.signal.throwIfAborted();
    const lane = this.#takeIdle() ?? (await this.#open(signal));
    const { wasIdle } = lane;
    try {
      return await this.#exchangeOn(lane, exchange, signal);
    } catch (error) {
      if (!wasIdle || !mayRepeat(exchange, error)) throw error;
      return await this.#exchangeOn(await this.#open(signal), exchange, signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(closedError());
    await Promise.all([...this.#lanes].map((lane) => closeLane(lane)));
  }

  #takeIdle(): Lane | undefined {
    for (let lane = this.#idle.pop(); lane !== undefined; lane = this.#idle.pop()) {
      if (!lane.socket.destroyed) return lane;
    }
    return undefined;
  }

  // A connection for this caller only, so that aborting it does not affect others.
  async #open(signal: AbortSignal): Promise<Lane> {
    using limit = childSignal(signal);
    using _closing = onAbort(this.#closing.signal, (reason) => limit.abort(reason));
    return await this.#toLane(await this.#options.dial(limit.signal));
  }

  async #toLane({ socket, complaint }: DialedSocket): Promise<Lane> {
    const { Client, request } = await loadUndiciParts();
    let isHandedOver = false;
    const client = new Client(this.#options.server.origin, {
      connect: (_options, callback) => {
        // undici would reconnect by itself when the socket has closed; here a lane ends with its socket. undici also does
        // not handle a response that arrives before the request was completely sent.
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
    const lane: Lane = {
      socket,
      client,
      request: (options) => request(client, options),
      complaint,
      wasIdle: false,
    };
    this.#lanes.add(lane);
    socket.once("close", () => this.#drop(lane));
    if (this.#closing.signal.aborted) {
      await closeLane(lane);
      throw this.#closing.signal.reason;
    }
    return lane;
  }

  #drop(lane: Lane): void {
    this.#lanes.delete(lane);
    const at = this.#idle.indexOf(lane);
    if (at !== -1) this.#idle.splice(at, 1);
  }

  #keep(lane: Lane): void {
    if (lane.socket.destroyed) return;
    lane.wasIdle = true;
    this.#idle.push(lane);
  }

  /** Resolves with the head of the response; the reader of the body handles what comes after it. */
  #silenceOf({ silenceMs }: HttpExchange, onSilent: () => void): SilenceLimit | undefined {
    if (silenceMs === undefined) return undefined;
    const silence = new SilenceLimit({ clock: this.#options.clock, limitMs: silenceMs }, onSilent);
    silence.wait();
    return silence;
  }

  async #exchangeOn(lane: Lane, exchange: HttpExchange, signal: AbortSignal): Promise<HttpAnswer> {
    // undici listens on its signal as long as the response lasts; a child signal keeps that listener off the caller's signal.
    const child = childSignal(signal);
    using silence = this.#silenceOf(exchange, () => child.abort());
    try {
      const { statusCode, headers, body } = await lane.request({
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
        this.#keep(lane);
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
      void closeLane(lane);
      signal.throwIfAborted();
      silence?.throwIfSilent();
      throw this.#closing.signal.aborted ? closedError("maybe") : toTransportError(cause, lane);
    }
  }
}

async function closeLane({ client, socket }: Lane): Promise<void> {
  await client.destroy(closedError());
  socket.destroy();
}

function toBody(body: HttpExchange["body"]): Uint8Array | Readable | null {
  if (body === undefined) return null;
  return body instanceof Uint8Array ? body : Readable.from(body);
}

function toTransportError(cause: unknown, { complaint }: Lane): TransportError {
  const { message, code }: NodeJS.ErrnoException = cause instanceof Error ? cause : new Error(String(cause));
  if (code === "UND_ERR_INVALID_ARG") {
    return new TransportError(`not a request: ${message}`, { reason: "Invalid", wasSent: "no", cause });
  }
  const wasSent = message === neverSent ? "no" : "maybe";
  // The socket's error is more precise than undici's: a TLS alert, a reset.
  const why = code === "UND_ERR_SOCKET" ? (complaint()?.message.trim() ?? message) : message;
  return new TransportError(`no answer: ${why}`, {
    reason: "ConnectionLost",
    wasSent,
    cause,
  });
}
