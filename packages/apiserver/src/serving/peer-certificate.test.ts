import { expect, test } from "vitest";
import { peerCertificateOf } from "./peer-certificate.ts";

interface Subject {
  readonly CN?: string;
  readonly O?: string | readonly string[];
}

/** A connection with this certificate, if any; counts how often it was looked at. */
function newSocket(subject?: Subject, { authorized = subject !== undefined } = {}) {
  const seen = { looks: 0 };
  const socket = {
    authorized,
    getPeerCertificate: () => {
      seen.looks++;
      return subject === undefined ? {} : { subject };
    },
  };
  return { socket: socket as never, seen };
}

const user = (name: string, ...groups: string[]) => ({ kind: "user", user: { name, groups } });

test.each([
  ["names a user and groups", newSocket({ CN: "ann", O: ["a", "b"] }), user("ann", "a", "b", "system:authenticated")],
  ["names one group", newSocket({ CN: "ann", O: "a" }), user("ann", "a", "system:authenticated")],
  ["without a name says nothing", newSocket({ O: "a" }), { kind: "none" }],
  ["of another authority is refused", newSocket({ CN: "ann" }, { authorized: false }), { kind: "refused" }],
  ["that is not there says nothing, on a resumed line", newSocket(undefined, { authorized: true }), { kind: "none" }],
])("a certificate that %s", (_, { socket }, expected) => {
  expect(peerCertificateOf(socket)).toMatchObject(expected);
});

test("a connection's certificate is read once", () => {
  const { socket, seen } = newSocket({ CN: "ann" });
  for (let i = 0; i < 3; i++) expect(peerCertificateOf(socket)).toMatchObject(user("ann", "system:authenticated"));
  expect(seen.looks).toBe(1);
});

test("a connection without TLS has none", () => {
  expect(peerCertificateOf(undefined)).toEqual({ kind: "none" });
});
