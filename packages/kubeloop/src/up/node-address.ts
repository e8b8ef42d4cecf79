// The address under which the nodes of this process are found: the one by which this machine reaches the server, because the server most likely reaches it
// by the same.
import { connect, isIP, type Socket } from "node:net";
import { type Clock, onAbort } from "@kubeloop/core/base";

/** A system tries for minutes, if nobody answers at all. */
const patienceMs = 5000;

export interface AddressOptions {
  readonly clock: Clock;
  /** Begins a connection. Default: Node's. */
  readonly open?: (to: { readonly host: string; readonly port: number }) => Socket;
}

/** Loopback if the server cannot be reached within five seconds. */
export async function addressTowards(
  server: string,
  { clock, open = connect }: AddressOptions,
  signal: AbortSignal,
): Promise<string> {
  const { hostname, port, protocol } = new URL(server);
  const host = hostname.replace(/^\[(.+)\]$/, "$1");
  const socket = open({ host, port: Number(port || (protocol === "http:" ? 80 : 443)) });
  using _tooLate = clock.after(patienceMs, () => socket.destroy());
  using _aborted = onAbort(signal, () => socket.destroy());
  const local = await new Promise<string | undefined>((resolve) => {
    socket.once("connect", () => resolve(socket.localAddress));
    socket.once("error", () => resolve(undefined));
    socket.once("close", () => resolve(undefined));
  });
  socket.destroy();
  return plainAddress(local);
}

/** An IPv4 address that is written as an IPv6 one is itself; one with a zone means nothing to others. */
export function plainAddress(address: string | undefined): string {
  const plain = address?.replace(/^::ffff:(?=\d+\.)/i, "") ?? "";
  return isIP(plain) === 0 || plain.includes("%") ? "127.0.0.1" : plain;
}
