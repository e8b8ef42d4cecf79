// A connection through a proxy: CONNECT on an http or https proxy, or SOCKS5. The resulting socket works like a direct
// one. If the server uses TLS, the proxy sees only its name and port.
import { isIP, type Socket } from "node:net";
import * as tls from "node:tls";
import { onAbort } from "../../base/index.ts";
import { openTcp, untilReady } from "./dial.ts";

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Whom to trust if the proxy itself uses TLS: the cluster's CA, as in client-go, and the platform's CAs. */
interface ProxyTrust {
  readonly caPem: string | undefined;
  readonly isVerified: boolean;
}

export async function openTunnel(proxy: URL, target: Address, trust: ProxyTrust, signal: AbortSignal): Promise<Socket> {
  const scheme = proxy.protocol.slice(0, -1);
  const defaultPort = { http: 80, https: 443, socks5: 1080, socks5h: 1080 }[scheme];
  if (defaultPort === undefined) throw new Error(`proxy scheme "${scheme}" is not one of http, https, socks5`);
  const host = proxy.hostname.replace(/^\[|\]$/g, "");
  const plain = await openTcp({ host, port: Number(proxy.port || defaultPort) }, signal);
  try {
    const socket = scheme === "https" ? await secureProxy(plain, host, trust, signal) : plain;
    await (scheme.startsWith("socks5")
      ? greetSocks(socket, proxy, target, signal)
      : askToConnect(socket, proxy, target, signal));
    return socket;
  } catch (error) {
    plain.destroy();
    throw error;
  }
}

function secureProxy(plain: Socket, host: string, { caPem, isVerified }: ProxyTrust, signal: AbortSignal) {
  const start = () =>
    tls.connect({
      socket: plain,
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(caPem === undefined ? {} : { ca: [caPem, ...platformRoots()] }),
      rejectUnauthorized: isVerified,
    });
  return untilReady(start, "secureConnect", signal);
}

// Older Node versions cannot list roots that were added through the environment.
function platformRoots(): readonly string[] {
  const { getCACertificates, rootCertificates }: typeof tls & { getCACertificates?: (kind: "default") => string[] } =
    tls;
  return getCACertificates?.("default") ?? rootCertificates;
}

async function askToConnect(socket: Socket, proxy: URL, { host, port }: Address, signal: AbortSignal): Promise<void> {
  const authority = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
  const user = credentialsOf(proxy);
  const authorization =
    user === undefined
      ? ""
      : `Proxy-Authorization: Basic ${Buffer.from(`${user.name}:${user.password}`).toString("base64")}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  const head = await readUntil(socket, headLength, signal);
  const [, code, text = ""] = /^HTTP\/1\.[01] (\d{3}) ?(.*)/.exec(head.toString("latin1")) ?? [];
  if (code === undefined) throw new Error("the proxy does not speak HTTP");
  if (!code.startsWith("2")) throw new Error(`the proxy refused: ${code} ${text.trim()}`);
}

function headLength(bytes: Buffer): number {
  const end = bytes.indexOf("\r\n\r\n");
  return end === -1 ? 0 : end + 4;
}

const socksFailures = [
  "",
  "general failure",
  "not allowed by its rules",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "time to live expired",
  "command not supported",
  "address type not supported",
];

async function greetSocks(socket: Socket, proxy: URL, { host, port }: Address, signal: AbortSignal): Promise<void> {
  const user = credentialsOf(proxy);
  socket.write(Buffer.from(user === undefined ? [5, 1, 0] : [5, 2, 0, 2]));
  const [version, method] = await readUntil(socket, () => 2, signal);
  if (version !== 5) throw new Error("the proxy does not speak SOCKS5");
  if (method === 2 && user !== undefined) {
    socket.write(Buffer.concat([Buffer.from([1]), prefixed(user.name), prefixed(user.password)]));
    const [, status] = await readUntil(socket, () => 2, signal);
    if (status !== 0) throw new Error("the proxy refused the user and password");
  } else if (method !== 0) throw new Error("the proxy offers no supported authentication method");
  socket.write(Buffer.concat([Buffer.from([5, 1, 0]), socksAddress(host), Buffer.from([port >> 8, port & 255])]));
  const reply = await readUntil(socket, socksReplyLength, signal);
  if (reply[1] !== 0) throw new Error(`the proxy refused: ${socksFailures[reply[1] ?? 1] ?? "unknown reason"}`);
}

const socksAddressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const;

// A host name is sent unresolved, so that the proxy resolves it.
function socksAddress(host: string): Buffer {
  switch (isIP(host)) {
    case 4:
      return Buffer.from([socksAddressTypes.ipv4, ...host.split(".").map(Number)]);
    case 6:
      return Buffer.from([socksAddressTypes.ipv6, ...ipv6Bytes(host)]);
    default:
      return Buffer.concat([Buffer.from([socksAddressTypes.name]), prefixed(host)]);
  }
}

// In the form of a URL's host: shortened, in hexadecimal.
function ipv6Bytes(address: string): number[] {
  const [front = [], back = []] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const middle = Array<string>(8 - front.length - back.length).fill("0");
  return [...front, ...middle, ...back].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

function socksReplyLength(bytes: Buffer): number {
  if (bytes.length < 5) return 0;
  const addressLength = bytes[3] === 1 ? 4 : bytes[3] === 4 ? 16 : (bytes[4] ?? 0) + 1;
  return 4 + addressLength + 2;
}

function prefixed(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length > 255) throw new Error("name, user or password is too long for SOCKS5");
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function credentialsOf(proxy: URL): { readonly name: string; readonly password: string } | undefined {
  if (proxy.username === "") return undefined;
  return { name: decodeURIComponent(proxy.username), password: decodeURIComponent(proxy.password) };
}

const longestReplyBytes = 65_536;

/** Reads exactly the bytes of the reply, whose length `lengthOf` returns (0: more are needed); the rest stays unread. */
function readUntil(socket: Socket, lengthOf: (bytes: Buffer) => number, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    let watch: Disposable | undefined;
    const settle = (finish: () => void) => {
      watch?.[Symbol.dispose]();
      socket.off("data", take).off("error", giveUp).off("close", closed);
      socket.pause();
      finish();
    };
    const giveUp = (error: unknown) => settle(() => reject(error));
    const closed = () => giveUp(new Error("the proxy closed the connection"));
    const take = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk]);
      const length = lengthOf(seen);
      if (length > 0 && seen.length >= length) {
        settle(() => {
          if (seen.length > length) socket.unshift(seen.subarray(length));
          resolve(seen.subarray(0, length));
        });
      } else if (seen.length > longestReplyBytes) giveUp(new Error("the proxy's reply is too long"));
    };
    socket.on("data", take).on("error", giveUp).on("close", closed);
    watch = onAbort(signal, giveUp);
    if (!signal.aborted) socket.resume();
  });
}
