// HTTP/2 to one server: many streams on few connections. A further connection is opened before the server's limit of
// streams is reached, so a get never waits behind watches. Requests that are safe to repeat are sent again if a connection that
// was used before is lost.
import { type Clock, untilAborted } from "../../base/index.ts";
import type { DialedSocket } from "./dial.ts";
import { closedError, type HttpAnswer, type HttpExchange, mayRepeat } from "./http-exchange.ts";
import { Http2Lane } from "./http2-lane.ts";
import { sendOn } from "./http2-stream.ts";

export interface Http2Options {
  readonly server: URL;
  readonly clock: Clock;
  /** Dials a connection that negotiated h2. */
  readonly dial: (signal: AbortSignal) => Promise<DialedSocket>;
}

export class Http2Sessions implements AsyncDisposable {
  readonly #options: Http2Options;
  /** Includes connections that accept no new streams but are not closed yet. */
  readonly #lanes = new Set<Http2Lane>();
  readonly #served = new WeakSet<Http2Lane>();
  readonly #closing = new AbortController();
  #opening: Promise<void> | undefined;

  constructor(options: Http2Options) {
    this.#options = options;
  }

  /** The number of connections. */
  get size(): number {
    return this.#lanes.size;
  }

  /** Uses a connection that was dialled elsewhere. */
  async adopt(dialed: DialedSocket): Promise<void> {
    const lane = await Http2Lane.open(dialed, this.#options, this.#closing.signal);
    this.#lanes.add(lane);
    void lane.closed.then(() => this.#lanes.delete(lane));
  }

  /** Sends one request and waits for the head of its response. */
  async request(exchange: HttpExchange, signal: AbortSignal): Promise<HttpAnswer> {
    return await this.#attempt(exchange, "first", signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(closedError());
    await this.#opening?.catch(() => {});
    await Promise.all([...this.#lanes].map((lane) => lane[Symbol.asyncDispose]()));
  }

  async #attempt(exchange: HttpExchange, turn: "first" | "again", signal: AbortSignal): Promise<HttpAnswer> {
    let lane = this.#laneWithRoom();
    while (lane === undefined) {
      await this.#opened(signal);
      lane = this.#laneWithRoom();
    }
    const hadServed = this.#served.has(lane);
    try {
      // No await between choosing a lane and counting the stream on it, because other requests choose too.
      const answer = await sendOn(lane, exchange, signal);
      this.#served.add(lane);
      return answer;
    } catch (error) {
      if (turn === "again" || !hadServed || !lane.isLost || !mayRepeat(exchange, error)) throw error;
      return await this.#attempt(exchange, "again", signal);
    }
  }

  #laneWithRoom(): Http2Lane | undefined {
    this.#closing.signal.throwIfAborted();
    for (const lane of this.#lanes) if (lane.hasRoom) return lane;
    return undefined;
  }

  // One dial at a time for all waiting requests; an aborted request does not stop it.
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
