import { type ApiRequest, noBody } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { KnownUsers } from "./authenticate.ts";

const jane = { name: "jane", uid: undefined, groups: ["system:authenticated"], extra: {} };
const joe = { ...jane, name: "joe" };
const users = new KnownUsers([
  { token: "j1", user: jane },
  { token: "j2", user: joe },
]);

function requestWith(authorization?: string): ApiRequest {
  const headers = authorization === undefined ? {} : { authorization };
  return { method: "GET", path: "/api", query: [], headers, body: noBody, prefers: "bytes" };
}

/** A connection with this certificate, if any; counts how often it was looked at. */
function newSocket(subject?: { readonly CN: string; readonly O?: string | readonly string[] }) {
  const seen = { looks: 0 };
  const socket = {
    authorized: subject !== undefined,
    getPeerCertificate: () => {
      seen.looks++;
      return { subject };
    },
  };
  return { socket: socket as never, seen };
}

describe("on one connection", () => {
  test("everybody is who the request says, whoever spoke before", () => {
    const { socket } = newSocket();
    const names = ["Bearer j1", "Bearer j1", "bearer j2", undefined, "Bearer j1", "Basic x"].map(
      (authorization) => users.userOf(requestWith(authorization), socket).name,
    );
    expect(names).toEqual(["jane", "jane", "joe", "system:anonymous", "jane", "system:anonymous"]);
  });

  test("a wrong token is refused each time, also after a right one", () => {
    const { socket } = newSocket();
    users.userOf(requestWith("Bearer j1"), socket);
    for (let i = 0; i < 2; i++)
      expect(() => users.userOf(requestWith("Bearer nonsense"), socket)).toThrow("Unauthorized");
    expect(users.userOf(requestWith("Bearer j1"), socket).name).toBe("jane");
  });

  test("a certificate is looked at once", () => {
    const { socket, seen } = newSocket({ CN: "ann", O: ["a", "b"] });
    for (let i = 0; i < 3; i++) {
      expect(users.userOf(requestWith(), socket)).toMatchObject({
        name: "ann",
        groups: ["a", "b", "system:authenticated"],
      });
    }
    expect(seen.looks).toBe(1);
  });
});

test("another connection is another matter", () => {
  const first = newSocket({ CN: "ann" });
  expect(users.userOf(requestWith(), first.socket).name).toBe("ann");
  expect(users.userOf(requestWith(), newSocket().socket).name).toBe("system:anonymous");
});
