// All connections to one server under one TLS identity. The first one decides, by what the server agrees to in the TLS
// handshake, whether they are HTTP/2 or HTTP/1.1; it is then the first that is used. Should the server agree to something
// else later, the next request decides anew.
import { TransportError } from "../../api/transport.ts";
import { type Clock, type Deferred, deferred, untilAborted } from "../../base/index.ts";
import { type DialTarget, dial } from "./dial.ts";
import { closedError, type HttpAnswer, type HttpExchange } from "./http-exchange.ts";
import { Http1Pool } from "./http1-pool.ts";
import { Http2Sessions } from "./http2-sessions.ts";

export type HttpVersion = "1.1" | "2" | "auto";

export interface ServerConnectionsOptions {
  readonly target: Omit<DialTarget, "protocols">;
  readonly version: HttpVersion;
  readonly clock: Clock;
}

const protocolsOf = { "1.1": ["http/1.1"], "2": ["h2"], auto: ["h2", "http/1.1"] } as const;

export class ServerConnections implements AsyncDisposable {
  readonly #options: ServerConnectionsOptions;
  readonly #closing = new AbortController();
  /** All that have had a connection; the last one is in use. */
  readonly #pools = new Set<Http1Pool | Http2Sessions>();
  #agreed: Http1Pool | Http2Sessions | undefined;
  #probing: Promise<void> | undefined;
  #exchanges = 0;
  #retiring: Deferred<void> | undefined;

  constructor(options: ServerConnectionsOptions) {
    this.#options = options;
  }

  /** HTTP/2 connections that are open. */
  get http2Connections(): number {
    return [...this.#pools].reduce((sum, pool) => sum + (pool instanceof Http2Sessions ? pool.size : 0), 0);
  }

  get isIdle(): boolean {
    return this.#exchanges === 0;
  }

  async send(exchange: HttpExchange, signal: AbortSignal): Promise<HttpAnswer> {
    this.#exchanges++;
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      if (--this.#exchanges === 0) this.#retiring?.resolve();
    };
    try {
      const pool = await this.#agreedPool(signal);
      const answer = await pool.request(exchange, signal);
      const end = () => {
        answer.end();
        over();
      };
      return { ...answer, end };
    } catch (error) {
      over();
      throw error;
    }
  }

  /** To be given no new exchanges from now on: closes once those under way have ended, and resolves then. */
  async retire(): Promise<void> {
    if (this.#exchanges > 0) {
      this.#retiring = deferred();
      await this.#retiring.promise;
    }
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(closedError());
    // The pool that is being probed among them: it may be waiting for a greeting that never comes.
    await Promise.all([...this.#pools].map((pool) => pool[Symbol.asyncDispose]()));
    await this.#probing?.catch(() => {});
  }

  async #agreedPool(signal: AbortSignal): Promise<Http1Pool | Http2Sessions> {
    while (this.#agreed === undefined) {
      signal.throwIfAborted();
      this.#closing.signal.throwIfAborted();
      this.#probing ??= this.#probe().finally(() => {
        this.#probing = undefined;
      });
      await untilAborted(this.#probing, signal);
    }
    return this.#agreed;
  }

  async #probe(): Promise<void> {
    const { target, version, clock } = this.#options;
    const { server } = target;
    const first = await this.#dial(protocolsOf[version], this.#closing.signal);
    if (this.#closing.signal.aborted) {
      first.socket.destroy();
      throw this.#closing.signal.reason;
    }
    const pool =
      first.protocol === "h2"
        ? new Http2Sessions({ server, clock, dial: (signal) => this.#dialHttp2(signal) })
        : new Http1Pool({ server, clock, dial: (signal) => this.#dial(["http/1.1"], signal) });
    this.#pools.add(pool);
    try {
      await pool.adopt(first);
    } catch (error) {
      this.#pools.delete(pool);
      throw error;
    }
    this.#agreed = pool;
  }

  async #dialHttp2(signal: AbortSignal) {
    const dialed = await this.#dial(protocolsOf[this.#options.version], signal);
    if (dialed.protocol === "h2") return dialed;
    dialed.socket.destroy();
    this.#agreed = undefined;
    throw new TransportError("the server no longer offers HTTP/2", { reason: "ConnectFailed", wasSent: "no" });
  }

  #dial(protocols: readonly string[], signal: AbortSignal) {
    const { target, clock } = this.#options;
    return dial({ ...target, protocols }, clock, signal);
  }
}
