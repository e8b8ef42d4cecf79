// HTTP/2 to one server: many streams on few connections. A further connection is opened before the server's limit of
// streams is reached, so a get never waits behind watches. A request that is safe to repeat is sent once more if its connection
// is lost and had answered a request before.
import { type Clock, untilAborted } from "../../base/index.ts";
import type { DialedSocket } from "./dial.ts";
import { closedError, type HttpExchange, type HttpResponse, mayRepeat } from "./http-exchange.ts";
import { Http2Connection } from "./http2-connection.ts";
import { sendOn } from "./http2-stream.ts";

export interface Http2Options {
  readonly server: URL;
  readonly clock: Clock;
  /** Dials a connection that negotiated h2. */
  readonly dial: (signal: AbortSignal) => Promise<DialedSocket>;
}

export class Http2Pool implements AsyncDisposable {
  readonly #options: Http2Options;
  /** Includes connections that accept no new streams but are not closed yet. */
  readonly #connections = new Set<Http2Connection>();
  readonly #served = new WeakSet<Http2Connection>();
  readonly #closing = new AbortController();
  #opening: Promise<void> | undefined;

  constructor(options: Http2Options) {
    this.#options = options;
  }

  /** The number of connections. */
  get size(): number {
    return this.#connections.size;
  }

  /** Takes over a connection that was dialled elsewhere. */
  async adopt(dialed: DialedSocket): Promise<void> {
    const connection = await Http2Connection.open(dialed, this.#options, this.#closing.signal);
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
  }

  /** Sends one request and waits for the head of its response. */
  async request(exchange: HttpExchange, signal: AbortSignal): Promise<HttpResponse> {
    return await this.#attempt(exchange, "first", signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(closedError());
    await this.#opening?.catch(() => {});
    await Promise.all([...this.#connections].map((connection) => connection[Symbol.asyncDispose]()));
  }

  async #attempt(exchange: HttpExchange, turn: "first" | "again", signal: AbortSignal): Promise<HttpResponse> {
    let connection = this.#connectionWithRoom();
    while (connection === undefined) {
      await this.#opened(signal);
      connection = this.#connectionWithRoom();
    }
    const hadServed = this.#served.has(connection);
    try {
      // No await between choosing a connection and counting the stream on it, because other requests choose too.
      const answer = await sendOn(connection, exchange, signal);
      this.#served.add(connection);
      return answer;
    } catch (error) {
      if (turn === "again" || !hadServed || !connection.isLost || !mayRepeat(exchange, error)) throw error;
      return await this.#attempt(exchange, "again", signal);
    }
  }

  #connectionWithRoom(): Http2Connection | undefined {
    this.#closing.signal.throwIfAborted();
    for (const connection of this.#connections) if (connection.hasRoom) return connection;
    return undefined;
  }

  // One dial at a time, shared by all waiting requests, so an aborted request does not stop it.
  async #opened(signal: AbortSignal): Promise<void> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    await untilAborted(this.#opening, signal);
    signal.throwIfAborted();
  }

  async #open(): Promise<void> {
    await this.adopt(await this.#options.dial(this.#closing.signal));
  }
}
