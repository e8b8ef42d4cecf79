// A connection after an upgrade (exec, attach, port-forward): the socket and what answers for the pod are joined, byte by byte and in both
// directions, each as slowly as its reader takes it. One direction may end before the other. When the socket closes or either side fails, both
// end.
import { childSignal } from "../base/signal.ts";
import type { ApiResponse, Connection, ResponseBody } from "./transport.ts";

export type UpgradedBody = Extract<ResponseBody, { kind: "upgraded" }>;

/** What is used of Node's Duplex. Its own type is not named, because the declarations of this layer stand without Node's. */
export interface DuplexSocket {
  readonly destroyed: boolean;
  on(event: "close" | "drain", listener: () => void): unknown;
  once(event: "close", listener: () => void): unknown;
  off(event: "close" | "drain", listener: () => void): unknown;
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<unknown>;
  write(bytes: Uint8Array): boolean;
  end(done: () => void): unknown;
  destroy(): unknown;
}

/** The head of the answer that switches protocols. */
export function upgradeHead({ headers }: ApiResponse, { protocol }: UpgradedBody): string {
  const lines = ["HTTP/1.1 101 Switching Protocols", `upgrade: ${protocol}`, "connection: Upgrade"];
  for (const name in headers) {
    if (name === "upgrade" || name === "connection") continue;
    for (const value of [headers[name] ?? []].flat()) lines.push(`${name}: ${value}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Resolves when both directions have ended. `first` is what came with the request already. */
export async function carryUpgraded(
  socket: DuplexSocket,
  first: Uint8Array,
  connection: Connection,
  signal: AbortSignal,
): Promise<void> {
  using life = childSignal(signal);
  const leave = () => life.abort(new Error("the connection was closed"));
  socket.on("close", leave);
  const stop = () => socket.destroy();
  life.signal.addEventListener("abort", stop);
  try {
    const outcomes = await Promise.allSettled([
      stopOnFailure(toConnection(socket, first, connection, life.signal), leave),
      stopOnFailure(toSocket(socket, connection, life.signal), leave),
    ]);
    const failed = outcomes.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected" && !life.signal.aborted) throw failed.reason;
  } finally {
    life.signal.removeEventListener("abort", stop);
    socket.off("close", leave);
    socket.destroy();
  }
}

async function stopOnFailure(direction: Promise<void>, stop: () => void): Promise<void> {
  try {
    await direction;
  } catch (error) {
    stop();
    throw error;
  }
}

async function toConnection(
  socket: DuplexSocket,
  first: Uint8Array,
  connection: Connection,
  signal: AbortSignal,
): Promise<void> {
  if (first.length > 0) await connection.send(first, signal);
  // The other direction goes on when this one has ended.
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    await connection.send(chunk as Uint8Array, signal);
  }
  if (!signal.aborted) await connection.end();
}

async function toSocket(socket: DuplexSocket, connection: Connection, signal: AbortSignal): Promise<void> {
  for await (const bytes of connection.incoming) {
    if (signal.aborted) return;
    if (!socket.write(bytes)) await drained(socket);
  }
  await new Promise<void>((resolve) => {
    if (socket.destroyed) return resolve();
    socket.once("close", resolve);
    socket.end(() => resolve());
  });
}

/** Until there is room again, or nobody to write to. */
function drained(socket: DuplexSocket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const settle = () => {
      socket.off("drain", settle);
      socket.off("close", settle);
      resolve();
    };
    socket.on("drain", settle);
    socket.on("close", settle);
  });
}
