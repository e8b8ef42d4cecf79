// An HTTP/2 server that writes its frames by hand, for what no library lets a server do: ending a stream in the middle as if
// all were well. It answers every request with the same frames, in plain text.
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

const frameTypes = { data: 0, headers: 1, reset: 3, settings: 4 } as const;
const flags = { none: 0, ack: 1, endHeaders: 4 } as const;
const headBytes = 9;
/** What a client says before its first frame. */
const prefaceBytes = 24;
/** The status line of 200, as an entry of the table every HTTP/2 peer knows. */
const statusOk = Buffer.from([0x88]);

export class RawHttp2Server implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** A server that begins each answer with `body`, and then resets its stream with this code. */
  static async start(body: string, resetCode: number): Promise<RawHttp2Server> {
    const server = createServer();
    const raw = new RawHttp2Server(server);
    server.on("connection", (socket) => raw.#serve(socket, body, resetCode));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return raw;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket, body: string, resetCode: number): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#sockets.delete(socket));
    socket.write(frame("settings", flags.none, 0));
    const reset = Buffer.alloc(4);
    reset.writeUInt32BE(resetCode);
    let unread = Buffer.alloc(0);
    let skip = prefaceBytes;
    socket.on("data", (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk]);
      while (unread.length >= skip + headBytes) {
        const [type, flag] = unread.subarray(skip + 3);
        const stream = unread.readUInt32BE(skip + 5);
        const end = skip + headBytes + unread.readUIntBE(skip, 3);
        if (unread.length < end) return;
        unread = unread.subarray(end);
        skip = 0;
        if (type === frameTypes.settings && flag !== flags.ack) socket.write(frame("settings", flags.ack, 0));
        if (type !== frameTypes.headers) continue;
        socket.write(frame("headers", flags.endHeaders, stream, statusOk));
        socket.write(frame("data", flags.none, stream, Buffer.from(body)));
        socket.write(frame("reset", flags.none, stream, reset));
      }
    });
  }
}

function frame(type: keyof typeof frameTypes, flag: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = frameTypes[type];
  head[4] = flag;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
