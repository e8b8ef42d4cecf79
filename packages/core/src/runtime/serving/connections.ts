// A server's connections, and which of them have a request in flight. Node's own list does not contain connections that have not sent a
// request yet, or whose TLS handshake has not ended. Those would also prevent the server from closing.
import type { Server as HttpListener, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

interface Open {
  readonly socket: Socket;
  requests: number;
}

export class Connections {
  // By remote address and port, because with TLS a request has another socket object than the one that was accepted.
  readonly #open = new Map<string, Open>();

  follow(listener: HttpListener): void {
    listener.on("connection", (socket: Socket) => {
      const id = idOf(socket);
      this.#open.set(id, { socket, requests: 0 });
      socket.once("close", () => {
        if (this.#open.get(id)?.socket === socket) this.#open.delete(id);
      });
    });
  }

  /** Marks the connection of a request as busy until the result is disposed. */
  begin(request: IncomingMessage): Disposable {
    const open = this.#open.get(idOf(request.socket));
    if (open !== undefined) open.requests++;
    return {
      [Symbol.dispose]: () => {
        if (open !== undefined) open.requests--;
      },
    };
  }

  /** Closes the connections that have no request in flight, or all. */
  cut(which: "idle" | "all"): void {
    for (const { socket, requests } of this.#open.values()) if (which === "all" || requests === 0) socket.destroy();
  }
}

const idOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
