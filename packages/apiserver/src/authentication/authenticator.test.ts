import { type ApiRequest, noBody } from "@kubeloop/core/api";
import { beforeEach, describe, expect, test } from "vitest";
import { type PeerCertificate, TokenAuthenticator } from "./authenticator.ts";
import { userOf } from "./users.ts";

const jane = userOf({ name: "jane" });
const joe = userOf({ name: "joe" });
const ann = userOf({ name: "ann", groups: ["system:masters"] });

let authenticator: TokenAuthenticator;
beforeEach(() => {
  authenticator = new TokenAuthenticator();
  authenticator.add("j1", jane);
  authenticator.add("j2", joe);
});

function requestWith(authorization?: string): ApiRequest {
  const headers = authorization === undefined ? {} : { authorization };
  return { method: "GET", path: "/api", query: [], headers, body: noBody, prefers: "bytes" };
}

const none: PeerCertificate = { kind: "none" };
const refused: PeerCertificate = { kind: "refused" };
const certified: PeerCertificate = { kind: "user", user: ann };

async function whoIs(authorization: string | undefined, certificate: PeerCertificate = none): Promise<string> {
  try {
    return (await authenticator.authenticate(requestWith(authorization), { kind: "connection", certificate })).name;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe("a request over a connection", () => {
  test.each([
    ["without credentials is nobody's", undefined, none, "system:anonymous"],
    ["with an empty token is nobody's", "Bearer ", none, "system:anonymous"],
    ["with a scheme that nobody reads is nobody's", "Basic x", none, "system:anonymous"],
    ["with a token is its user's", "Bearer j1", none, "jane"],
    ["may write the scheme as it likes", "bearer j2", none, "joe"],
    ["with a wrong token is refused", "Bearer nonsense", none, "Unauthorized"],
    ["with our certificate is its user's", undefined, certified, "ann"],
    ["with our certificate is not its token's", "Bearer j1", certified, "ann"],
    ["with our certificate needs no good token", "Bearer nonsense", certified, "ann"],
    ["with a certificate of another authority is refused", undefined, refused, "Unauthorized"],
    ["with such a certificate and an unread scheme is refused", "Basic x", refused, "Unauthorized"],
    ["with such a certificate and a wrong token is refused", "Bearer nonsense", refused, "Unauthorized"],
    ["with such a certificate and a good token is its user's", "Bearer j1", refused, "jane"],
  ] as const)("%s", async (_, authorization, certificate, who) => {
    expect(await whoIs(authorization, certificate)).toBe(who);
  });

  test("is looked at anew each time: a token that is taken back is refused", async () => {
    expect(await whoIs("Bearer j1")).toBe("jane");
    authenticator.remove("j1");
    expect(await whoIs("Bearer j1")).toBe("Unauthorized");
  });
});

test("a caller in the process names the user, whatever the headers say", async () => {
  const origin = { kind: "user", user: jane } as const;
  expect(await authenticator.authenticate(requestWith("Bearer j2"), origin)).toBe(jane);
});

test("everybody belongs to the group of those who are known, or of those who are not", () => {
  expect(userOf({ name: "jane", groups: ["a"] }).groups).toEqual(["a", "system:authenticated"]);
  expect(userOf({ name: "system:anonymous" }).groups).toEqual(["system:unauthenticated"]);
  expect(userOf(jane).groups).toEqual(["system:authenticated"]);
});
