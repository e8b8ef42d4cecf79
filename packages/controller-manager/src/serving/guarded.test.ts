import { X509Certificate } from "node:crypto";
import { createAuthority } from "@kubeloop/apiserver/authority";
import {
  type ApiRequest,
  type authenticationv1,
  type authorizationv1,
  noBody,
  type Transport,
  valueResponse,
} from "@kubeloop/core/api";
import { FakeClock, MetricsRegistry, noLog } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { Authentication, type ClientAuthorities, textResponse } from "@kubeloop/core/runtime";
import { beforeAll, describe, expect, test } from "vitest";
import { servingMetrics } from "../metrics/index.ts";
import { Authorization } from "./authorization.ts";
import { guarded } from "./guarded.ts";

const signal = new AbortController().signal;
const clock = new FakeClock();
const der = (pem: string) => new Uint8Array(new X509Certificate(pem).raw);

let authorities: ClientAuthorities;
let certificates: Readonly<Record<"alice" | "master" | "proxy" | "stranger", readonly Uint8Array[]>>;
beforeAll(async () => {
  const [clients, proxies, others] = await Promise.all(["clients", "proxies", "others"].map(createAuthority));
  if (clients === undefined || proxies === undefined || others === undefined) throw new Error("no authorities");
  const alice = await clients.issueClient({ user: "alice", groups: ["dev"] });
  const master = await clients.issueClient({ user: "root", groups: ["system:masters"] });
  const proxy = await proxies.issueClient({ user: "front-proxy" });
  const stranger = await others.issueClient({ user: "root", groups: ["system:masters"] });
  certificates = {
    alice: [der(alice.certPem)],
    master: [der(master.certPem)],
    proxy: [der(proxy.certPem)],
    stranger: [der(stranger.certPem)],
  };
  // Certificates are made by the system's clock.
  clock.setWallTime(Date.parse(new X509Certificate(alice.certPem).validFrom) + 2 * 3600 * 1000);
  authorities = {
    clientAuthorities: [new X509Certificate(clients.pair.certPem)],
    requestHeader: {
      authorities: [new X509Certificate(proxies.pair.certPem)],
      allowedNames: ["front-proxy"],
      usernameHeaders: ["X-Remote-User"],
      uidHeaders: ["X-Remote-Uid"],
      groupHeaders: ["X-Remote-Group"],
      extraHeaderPrefixes: ["X-Remote-Extra-"],
    },
  };
});

interface Review {
  readonly spec: authenticationv1.TokenReviewSpec & authorizationv1.SubjectAccessReviewSpec;
}

/** A cluster that knows the token "good", and lets bob read /metrics. */
function newCluster() {
  const asked: string[] = [];
  const transport: Transport = async (request) => {
    const body = request.body.kind === "value" ? (request.body.value as Review) : undefined;
    const spec = body?.spec ?? ({} as Review["spec"]);
    if (request.path.endsWith("/tokenreviews")) {
      asked.push(`token ${spec.token}`);
      const status = spec.token === "good" ? { authenticated: true, user: { username: "bob", groups: ["ops"] } } : {};
      return valueResponse(201, { kind: "TokenReview", apiVersion: "authentication.k8s.io/v1", metadata: {}, status });
    }
    const { path, verb } = spec.nonResourceAttributes ?? {};
    const { uid = "", extra = {} } = spec;
    const more = uid === "" && Object.keys(extra).length === 0 ? "" : ` ${uid} ${JSON.stringify(extra)}`;
    asked.push(`${spec.user} ${verb} ${path}${more}`);
    const status = { allowed: spec.user === "bob" && path === "/metrics" };
    return valueResponse(201, {
      kind: "SubjectAccessReview",
      apiVersion: "authorization.k8s.io/v1",
      metadata: {},
      status,
    });
  };
  return { asked, client: clientOf(transport, { clock }) };
}

interface Given {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly as?: keyof typeof certificates;
  readonly isAlone?: boolean;
}

function newGuards(isAlone = false) {
  const { asked, client } = newCluster();
  const remote = isAlone ? undefined : client;
  const seen: string[] = [];
  const registry = new MetricsRegistry();
  const metrics = servingMetrics(registry);
  const handler = guarded(
    async ({ path }) => {
      seen.push(path);
      return textResponse(200, "secret");
    },
    {
      clock,
      metrics,
      authentication: new Authentication({
        clock,
        metrics: metrics.authentication,
        authorities: () => authorities,
        client: remote,
        tokenTtlMs: 10_000,
      }),
      authorization: new Authorization({
        clock,
        metrics: metrics.authorization,
        alwaysAllowPaths: ["/healthz", "/open/*"],
        client: remote,
        allowTtlMs: 10_000,
        denyTtlMs: 10_000,
      }),
    },
  );
  const ask = async ({ path = "/metrics", headers = {}, as }: Given) => {
    const request: ApiRequest = { method: "GET", path, query: [], headers, body: noBody, prefers: "bytes" };
    const peer = { certificates: as === undefined ? [] : certificates[as] };
    try {
      return (await handler(request, signal, peer)).status;
    } catch (error) {
      return (error as { readonly status?: { readonly code?: number } }).status?.code ?? 0;
    }
  };
  return { ask, asked, seen, registry };
}

describe("may read", () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  test.each<[string, Given, number]>([
    ["nobody, /metrics", {}, 403],
    ["nobody, /healthz", { path: "/healthz" }, 200],
    ["nobody, what begins as an allowed path does", { path: "/open/door" }, 200],
    ["nobody, what only looks like an allowed path", { path: "/healthz/ping" }, 403],
    ["a token that the cluster knows and allows", { headers: bearer("good") }, 200],
    ["a token that the cluster knows and does not allow", { headers: bearer("good"), path: "/configz" }, 403],
    ["a token that the cluster does not know", { headers: bearer("bad") }, 401],
    ["a bad token, /healthz", { headers: bearer("bad"), path: "/healthz" }, 401],
    ["an administrator's certificate, without asking", { as: "master", path: "/configz" }, 200],
    ["another one's certificate", { as: "alice" }, 403],
    ["a stranger's certificate that claims to be an administrator's", { as: "stranger" }, 401],
    ["a stranger's certificate, /healthz", { as: "stranger", path: "/healthz" }, 401],
    ["a stranger's certificate with a good token", { as: "stranger", headers: bearer("good") }, 200],
    ["a front proxy that names nobody", { as: "proxy" }, 401],
    ["a front proxy's user", { as: "proxy", headers: { "x-remote-user": "bob" } }, 200],
    [
      "a front proxy's administrator",
      { as: "proxy", headers: { "x-remote-user": "x", "x-remote-group": "system:masters" }, path: "/x" },
      200,
    ],
    ["headers without a front proxy's certificate", { headers: { "x-remote-user": "bob" } }, 403],
    ["headers with a client's certificate", { as: "alice", headers: { "x-remote-group": "system:masters" } }, 403],
    ["a token where there is nobody to ask", { headers: bearer("good"), isAlone: true }, 403],
  ])("%s: %j → %i", async (_name, given, status) => {
    const { ask, seen } = newGuards(given.isAlone);
    expect(await ask(given)).toBe(status);
    expect(seen).toHaveLength(status === 200 ? 1 : 0);
  });
});

test("the cluster is asked once for a while", async () => {
  const { ask, asked } = newGuards();
  const headers = { authorization: "Bearer good" };
  await Promise.all([ask({ headers }), ask({ headers })]);
  await ask({ headers });
  expect(asked).toEqual(["token good", "bob get /metrics"]);
  await clock.advance(10_001);
  await ask({ headers });
  expect(asked).toHaveLength(4);
});

test("the cluster is told the uid and all else that a front proxy says of a user", async () => {
  const { ask, asked } = newGuards();
  const headers = { "x-remote-user": "bob", "x-remote-uid": "7", "x-remote-extra-team%2fname": "blue" };
  await ask({ as: "proxy", headers });
  expect(asked).toEqual(['bob get /metrics 7 {"team/name":["blue"]}']);
});

test("an expired certificate is nobody's", async () => {
  const { ask } = newGuards();
  const before = clock.now();
  clock.setWallTime(before + 2 * 365 * 24 * 3600 * 1000);
  expect(await ask({ as: "master" })).toBe(401);
  clock.setWallTime(before);
  expect(await ask({ as: "master" })).toBe(200);
});

describe("is measured", () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  test.each<[string, readonly Given[], readonly string[]]>([
    [
      "nobody",
      [{}],
      [
        'authenticated_user_requests{username="other"} 1',
        'authentication_attempts{result="success"} 1',
        'authentication_duration_seconds_count{result="success"} 1',
        'authorization_attempts_total{result="no-opinion"} 1',
        'apiserver_delegated_authz_request_total{code="201"} 1',
        'apiserver_delegated_authz_request_duration_seconds_count{code="201"} 1',
      ],
    ],
    [
      "a token that the cluster knows, asked about once",
      [{ headers: bearer("good") }, { headers: bearer("good") }],
      [
        'authentication_attempts{result="success"} 2',
        'authorization_attempts_total{result="allowed"} 2',
        'authorization_duration_seconds_count{result="allowed"} 2',
        'apiserver_delegated_authn_request_total{code="201"} 1',
        'apiserver_delegated_authn_request_duration_seconds_count{code="201"} 1',
        'authentication_token_cache_request_total{status="hit"} 1',
        'authentication_token_cache_request_total{status="miss"} 1',
        'authentication_token_cache_request_duration_seconds_count{status="miss"} 1',
        'authentication_token_cache_fetch_total{status="ok"} 1',
        'authentication_token_cache_active_fetch_count{status="in_flight"} 0',
        'authentication_token_cache_active_fetch_count{status="blocked"} 0',
      ],
    ],
    ["a token that it does not know", [{ headers: bearer("bad") }], ['authentication_attempts{result="error"} 1']],
    [
      "a certificate, and how long it is valid",
      [{ as: "alice" }, { as: "stranger" }],
      ["apiserver_client_certificate_expiration_seconds_count 2"],
    ],
    [
      "a user whose name is one of a person",
      [{ as: "proxy", headers: { "x-remote-user": "bob@example.com" } }],
      ['authenticated_user_requests{username="email_id"} 1'],
    ],
    [
      "a user that many clusters have",
      [{ as: "proxy", headers: { "x-remote-user": "kubelet" } }],
      ['authenticated_user_requests{username="kubelet"} 1'],
    ],
  ])("%s", async (_name, given, lines) => {
    const { ask, registry } = newGuards();
    for (const one of given) await ask(one);
    const printed = registry.print().split("\n");
    expect(lines.filter((line) => !printed.includes(line))).toEqual([]);
  });

  test("a cluster that does not answer", async () => {
    const registry = new MetricsRegistry();
    const { authentication: metrics } = servingMetrics(registry);
    const client = clientOf(() => Promise.reject(new Error("down")), { clock, log: noLog });
    const authentication = new Authentication({
      clock,
      metrics,
      authorities: () => authorities,
      client,
      tokenTtlMs: 1,
    });
    const headers = bearer("good");
    const request: ApiRequest = { method: "GET", path: "/", query: [], headers, body: noBody, prefers: "bytes" };
    await expect(authentication.userOf(request, { certificates: [] }, signal)).rejects.toThrow("down");
    expect(registry.print()).toContain('apiserver_delegated_authn_request_total{code="<error>"} 1\n');
    expect(registry.print()).toContain('authentication_token_cache_fetch_total{status="error"} 1\n');
  });
});
