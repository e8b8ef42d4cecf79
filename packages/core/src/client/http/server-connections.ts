// All connections to one server under one TLS identity. The first one decides, by what the server agrees to in the TLS
// handshake, whether they are HTTP/2 or HTTP/1.1; it is then the first that is used.
import type { Readable } from "node:stream";
import type { HttpHeaders } from "../../api/transport.ts";
import { type Clock, untilAborted } from "../../base/index.ts";
import { type DialTarget, dial } from "./dial.ts";
import { Http1Pool } from "./http1-pool.ts";
import { Http2Sessions } from "./http2-sessions.ts";

export type HttpVersion = "1.1" | "2" | "auto";

export interface ServerConnectionsOptions {
  readonly target: Omit<DialTarget, "protocols">;
  readonly version: HttpVersion;
  readonly clock: Clock;
}

export interface HttpExchange {
  readonly method: string;
  /** With query. */
  readonly path: string;
  readonly headers: HttpHeaders;
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

export interface HttpAnswer {
  readonly protocol: "h2" | "http/1.1";
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly stream: Readable;
  /** Ends the exchange, early if need be; may be called twice. */
  readonly end: () => void;
}

type Protocol =
  | { readonly is: "h1"; readonly pool: Http1Pool }
  | { readonly is: "h2"; readonly sessions: Http2Sessions };

const protocolsOf = { "1.1": ["http/1.1"], "2": ["h2"], auto: ["h2", "http/1.1"] } as const;

export class ServerConnections implements AsyncDisposable {
  readonly #options: ServerConnectionsOptions;
  readonly #closing = new AbortController();
  #protocol: Protocol | undefined;
  #probing: Promise<void> | undefined;
  #exchanges = 0;
  #isRetired = false;

  constructor(options: ServerConnectionsOptions) {
    this.#options = options;
  }

  /** HTTP/2 connections that are open; undefined while HTTP/1.1 is spoken or nothing yet. */
  get http2Connections(): number | undefined {
    return this.#protocol?.is === "h2" ? this.#protocol.sessions.size : undefined;
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
      if (--this.#exchanges === 0 && this.#isRetired) void this[Symbol.asyncDispose]();
    };
    try {
      const answer = await this.#exchange(exchange, signal);
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

  /** Takes no new exchanges from now on and closes once those under way have ended. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#exchanges === 0) await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#probing?.catch(() => {});
    if (this.#protocol?.is === "h1") await this.#protocol.pool[Symbol.asyncDispose]();
    if (this.#protocol?.is === "h2") await this.#protocol.sessions[Symbol.asyncDispose]();
  }

  async #exchange(exchange: HttpExchange, signal: AbortSignal): Promise<HttpAnswer> {
    const protocol = await this.#agreed(signal);
    if (protocol.is === "h1") {
      const headers = { host: this.#options.target.server.host, ...toLists(exchange.headers) };
      const { status, headers: answered, stream, end } = await protocol.pool.request({ ...exchange, headers }, signal);
      return { protocol: "http/1.1", status, headers: withoutUndefined(answered), stream, end };
    }
    const outgoing = { ":method": exchange.method, ":path": exchange.path, ...toLists(exchange.headers) };
    const { headers, stream, end } = await protocol.sessions.request(outgoing, exchange.body, signal);
    const { ":status": status, ...rest } = headers;
    return { protocol: "h2", status: Number(status), headers: withoutUndefined(rest), stream, end };
  }

  async #agreed(signal: AbortSignal): Promise<Protocol> {
    while (this.#protocol === undefined) {
      signal.throwIfAborted();
      this.#probing ??= this.#probe().finally(() => {
        this.#probing = undefined;
      });
      await untilAborted(this.#probing, signal);
    }
    return this.#protocol;
  }

  async #probe(): Promise<void> {
    const { target, version, clock } = this.#options;
    const dialWith = (protocols: readonly string[]) => (signal: AbortSignal) =>
      dial({ ...target, protocols }, clock, signal);
    const first = await dialWith(protocolsOf[version])(this.#closing.signal);
    if (first.protocol === "h2") {
      const sessions = new Http2Sessions({ authority: target.server, clock, dial: dialWith(["h2"]) });
      await sessions.adopt(first);
      this.#protocol = { is: "h2", sessions };
    } else {
      const pool = new Http1Pool({ origin: target.server.origin, dial: dialWith(["http/1.1"]) });
      pool.adopt(first);
      this.#protocol = { is: "h1", pool };
    }
  }
}

function toLists(headers: HttpHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]]),
  );
}

function withoutUndefined(headers: Readonly<Record<string, string | string[] | undefined>>): HttpHeaders {
  const kept: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) kept[name] = value;
  return kept;
}
