// One HTTP/2 connection and its streams. It stays below the server's limit of streams with some reserve, keeps the process alive
// only while it has streams, and accepts no new ones after the server's GOAWAY; then it closes after its last stream.
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import { TransportError } from "../../api/transport.ts";
import { type Clock, timeoutSignal, untilAborted } from "../../base/index.ts";
import type { DialedSocket } from "./dial.ts";
import { closedError } from "./http-exchange.ts";
import { Http2Pings } from "./http2-pings.ts";

/** The default of kube-apiserver. More streams on one connection gain nothing. */
const maxStreams = 100;
const streamWindowBytes = 1024 * 1024;
/** Large enough for every stream's window, so that no slow reader delays the others. */
const connectionWindowBytes = 2 * maxStreams * streamWindowBytes;
const settingsTimeoutMs = 10_000;
const noError = 0; // NGHTTP2_NO_ERROR

export interface Http2ConnectionOptions {
  readonly server: URL;
  readonly clock: Clock;
}

export class Http2Connection implements AsyncDisposable {
  readonly #session: ClientHttp2Session;
  readonly #pings: Http2Pings;
  /** Resolves when the connection has closed. */
  readonly closed: Promise<void>;
  #streams = 0;
  #isLeaving = false;

  private constructor(session: ClientHttp2Session, { socket }: DialedSocket, clock: Clock) {
    this.#session = session;
    this.#pings = new Http2Pings(session, clock);
    session.setMaxListeners(0);
    // Streams report their own errors; the session's error adds nothing, but an error event needs a listener.
    session.on("error", () => {});
    session.on("goaway", () => {
      this.#isLeaving = true;
    });
    // After a TLS alert, Node's session waits for a socket that is never closed.
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

  /** Starts HTTP/2 on a connection that negotiated h2, and waits for the server's settings, which contain its limit of streams. */
  static async open(
    dialed: DialedSocket,
    options: Http2ConnectionOptions,
    signal: AbortSignal,
  ): Promise<Http2Connection> {
    const { connect } = await import("node:http2");
    const { socket } = dialed;
    // A session on a closed socket would never report that.
    if (socket.destroyed) throw greetingError(dialed.lastError());
    const session = connect(options.server.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindowBytes, maxFrameSize: 1024 * 1024 },
      maxSessionMemory: 1000,
      peerMaxConcurrentStreams: maxStreams,
    });
    session.once("connect", () => session.setLocalWindowSize(connectionWindowBytes));
    const connection = new Http2Connection(session, dialed, options.clock);
    const settings = new Promise<"settled">((resolve) => session.once("remoteSettings", () => resolve("settled")));
    const gone = connection.closed.then(() => "gone" as const);
    using limit = timeoutSignal(signal, settingsTimeoutMs, { clock: options.clock, what: "the HTTP/2 greeting" });
    try {
      const outcome = await untilAborted(Promise.race([settings, gone]), limit.signal);
      if (outcome === "gone") throw greetingError(dialed.lastError());
    } catch (cause) {
      session.destroy();
      signal.throwIfAborted();
      throw cause instanceof TransportError ? cause : greetingError(cause);
    }
    session.unref();
    return connection;
  }

  /** Whether it is closed or closing. */
  get isLost(): boolean {
    return this.#isLeaving || this.#session.closed || this.#session.destroyed;
  }

  get hasRoom(): boolean {
    return !this.isLost && this.#streams < this.#streamLimit;
  }

  /** Opens a stream. Throws if the headers are invalid or the connection is closed. */
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
    // With an error, because otherwise Node would end the readers as if the response were complete.
    this.#session.destroy(closedError(), noError);
    await this.closed;
  }

  // Some reserve, because our count and the server's do not change at the same instant.
  get #streamLimit(): number {
    const { maxConcurrentStreams = maxStreams } = this.#session.remoteSettings;
    return Math.max(1, Math.floor(Math.min(maxConcurrentStreams, maxStreams) * 0.9));
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
