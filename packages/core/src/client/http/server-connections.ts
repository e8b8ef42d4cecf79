// All connections to one server with one TLS identity. ALPN on the first connection decides whether they use HTTP/2 or HTTP/1.1;
// that connection is then used first. If the server later agrees to something else, the next request decides again.
import { TransportError } from "../../api/transport.ts";
import { type Clock, type Deferred, deferred, untilAborted } from "../../base/index.ts";
import { type DialTarget, dial } from "./dial.ts";
import { closedError, type HttpExchange, type HttpResponse } from "./http-exchange.ts";
import { Http1Pool } from "./http1-pool.ts";
import { Http2Pool } from "./http2-pool.ts";

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
  /** All pools that have had a connection; the last one is in use. */
  readonly #pools = new Set<Http1Pool | Http2Pool>();
  #agreed: Http1Pool | Http2Pool | undefined;
  #probing: Promise<void> | undefined;
  #exchanges = 0;
  #retiring: Deferred<void> | undefined;

  constructor(options: ServerConnectionsOptions) {
    this.#options = options;
  }

  /** The number of open HTTP/2 connections. */
  get http2Connections(): number {
    return [...this.#pools].reduce((sum, pool) => sum + (pool instanceof Http2Pool ? pool.size : 0), 0);
  }

  get isIdle(): boolean {
    return this.#exchanges === 0;
  }

  async send(exchange: HttpExchange, signal: AbortSignal): Promise<HttpResponse> {
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

  /** Closes, and resolves, when the running exchanges have ended. The caller must not send new ones from now on. */
  async retire(): Promise<void> {
    if (this.#exchanges > 0) {
      this.#retiring = deferred();
      await this.#retiring.promise;
    }
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(closedError());
    // Including the pool that is being probed, which may wait for HTTP/2 settings that never come.
    await Promise.all([...this.#pools].map((pool) => pool[Symbol.asyncDispose]()));
    await this.#probing?.catch(() => {});
  }

  async #agreedPool(signal: AbortSignal): Promise<Http1Pool | Http2Pool> {
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
        ? new Http2Pool({ server, clock, dial: (signal) => this.#dialHttp2(signal) })
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
