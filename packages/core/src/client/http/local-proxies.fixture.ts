// Proxies on a port of the loopback, for tests: CONNECT over http or https, and SOCKS5. They note what they were asked.
import { once } from "node:events";
import { createServer as createHttp, type Server as HttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from "node:net";
import type { TestCertificates } from "./local-servers.fixture.ts";

export interface ProxyOptions {
  /** `user:password`, without which everybody is refused; nobody is unless given. */
  readonly login?: string;
  /** Where connections go, whatever was asked for. */
  readonly targetPort: number;
  /** Refuses what logged in: the status line of an HTTP proxy, the reply of a SOCKS one. */
  readonly refusal?: string | number;
}

export class LocalProxy implements AsyncDisposable {
  readonly server: Server;
  /** What was asked for: `CONNECT host:port`, `socks host:port`. */
  readonly asked: string[];
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, asked: string[]) {
    this.server = server;
    this.asked = asked;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  static async startHttp(options: ProxyOptions): Promise<LocalProxy> {
    return await listening(createHttp(), (server, asked) => answerConnect(server as HttpServer, options, asked));
  }

  static async startHttps(options: ProxyOptions, { server }: TestCertificates): Promise<LocalProxy> {
    const proxy = createHttps({ cert: server.certPem, key: server.keyPem });
    proxy.on("tlsClientError", () => {});
    return await listening(proxy, (listener, asked) => answerConnect(listener as HttpServer, options, asked));
  }

  static async startSocks(options: ProxyOptions): Promise<LocalProxy> {
    return await listening(createTcp(), (server, asked) => {
      server.on("connection", (socket: Socket) => {
        // A client that gives up is no failure of the proxy's.
        serveSocks(socket, options, asked).catch(() => socket.destroy());
      });
    });
  }

  static wrap(server: Server, asked: string[]): LocalProxy {
    return new LocalProxy(server, asked);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  async untilEmpty(): Promise<void> {
    while (this.#sockets.size > 0) await Promise.all([...this.#sockets].map((socket) => once(socket, "close")));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.server, "close");
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

async function listening(server: Server, serve: (server: Server, asked: string[]) => void): Promise<LocalProxy> {
  const asked: string[] = [];
  serve(server, asked);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return LocalProxy.wrap(server, asked);
}

function answerConnect(server: HttpServer, { login, targetPort, refusal }: ProxyOptions, asked: string[]): void {
  server.on("request", (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.statusCode = 400;
    response.end();
  });
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.on("error", () => {});
    const expected = login === undefined ? undefined : `Basic ${Buffer.from(login).toString("base64")}`;
    if (request.headers["proxy-authorization"] !== expected) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    } else if (refusal !== undefined) socket.end(`${refusal}\r\n\r\n`);
    else join(socket, targetPort, () => socket.write("HTTP/1.1 200 Connection established\r\nx-proxy: yes\r\n\r\n"));
  });
}

function join(near: Socket, port: number, ready: () => void): void {
  const far = connect(port, "127.0.0.1", () => {
    ready();
    near.pipe(far).pipe(near);
  });
  far.on("error", () => near.destroy());
  far.once("close", () => near.destroy());
  near.once("close", () => far.destroy());
}

async function serveSocks(socket: Socket, options: ProxyOptions, asked: string[]): Promise<void> {
  const { login, targetPort, refusal } = options;
  const read = reader(socket);
  const [, methodCount = 0] = await read(2);
  const methods = [...(await read(methodCount))];
  const method = login === undefined ? 0 : 2;
  if (!methods.includes(method)) return void socket.end(Buffer.from([5, 255]));
  socket.write(Buffer.from([5, method]));
  if (login !== undefined) {
    const [, nameLength = 0] = await read(2);
    const name = (await read(nameLength)).toString();
    const [passwordLength = 0] = await read(1);
    const isKnown = `${name}:${(await read(passwordLength)).toString()}` === login;
    socket.write(Buffer.from([1, isKnown ? 0 : 1]));
    if (!isKnown) return void socket.end();
  }
  const [, , , type] = await read(4);
  const host =
    type === 1
      ? [...(await read(4))].join(".")
      : type === 4
        ? (await read(16)).toString("hex")
        : (await read((await read(1))[0] ?? 0)).toString();
  asked.push(`socks ${host}:${(await read(2)).readUInt16BE()}`);
  if (typeof refusal === "number") return void socket.end(Buffer.from([5, refusal, 0, 1, 0, 0, 0, 0, 0, 0]));
  // In two pieces, and with a name for an address: clients must read exactly as far as it goes.
  join(socket, targetPort, () => {
    socket.write(Buffer.from([5, 0, 0, 3, 4]));
    socket.write(Buffer.from("here\0\0"));
  });
}

function reader(socket: Socket): (length: number) => Promise<Buffer> {
  return async (length) => {
    if (length === 0) return Buffer.alloc(0);
    for (;;) {
      const bytes: Buffer | null = socket.read(length);
      if (bytes !== null) return bytes;
      if (socket.readableEnded || socket.destroyed) throw new Error("the client closed the connection");
      await once(socket, "readable");
    }
  };
}
