// HTTP/1.1 to one server, over undici: kept-alive connections, one exchange each at a time, as many as there are exchanges.
// undici costs more to load than all else here, so it is loaded when the first request needs it.
import { Readable } from "node:stream";
import type { Dispatcher, Pool } from "undici";
import { TransportError } from "../../api/transport.ts";
import { childSignal, type Deferred, deferred, isAborted } from "../../base/index.ts";
import type { DialedSocket } from "./dial.ts";

export interface Http1Request {
  readonly method: string;
  /** With query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

export interface Http1Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly stream: Readable;
  /** Ends the exchange; a connection whose answer was not read to its end is closed. */
  readonly end: () => void;
}

export interface Http1Options {
  readonly origin: string;
  readonly dial: (signal: AbortSignal) => Promise<DialedSocket>;
}

export class Http1Pool implements AsyncDisposable {
  readonly #options: Http1Options;
  readonly #closing = new AbortController();
  #spare: DialedSocket | undefined;
  #pool: Deferred<Pool> | undefined;

  constructor(options: Http1Options) {
    this.#options = options;
  }

  /** Keeps a connection that was dialled elsewhere for the next request that needs one. */
  adopt(dialed: DialedSocket): void {
    this.#spare = dialed;
  }

  async request(request: Http1Request, signal: AbortSignal): Promise<Http1Answer> {
    const pool = await this.#ready();
    // undici listens on the signal it is given for as long as the answer lasts; a child keeps that off the caller's.
    const child = childSignal(signal);
    try {
      const { statusCode, headers, body } = await pool.request({
        method: request.method as Dispatcher.HttpMethod,
        path: request.path,
        headers: request.headers,
        body: request.body === undefined ? null : toBody(request.body),
        signal: child.signal,
      });
      const end = () => {
        child[Symbol.dispose]();
        body.destroy();
      };
      // A body that nobody reads any more still reports that it was cut off.
      body.on("error", () => {});
      return { status: statusCode, headers, stream: body, end };
    } catch (cause) {
      child[Symbol.dispose]();
      if (isAborted(cause, signal)) throw signal.reason;
      throw cause instanceof TransportError ? cause : toTransportError(cause);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new TransportError("the client was closed", { reason: "Closed", wasSent: "no" }));
    this.#spare?.socket.destroy();
    const pool = await this.#pool?.promise;
    await pool?.destroy();
  }

  #ready(): Promise<Pool> {
    if (this.#pool === undefined) {
      this.#pool = deferred<Pool>();
      this.#pool.resolve(this.#open());
    }
    return this.#pool.promise;
  }

  async #open(): Promise<Pool> {
    const { Pool } = await import("undici");
    return new Pool(this.#options.origin, {
      connect: (_options, callback) => {
        this.#connect().then(
          (socket) => callback(null, socket as never),
          (error: Error) => callback(error, null),
        );
      },
      pipelining: 1,
      // Quiet watches are not dead ones, and deadlines are the caller's.
      bodyTimeout: 0,
      headersTimeout: 0,
      keepAliveTimeout: 30_000,
      maxHeaderSize: 64 * 1024,
    });
  }

  async #connect() {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined && !spare.socket.destroyed) return spare.socket;
    return (await this.#options.dial(this.#closing.signal)).socket;
  }
}

function toBody(body: Uint8Array | AsyncIterable<Uint8Array>): Uint8Array | Readable {
  return body instanceof Uint8Array ? body : Readable.from(body);
}

function toTransportError(cause: unknown): TransportError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new TransportError(`no answer: ${message}`, { reason: "ConnectionLost", wasSent: "maybe", cause });
}
