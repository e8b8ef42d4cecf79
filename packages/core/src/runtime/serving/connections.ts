// A server's connections, and which of them have a request under way. Node's own list leaves out connections that have not
// asked for anything yet, or whose handshake has not ended: those, too, would keep a server from closing.
import type { Server as HttpListener, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

interface Open {
  readonly socket: Socket;
  requests: number;
}

export class Connections {
  // By the address at the other end: under TLS a request has another socket than the one that was accepted.
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

  /** Marks a request's connection as busy, until disposed of. */
  begin(request: IncomingMessage): Disposable {
    const open = this.#open.get(idOf(request.socket));
    if (open !== undefined) open.requests++;
    return {
      [Symbol.dispose]: () => {
        if (open !== undefined) open.requests--;
      },
    };
  }

  /** Cuts those that have nothing under way, or all. */
  cut(which: "idle" | "all"): void {
    for (const { socket, requests } of this.#open.values()) if (which === "all" || requests === 0) socket.destroy();
  }
}

const idOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
