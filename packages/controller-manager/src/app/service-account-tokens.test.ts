// The tokens of controllers' service accounts: asked for once per account, renewed before they expire, and when the server refuses them.
import { newUnauthorized, type Transport, valueResponse } from "@kubeloop/core/api";
import { FakeClock, noLog } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { namespaces } from "@kubeloop/core/resources";
import { expect, test } from "vitest";
import { RootClientBuilder, ServiceAccountClientBuilder } from "./client-builder.ts";

const { signal } = new AbortController();
const minuteMs = 60_000;

/** A server that gives out token-1, token-2, … for an hour each. */
function setUp() {
  const clock = new FakeClock();
  const shown: string[] = [];
  const refused = new Set<string>();
  let given = 0;
  const transport: Transport = async ({ path, headers }) => {
    if (path.endsWith("/token")) {
      const expirationTimestamp = new Date(clock.now() + 60 * minuteMs).toISOString();
      const status = { token: `token-${++given}`, expirationTimestamp };
      return valueResponse(201, { kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1", metadata: {}, status });
    }
    const token = String(headers["authorization"] ?? "none").replace("Bearer ", "");
    if (path.includes("/namespaces/shop")) shown.push(token);
    if (refused.has(token)) return valueResponse(401, newUnauthorized("Unauthorized").status);
    return valueResponse(200, { kind: "Namespace", apiVersion: "v1", metadata: { name: "shop" } });
  };
  const root = new RootClientBuilder(clientOf(transport, { clock, log: noLog }), { qps: 100, burst: 100 });
  const options = { clock, serviceAccountOf: (name: string) => name, isServiceAccount: () => true };
  const builder = new ServiceAccountClientBuilder(root, options);
  const ask = (name: string) => builder.clientFor(name).resource(namespaces).get("shop", signal);
  return { clock, shown, refused, ask, given: () => given };
}

test("one token serves all clients of an account, another account has another one", async () => {
  const { ask, shown } = setUp();
  await Promise.all([ask("ttl-controller"), ask("ttl-controller")]);
  await ask("ttl-controller");
  await ask("namespace-controller");
  expect(shown).toEqual(["token-1", "token-1", "token-1", "token-2"]);
});

test("a token is renewed when four fifths of its time are over, while it is still good", async () => {
  const { ask, clock, shown } = setUp();
  await ask("ttl-controller");
  await clock.advance(47 * minuteMs);
  await ask("ttl-controller");
  await clock.advance(2 * minuteMs);
  await ask("ttl-controller");
  expect(shown).toEqual(["token-1", "token-1", "token-2"]);
});

test("a token that the server refuses is replaced, and the request sent again", async () => {
  const { ask, refused, shown } = setUp();
  await ask("ttl-controller");
  refused.add("token-1");
  await ask("ttl-controller");
  expect(shown).toEqual(["token-1", "token-1", "token-2"]);
});

test("a server that refuses every token is not asked for one without end", async () => {
  const { ask, refused, given } = setUp();
  for (let i = 1; i < 100; i++) refused.add(`token-${i}`);
  await expect(ask("ttl-controller")).rejects.toThrow("Unauthorized");
  expect(given()).toBeLessThan(4);
});
