// Props for the tests of this folder: servers on a port of the loopback that say what was done to them, relays that can be
// told to swallow bytes, certificates of an authority made for the run.
import { EventEmitter, once } from "node:events";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import {
  createServer as createHttp2,
  createSecureServer as createHttps2,
  type Http2SecureServer,
  type ServerHttp2Session,
} from "node:http2";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { type CertificateAuthority, createAuthority } from "@kubeloop/real-cluster";
import { type ApiRequest, type ApiResponse, noBody } from "../../api/transport.ts";
import { systemClock } from "../../base/index.ts";
import { inlineCaBundle } from "../credentials/ca-bundle.ts";
import { type ClusterConfig, clusterConfig } from "../kubeconfig/cluster-config.ts";

export interface TestCertificates {
  readonly authority: CertificateAuthority;
  readonly caPem: string;
  /** For 127.0.0.1, localhost and kube.test. */
  readonly server: { readonly certPem: string; readonly keyPem: string };
}

export async function makeCertificates(name = "tests"): Promise<TestCertificates> {
  const authority = await createAuthority(name);
  const server = await authority.issueServer({ commonName: "server", names: ["127.0.0.1", "localhost", "kube.test"] });
  return { authority, caPem: authority.pair.certPem, server };
}

/** `h1` and `h2` over TLS, `both` by ALPN; `plain` is HTTP/1.1 and `plain-h2` HTTP/2 without TLS. */
export type Speaks = "plain" | "plain-h2" | "h1" | "h2" | "both";

/** What every test runs over that has no reason to differ. */
export const bothVersions: readonly (readonly [name: string, speaks: Speaks])[] = [
  ["HTTP/1.1", "h1"],
  ["HTTP/2", "h2"],
];

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers with what the server saw. */
export const echo: Answer = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url, headers, httpVersion } = request;
    response.end(JSON.stringify({ method, url, headers, httpVersion, body: Buffer.concat(chunks).toString() }));
  });
};

export interface LocalServerOptions {
  readonly speaks: Speaks;
  readonly certificates?: TestCertificates;
  readonly answer: Answer;
  readonly maxConcurrentStreams?: number;
  /** Asks clients for certificates of this authority; all must have one. */
  readonly clientCaPem?: string;
  readonly port?: number;
}

/** Servers that count: every test's `await using`. */
export class LocalServer implements AsyncDisposable {
  readonly server: Server;
  readonly url: string;
  /** Open TCP connections. */
  readonly sockets = new Set<Socket>();
  /** After their handshakes, open or not. */
  readonly secureSockets: TLSSocket[] = [];
  readonly sessions = new Set<ServerHttp2Session>();
  accepted = 0;

  private constructor(server: Server, scheme: "http" | "https") {
    this.server = server;
    this.url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("connection", (socket: Socket) => this.#count(socket));
    server.on("secureConnection", (socket: TLSSocket) => {
      socket.on("error", () => {});
      this.secureSockets.push(socket);
    });
    server.on("session", (session: ServerHttp2Session) => {
      this.sessions.add(session);
      session.on("error", () => {});
      session.once("close", () => this.sessions.delete(session));
    });
    server.on("sessionError", () => {});
    server.on("tlsClientError", () => {});
    server.on("clientError", (_error: Error, socket: Socket) => socket.destroy());
  }

  static async start(options: LocalServerOptions): Promise<LocalServer> {
    const server = createFor(options);
    server.listen(options.port ?? 0, "127.0.0.1");
    await once(server, "listening");
    return new LocalServer(server, options.speaks.startsWith("plain") ? "http" : "https");
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Resolves once no connection is open. */
  async untilEmpty(): Promise<void> {
    while (this.sockets.size > 0) await Promise.all([...this.sockets].map((socket) => once(socket, "close")));
  }

  /** Closes every connection without a word, and goes on listening. */
  drop(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Asks HTTP/2 clients to go away, and waits until they have. */
  async sayGoodbye(): Promise<void> {
    for (const session of this.sessions) session.close();
    await this.untilEmpty();
  }

  /** As when the process is killed. */
  async crash(): Promise<void> {
    const closed = once(this.server, "close");
    this.server.close();
    this.drop();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.server.listening) await this.crash();
  }

  #count(socket: Socket): void {
    this.accepted++;
    this.sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.sockets.delete(socket));
  }
}

function createFor(options: LocalServerOptions): Server {
  const { speaks, certificates, clientCaPem, maxConcurrentStreams } = options;
  const answer = options.answer as never;
  // Tests abort thousands of streams; Node's servers take that for an attack.
  const http2 = {
    settings: { ...(maxConcurrentStreams === undefined ? {} : { maxConcurrentStreams }) },
    streamResetBurst: 1_000_000,
    streamResetRate: 1_000_000,
  };
  if (speaks === "plain") return createHttp(answer);
  if (speaks === "plain-h2") return createHttp2(http2, answer);
  if (certificates === undefined) throw new Error("a TLS server needs certificates");
  const tls = {
    cert: certificates.server.certPem,
    key: certificates.server.keyPem,
    ...(clientCaPem === undefined ? {} : { ca: clientCaPem, requestCert: true, rejectUnauthorized: true }),
  };
  if (speaks === "h1") return createHttps(tls, answer);
  const server: Http2SecureServer = createHttps2({ ...tls, ...http2, allowHTTP1: speaks === "both" }, answer);
  return server;
}

/** Passes bytes on between clients and a server until told to swallow them. */
export class TcpRelay implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isSwallowing = false;
  /** Connections up to this number are silent, whatever the others are. */
  #silentUpTo = 0;
  accepted = 0;

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    server.on("connection", (near: Socket) => {
      const number = ++this.accepted;
      const isSilent = () => this.#isSwallowing || number <= this.#silentUpTo;
      const far = connect(targetPort, "127.0.0.1");
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on("data", (chunk) => {
          if (!isSilent()) to.write(chunk);
        });
        from.on("error", () => {});
        from.once("close", () => {
          this.#sockets.delete(from);
          if (!isSilent()) to.destroy();
        });
      }
    });
  }

  static async start(targetPort: number): Promise<TcpRelay> {
    const server = createTcp();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new TcpRelay(server, targetPort);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on nothing passes in either direction, and nobody is told. */
  swallow(): void {
    this.#isSwallowing = true;
  }

  /** The same for the connections there are; new ones pass. */
  swallowOpen(): void {
    this.#silentUpTo = this.accepted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** A config for a local server: its CA, nobody's credentials. */
export function configFor(
  server: { readonly url: string },
  certificates?: TestCertificates,
  changes: Partial<ClusterConfig> = {},
): ClusterConfig {
  const tls = certificates === undefined ? {} : { tls: { ca: inlineCaBundle(certificates.caPem), isVerified: true } };
  return clusterConfig({ server: server.url, ...tls, ...changes });
}

export function get(path = "/", changes: Partial<ApiRequest> = {}): ApiRequest {
  return { method: "GET", path, query: [], headers: {}, body: noBody, prefers: "bytes", ...changes };
}

export function watch(path = "/watch"): ApiRequest {
  return get(path, { query: [["watch", "true"]] });
}

export function post(text: string, path = "/"): ApiRequest {
  return get(path, { method: "POST", body: { kind: "bytes", bytes: Buffer.from(text) } });
}

/** The whole body as text. */
export async function textOf(response: ApiResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytesOf(response)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

export function bytesOf(response: ApiResponse): AsyncIterable<Uint8Array> {
  if (response.body.kind !== "bytes") throw new Error(`a body of kind ${response.body.kind}`);
  return response.body.bytes;
}

/** What `work` rejects with. */
export async function failureOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await work;
  } catch (error) {
    return error as Record<string, unknown>;
  }
  throw new Error("it did not fail");
}

/** Lets the event loop turn until it is so; the test's own time limit ends it otherwise. */
export async function settled(isSo: () => boolean): Promise<void> {
  while (!isSo()) await systemClock.yield();
}

/** Answers that are held back until the test has seen who asked. */
export class HeldAnswers {
  readonly #arrivals = new EventEmitter();
  readonly waiting: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = [];
  readonly answer: Answer = (request, response) => {
    response.on("error", () => {});
    this.waiting.push({ request, response });
    this.#arrivals.emit("arrival");
  };

  /** The first `count` to ask, once they are there. */
  async first(count: number) {
    while (this.waiting.length < count) await once(this.#arrivals, "arrival");
    return this.waiting.slice(0, count);
  }

  async one() {
    await this.first(1);
    const [one] = this.waiting;
    if (one === undefined) throw new Error("nobody asked");
    return one;
  }
}
