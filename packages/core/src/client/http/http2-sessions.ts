// HTTP/2 to one server: many streams on few connections. A further connection is opened before the server's limit of
// streams is reached, so a get never waits behind watches. A dead connection is noticed by ping: one every 30 s, answered
// within 15 s, or everything on it breaks off. A connection the server wants to close (GOAWAY) gets no new streams and ends
// with its last one. Idle connections do not keep the process alive.
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import { TransportError } from "../../api/transport.ts";
import { type Clock, onAbort, untilAborted } from "../../base/index.ts";
import type { DialedSocket } from "./dial.ts";

export interface Http2Options {
  readonly authority: URL;
  readonly clock: Clock;
  /** A connection that has agreed on h2. */
  readonly dial: (signal: AbortSignal) => Promise<DialedSocket>;
}

export interface Http2Answer {
  readonly headers: IncomingHttpHeaders;
  readonly stream: ClientHttp2Stream;
  /** Ends the exchange, telling the server if its answer is not wanted any more. */
  readonly end: () => void;
}

const pingEveryMs = 30_000;
const pingTimeoutMs = 15_000;
/** What kube-apiserver allows unless told otherwise; assumed until the server has said. */
const assumedStreamLimit = 100;
const streamWindowBytes = 1024 * 1024;
const connectionWindowBytes = 128 * 1024 * 1024;

interface Lane {
  readonly session: ClientHttp2Session;
  streams: number;
  streamLimit: number;
}

export class Http2Sessions implements AsyncDisposable {
  readonly #options: Http2Options;
  readonly #lanes = new Set<Lane>();
  readonly #closing = new AbortController();
  #opening: Promise<void> | undefined;

  constructor(options: Http2Options) {
    this.#options = options;
  }

  /** How many connections there are, for tests and metrics. */
  get size(): number {
    return this.#lanes.size;
  }

  /** Starts to use a connection that was dialled elsewhere. */
  async adopt(dialed: DialedSocket): Promise<void> {
    const { connect } = await import("node:http2");
    const session = connect(this.#options.authority.origin, {
      createConnection: () => dialed.socket,
      settings: { enablePush: false, initialWindowSize: streamWindowBytes, maxFrameSize: 1024 * 1024 },
      maxSessionMemory: 1000,
      peerMaxConcurrentStreams: assumedStreamLimit,
    });
    const lane: Lane = { session, streams: 0, streamLimit: toLimit(assumedStreamLimit) };
    session.setMaxListeners(0);
    session.once("connect", () => session.setLocalWindowSize(connectionWindowBytes));
    session.on("remoteSettings", (settings) => {
      lane.streamLimit = toLimit(settings.maxConcurrentStreams ?? assumedStreamLimit);
    });
    // Streams report what ended them; the session's own error says nothing more, but must be heard.
    session.on("error", () => {});
    session.on("goaway", () => this.#lanes.delete(lane));
    const pings = this.#keepPinging(session);
    session.once("close", () => {
      pings[Symbol.dispose]();
      this.#lanes.delete(lane);
    });
    session.unref();
    this.#lanes.add(lane);
  }

  /** Sends one request and waits for the head of its answer. */
  async request(
    headers: OutgoingHttpHeaders,
    body: Uint8Array | AsyncIterable<Uint8Array> | undefined,
    signal: AbortSignal,
  ): Promise<Http2Answer> {
    const lane = await this.#reserveStream(signal);
    let stream: ClientHttp2Stream;
    try {
      stream = lane.session.request(headers, { endStream: body === undefined });
    } catch (cause) {
      this.#giveBack(lane);
      this.#lanes.delete(lane);
      throw new TransportError("the connection was gone", { reason: "ConnectionLost", wasSent: "no", cause });
    }
    stream.once("close", () => this.#giveBack(lane));
    return await this.#answerOf(stream, body, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new TransportError("the client was closed", { reason: "Closed", wasSent: "no" }));
    await this.#opening?.catch(() => {});
    const sessions = [...this.#lanes].map((lane) => lane.session);
    await Promise.all(
      sessions.map((session) => {
        const closed = new Promise<void>((resolve) => session.once("close", () => resolve()));
        session.destroy();
        return closed;
      }),
    );
  }

  // Counted in the same turn as it is chosen: between choosing and sending, others choose too.
  async #reserveStream(signal: AbortSignal): Promise<Lane> {
    for (;;) {
      signal.throwIfAborted();
      this.#closing.signal.throwIfAborted();
      for (const lane of this.#lanes) {
        const isUsable = !lane.session.closed && !lane.session.destroyed;
        if (!isUsable || lane.streams >= lane.streamLimit) continue;
        if (lane.streams++ === 0) lane.session.ref();
        return lane;
      }
      // One connection at a time for all who wait; it is dialled for everybody, so one who gives up does not stop it.
      this.#opening ??= this.#open().finally(() => {
        this.#opening = undefined;
      });
      await untilAborted(this.#opening, signal);
    }
  }

  #giveBack(lane: Lane): void {
    if (--lane.streams === 0) lane.session.unref();
  }

  async #open(): Promise<void> {
    const dialed = await this.#options.dial(this.#closing.signal);
    if (dialed.protocol === "h2") return await this.adopt(dialed);
    dialed.socket.destroy();
    throw new TransportError("the server no longer offers HTTP/2", { reason: "ConnectFailed", wasSent: "no" });
  }

  #answerOf(
    stream: ClientHttp2Stream,
    body: Uint8Array | AsyncIterable<Uint8Array> | undefined,
    signal: AbortSignal,
  ): Promise<Http2Answer> {
    return new Promise((resolve, reject) => {
      let error: Error | undefined;
      const settle = (finish: () => void) => {
        watch[Symbol.dispose]();
        stream.off("response", answered).off("close", closed);
        finish();
      };
      const answered = (headers: IncomingHttpHeaders) =>
        settle(() => resolve({ headers, stream, end: () => cancel(stream) }));
      const closed = () => settle(() => reject(toTransportError(stream, error)));
      // Also after the answer has begun: the reader sees the error through the stream itself.
      stream.on("error", (cause: Error) => {
        error = cause;
      });
      stream.on("response", answered).on("close", closed);
      const watch = onAbort(signal, (reason) =>
        settle(() => {
          cancel(stream);
          reject(reason);
        }),
      );
      if (body instanceof Uint8Array) stream.end(body);
      else if (body !== undefined) void sendAll(body, stream);
    });
  }

  #keepPinging(session: ClientHttp2Session): Disposable {
    const clock = this.#options.clock.labelled({ kind: "background", name: "HTTP/2 ping" });
    let timer: Disposable = clock.after(pingEveryMs, ping);
    function ping() {
      if (session.destroyed) return;
      timer = clock.after(pingTimeoutMs, () => session.destroy(new Error("a ping was not answered")));
      const isSent = session.ping((error) => {
        timer[Symbol.dispose]();
        if (error === null && !session.destroyed) timer = clock.after(pingEveryMs, ping);
      });
      // Too many pings are under way: none of them answered.
      if (!isSent) session.destroy(new Error("pings were not answered"));
    }
    return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }
}

// Some room is kept, because our count and the server's do not change at the same instant.
function toLimit(serverLimit: number): number {
  return Math.max(1, Math.floor(Math.min(serverLimit, 1000) * 0.9));
}

const cancelled = 8; // NGHTTP2_CANCEL

function cancel(stream: ClientHttp2Stream): void {
  if (!stream.closed) stream.close(cancelled);
  stream.destroy();
}

const refusedStream = 7; // NGHTTP2_REFUSED_STREAM

function toTransportError(stream: ClientHttp2Stream, cause: Error | undefined): TransportError {
  const wasSent = stream.pending || stream.id === undefined || stream.rstCode === refusedStream ? "no" : "maybe";
  const message = cause?.message ?? `the server ended the stream with code ${stream.rstCode}`;
  return new TransportError(`no answer: ${message}`, { reason: "ConnectionLost", wasSent, cause });
}

async function sendAll(body: AsyncIterable<Uint8Array>, stream: ClientHttp2Stream): Promise<void> {
  try {
    for await (const chunk of body) {
      if (!stream.write(chunk))
        await new Promise<void>((resolve) => stream.once("drain", resolve).once("close", resolve));
      if (stream.destroyed) return;
    }
    stream.end();
  } catch (error) {
    stream.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}
