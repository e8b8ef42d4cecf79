// Opens one connection to an API server: TCP, through a proxy if configured, and TLS with ALPN. The returned socket is ready for
// the first byte of HTTP. An error names the stage that failed; the server has not seen a request yet, so each is safe to retry.
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { TransportError } from "../../api/transport.ts";
import { type Clock, isAborted, onAbort, timeoutSignal } from "../../base/index.ts";
import { openTunnel } from "./proxy-tunnel.ts";

/** How to reach a server (address, proxy, protocols), and the TLS settings: whom to trust and which certificate to use. */
export interface DialTarget {
  readonly server: URL;
  readonly proxyUrl?: string | undefined;
  readonly caPem?: string | undefined;
  readonly certificate?: { readonly certificatePem: string; readonly keyPem: string } | undefined;
  readonly isVerified: boolean;
  readonly serverName?: string | undefined;
  /** In order of preference: `["h2", "http/1.1"]`. */
  readonly protocols: readonly string[];
}

export interface DialedSocket {
  readonly socket: Socket | TLSSocket;
  readonly protocol: "h2" | "http/1.1";
  /** The last error of the socket, including errors while nothing else listened. */
  readonly lastError: () => Error | undefined;
}

const dialTimeoutMs = 30_000;
const tlsTimeoutMs = 10_000;

export async function dial(target: DialTarget, clock: Clock, signal: AbortSignal): Promise<DialedSocket> {
  const { server } = target;
  const address = { host: hostOf(server), port: portOf(server) };
  const socket = await within("connecting", dialTimeoutMs, clock, signal, (limit) =>
    target.proxyUrl === undefined
      ? openTcp(address, limit)
      : openTunnel(new URL(target.proxyUrl), address, { caPem: target.caPem, isVerified: target.isVerified }, limit),
  );
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 30_000);
  // Without TLS there is no ALPN: use HTTP/1.1 unless it is excluded.
  if (server.protocol === "http:") {
    return toDialed(socket, target.protocols.includes("http/1.1") ? "http/1.1" : "h2");
  }
  try {
    return await within("the TLS handshake", tlsTimeoutMs, clock, signal, async (limit) => {
      const secured = await secure(socket, target, limit);
      return toDialed(secured, agreedProtocol(secured, target));
    });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function toDialed(socket: Socket, protocol: DialedSocket["protocol"]): DialedSocket {
  let lastError: Error | undefined;
  socket.on("error", (error) => {
    lastError = error;
  });
  return { socket, protocol, lastError: () => lastError };
}

function agreedProtocol(socket: TLSSocket, { protocols }: DialTarget): DialedSocket["protocol"] {
  // A server without ALPN speaks HTTP/1.1.
  const protocol = socket.alpnProtocol === "h2" ? "h2" : "http/1.1";
  if (protocols.includes(protocol)) return protocol;
  socket.destroy();
  throw new Error(`the server does not offer ${protocols.join(" or ")}`);
}

/** Opens a plain TCP connection. */
export function openTcp(
  address: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<Socket> {
  return untilReady(() => connectTcp(address), "connect", signal);
}

/** Does the TLS handshake over a connected socket, with the target's certificates, server name and protocols. */
function secure(socket: Socket, target: DialTarget, signal: AbortSignal): Promise<TLSSocket> {
  const host = target.serverName ?? hostOf(target.server);
  const start = () =>
    connectTls({
      socket,
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(target.caPem === undefined ? {} : { ca: target.caPem }),
      ...(target.certificate === undefined
        ? {}
        : { cert: target.certificate.certificatePem, key: target.certificate.keyPem }),
      rejectUnauthorized: target.isVerified,
      ALPNProtocols: [...target.protocols],
    });
  return untilReady(start, "secureConnect", signal);
}

/** Waits for a socket's success event; destroys the socket on any other end. Leaves no listener behind. */
export function untilReady<S extends Socket>(start: () => S, event: string, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const socket = start();
    const settle = (finish: () => void) => {
      watch[Symbol.dispose]();
      socket.off(event, ready).off("error", fail).off("close", closed);
      finish();
    };
    const ready = () =>
      settle(() => {
        // Until the next owner listens, an error must not crash the process; the close event is enough.
        socket.on("error", () => {});
        resolve(socket);
      });
    const giveUp = (reason: unknown) =>
      settle(() => {
        // A socket that is being destroyed may still emit an error; ignore it.
        socket.on("error", () => {});
        socket.destroy();
        reject(reason);
      });
    const fail = (error: Error) => giveUp(error);
    const closed = () => giveUp(new Error("closed by the other side"));
    socket.on(event, ready).on("error", fail).on("close", closed);
    const watch = onAbort(signal, giveUp);
  });
}

async function within<T>(
  what: string,
  limitMs: number,
  clock: Clock,
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  using limit = timeoutSignal(signal, limitMs, { clock, what });
  try {
    return await work(limit.signal);
  } catch (cause) {
    if (isAborted(cause, signal)) throw cause;
    throw toDialError(what, cause);
  }
}

function toDialError(what: string, cause: unknown): TransportError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const reason =
    code === "ECONNREFUSED" ? "ConnectionRefused" : code === "ENOTFOUND" ? "HostNotFound" : "ConnectFailed";
  return new TransportError(`${what} failed: ${messageOf(cause)}`, { reason, wasSent: "no", cause });
}

/** If a name has several addresses, Node's AggregateError has one error per address and an empty message. */
function messageOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === "") return cause.errors.map(messageOf).join("; ");
  return cause instanceof Error ? cause.message : String(cause);
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === "https:" ? 443 : 80));
}
