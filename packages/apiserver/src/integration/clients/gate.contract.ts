// A gate between a client and a server: bytes pass through it unread, and a test can cut every connection, or shut it for a while. Real
// clients meet a broken network this way, whatever the server is.
import { createServer, connect as dial, type Server, type Socket } from "node:net";

export class Gate implements AsyncDisposable {
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #server: Server;
  #port: number;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => this.#pass(client));
    this.#port = 0;
  }

  /** In front of a port of this machine. */
  static async open(target: number): Promise<Gate> {
    const gate = new Gate(target);
    await gate.reopen();
    return gate;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** Ends what is connected; who comes back is let in. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Ends what is connected, and refuses everybody until reopened. */
  async shut(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.cut();
    await closed;
  }

  async reopen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.#port, "127.0.0.1", resolve);
    });
    const address = this.#server.address();
    if (address !== null && typeof address === "object") this.#port = address.port;
  }

  #pass(client: Socket): void {
    const server = dial(this.#target, "127.0.0.1");
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.shut();
  }
}
