// What the client certificate of a connection says about who is at its other end. It is read once a connection, because TLS verifies it once.
import type { TLSSocket } from "node:tls";
import type { PeerCertificate } from "../authentication/authenticator.ts";
import { userOf } from "../authentication/users.ts";

export type PeerSocket = Pick<TLSSocket, "authorized" | "getPeerCertificate">;

const none: PeerCertificate = { kind: "none" };
const seen = new WeakMap<PeerSocket, PeerCertificate>();

/** Undefined is a connection without TLS. */
export function peerCertificateOf(socket: PeerSocket | undefined): PeerCertificate {
  if (socket === undefined) return none;
  let certificate = seen.get(socket);
  if (certificate === undefined) {
    certificate = readCertificate(socket);
    seen.set(socket, certificate);
  }
  return certificate;
}

function readCertificate(socket: PeerSocket): PeerCertificate {
  const certificate = socket.getPeerCertificate();
  // Without one, the platform answers with an empty object.
  if (Object.keys(certificate ?? {}).length === 0) return none;
  if (!socket.authorized) return { kind: "refused" };
  const { subject } = certificate;
  const name = subject?.CN as string | readonly string[] | undefined;
  if (typeof name !== "string") return none;
  const organizations = subject.O as string | string[] | undefined;
  const groups = organizations === undefined ? [] : Array.isArray(organizations) ? organizations : [organizations];
  return { kind: "user", user: userOf({ name, groups }) };
}
