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

describe("a certificate", () => {
  const ann: Subject = { CN: "ann", O: "system:masters" };
  const unsigned = { authorized: false };
  const none = undefined;
  test.each`
    what                                      | socket                                   | authorization    | who
    ${"of ours is who it says"}               | ${newSocket(ann)}                        | ${none}          | ${"ann"}
    ${"of ours comes before a good token"}    | ${newSocket(ann)}                        | ${"Bearer j1"}   | ${"ann"}
    ${"of ours comes before a bad token"}     | ${newSocket(ann)}                        | ${"Bearer nope"} | ${"ann"}
    ${"of ours without a name is nobody"}     | ${newSocket({ O: "o" })}                 | ${none}          | ${"system:anonymous"}
    ${"without a name leaves it to a token"}  | ${newSocket({ O: "o" })}                 | ${"Bearer j1"}   | ${"jane"}
    ${"of another authority is refused"}      | ${newSocket(ann, unsigned)}              | ${none}          | ${"refused"}
    ${"of another, with a token nobody read"} | ${newSocket(ann, unsigned)}              | ${"Basic x"}     | ${"refused"}
    ${"of another, with a bad token"}         | ${newSocket(ann, unsigned)}              | ${"Bearer nope"} | ${"refused"}
    ${"of another leaves it to a good token"} | ${newSocket(ann, unsigned)}              | ${"Bearer j1"}   | ${"jane"}
    ${"that is not there, on a resumed line"} | ${newSocket(none, { authorized: true })} | ${none}          | ${"system:anonymous"}
  `("$what", ({ socket: { socket }, authorization, who }) => {
    const ask = () => {
      try {
        return users.userOf(requestWith(authorization), socket).name;
      } catch {
        return "refused";
      }
    };
    // The second time out of memory.
    expect([ask(), ask()]).toEqual([who, who]);
  });

  test("of another authority is refused again after a good token on its connection", () => {
    const { socket } = newSocket(ann, unsigned);
    expect(users.userOf(requestWith("Bearer j1"), socket).name).toBe("jane");
    expect(() => users.userOf(requestWith(), socket)).toThrow("Unauthorized");
  });
});
