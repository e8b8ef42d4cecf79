// One HTTP/2 connection and the streams on it. It knows how many streams the server allows and keeps some room, keeps the
// process alive only while it has streams, and takes no new ones once the server wants to close it (GOAWAY); then it ends
// with its last stream.
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import { TransportError } from "../../api/transport.ts";
import { type Clock, timeoutSignal, untilAborted } from "../../base/index.ts";
import type { DialedSocket } from "./dial.ts";
import { closedError } from "./http-exchange.ts";
import { Http2Pings } from "./http2-pings.ts";

/** What kube-apiserver allows unless told otherwise. More on one connection gains nothing. */
const mostStreams = 100;
const streamWindowBytes = 1024 * 1024;
/** Room for every stream's window, so that no slow reader holds up the others. */
const connectionWindowBytes = 2 * mostStreams * streamWindowBytes;
const settingsTimeoutMs = 10_000;
const noError = 0; // NGHTTP2_NO_ERROR

export interface Http2LaneOptions {
  readonly server: URL;
  readonly clock: Clock;
}

export class Http2Lane implements AsyncDisposable {
  readonly #session: ClientHttp2Session;
  readonly #pings: Http2Pings;
  /** Settles when the connection has closed. */
  readonly closed: Promise<void>;
  #streams = 0;
  #isLeaving = false;

  private constructor(session: ClientHttp2Session, { socket }: DialedSocket, clock: Clock) {
    this.#session = session;
    this.#pings = new Http2Pings(session, clock);
    session.setMaxListeners(0);
    // Streams report what ended them; the session's own error says nothing more, but must be heard.
    session.on("error", () => {});
    session.on("goaway", () => {
      this.#isLeaving = true;
    });
    // After an alert of TLS, Node's session waits for a socket that nobody closes.
    socket.once("error", () => socket.destroy());
    this.closed = new Promise((resolve) => {
      const close = () => {
        this.#pings[Symbol.dispose]();
        session.destroy();
        socket.destroy();
        resolve();
      };
      session.once("close", close);
      socket.once("close", close);
    });
  }

  /** Greets the server on a connection that has agreed on h2, and waits for its settings: they hold its limit of streams. */
  static async open(dialed: DialedSocket, options: Http2LaneOptions, signal: AbortSignal): Promise<Http2Lane> {
    const { connect } = await import("node:http2");
    const { socket } = dialed;
    // A session on a socket that is gone already would never say so.
    if (socket.destroyed) throw greetingError(dialed.complaint());
    const session = connect(options.server.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindowBytes, maxFrameSize: 1024 * 1024 },
      maxSessionMemory: 1000,
      peerMaxConcurrentStreams: mostStreams,
    });
    session.once("connect", () => session.setLocalWindowSize(connectionWindowBytes));
    const lane = new Http2Lane(session, dialed, options.clock);
    const settings = new Promise<"settled">((resolve) => session.once("remoteSettings", () => resolve("settled")));
    const gone = lane.closed.then(() => "gone" as const);
    using limit = timeoutSignal(signal, settingsTimeoutMs, { clock: options.clock, what: "the HTTP/2 greeting" });
    try {
      const outcome = await untilAborted(Promise.race([settings, gone]), limit.signal);
      if (outcome === "gone") throw greetingError(dialed.complaint());
    } catch (cause) {
      session.destroy();
      signal.throwIfAborted();
      throw cause instanceof TransportError ? cause : greetingError(cause);
    }
    session.unref();
    return lane;
  }

  /** Whether it is closed, or about to be. */
  get isLost(): boolean {
    return this.#isLeaving || this.#session.closed || this.#session.destroyed;
  }

  get hasRoom(): boolean {
    return !this.isLost && this.#streams < this.#streamLimit;
  }

  /** A new stream. Throws what is wrong with the headers, or that the connection is gone. */
  request(headers: OutgoingHttpHeaders, options: { readonly endStream: boolean }): ClientHttp2Stream {
    const stream = this.#session.request(headers, options);
    if (this.#streams++ === 0) {
      this.#session.ref();
      this.#pings.resume();
    }
    stream.once("close", () => {
      if (--this.#streams > 0) return;
      this.#session.unref();
      this.#pings.pause();
    });
    return stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // With an error, or Node would let those who read believe that all had been said.
    this.#session.destroy(closedError(), noError);
    await this.closed;
  }

  // Some room is kept, because our count and the server's do not change at the same instant.
  get #streamLimit(): number {
    const { maxConcurrentStreams = mostStreams } = this.#session.remoteSettings;
    return Math.max(1, Math.floor(Math.min(maxConcurrentStreams, mostStreams) * 0.9));
  }
}

function greetingError(cause: unknown): TransportError {
  const message = cause instanceof Error ? cause.message.trim() : "closed by the other side";
  return new TransportError(`the HTTP/2 greeting failed: ${message}`, {
    reason: "ConnectFailed",
    wasSent: "no",
    cause,
  });
}
