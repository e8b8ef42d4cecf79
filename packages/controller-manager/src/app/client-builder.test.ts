// Who asks the server, how often, and how that is measured.
import { noBody, type Transport, valueResponse } from "@kubeloop/core/api";
import { FakeClock, MetricsRegistry, noLog } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { events, namespaces } from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
import { type LimitFactors, RootClientBuilder, ServiceAccountClientBuilder, userAgentOf } from "./client-builder.ts";
import { controllerDescriptors } from "./controller-descriptors.ts";

const signal = new AbortController().signal;

function setUp(limits = { qps: 20, burst: 30 }) {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const agents: string[] = [];
  const transport: Transport = async ({ headers }) => {
    agents.push(String(headers["user-agent"]));
    return valueResponse(200, { kind: "Status", apiVersion: "v1", metadata: {} });
  };
  const builder = new RootClientBuilder(clientOf(transport, { clock }), limits, metrics);
  return { clock, metrics, agents, builder };
}

/** How many requests are answered at once, and how many more a second later. */
async function measure(limits: LimitFactors | undefined) {
  const { clock, builder } = setUp();
  const client = builder.clientFor("a", limits);
  let answered = 0;
  const stop = new AbortController();
  const asking = Array.from({ length: 8000 }, async () => {
    await client
      .transport({ method: "GET", path: "/x", query: [], headers: {}, body: noBody, prefers: "bytes" }, stop.signal)
      .then(() => answered++)
      .catch(() => undefined);
  });
  await clock.advance(0);
  const burst = answered;
  await clock.advance(1000);
  const qps = answered - burst;
  stop.abort(new Error("the test is over"));
  await Promise.all(asking);
  return { burst, qps };
}

describe("the rate limit", () => {
  test.each([
    ["of most controllers is that of the flags", "replicaset-controller", { qps: 20, burst: 30 }],
    ["of the namespace controller is much higher", "namespace-controller", { qps: 400, burst: 3000 }],
    ["of the garbage collector doubles the rate only", "garbage-collector-controller", { qps: 40, burst: 30 }],
    [
      "of the storage version migrator is much higher",
      "storage-version-migrator-controller",
      { qps: 400, burst: 3000 },
    ],
  ])("%s", async (_fact, name, expected) => {
    const { limits } = controllerDescriptors.find((one) => one.name === name) ?? {};
    expect(await measure(limits)).toEqual(expected);
  });

  test("no other controller has one of its own", () => {
    const own = controllerDescriptors.filter(({ limits }) => limits !== undefined).map(({ name }) => name);
    expect(own).toEqual([
      "namespace-controller",
      "garbage-collector-controller",
      "storage-version-migrator-controller",
    ]);
  });

  test("is one for all that a client asks, its events among it", async () => {
    const { clock, builder } = setUp({ qps: 1, burst: 2 });
    const client = builder.clientFor("a");
    await client
      .resource(namespaces)
      .get("n", signal)
      .catch(() => undefined);
    await client
      .resource(events)
      .in("shop")
      .get("e", signal)
      .catch(() => undefined);
    let isOver = false;
    const third = client
      .resource(events)
      .in("shop")
      .get("f", signal)
      .catch(() => undefined)
      .then(() => {
        isOver = true;
      });
    await clock.advance(900);
    expect(isOver).toBe(false);
    await clock.advance(100);
    await third;
  });
});

test("each client says who it is, as upstream's do", async () => {
  const { builder, agents } = setUp();
  await builder
    .clientFor("generic-garbage-collector")
    .resource(namespaces)
    .get("a", signal)
    .catch(() => undefined);
  expect(agents).toEqual([userAgentOf("generic-garbage-collector")]);
  expect(agents[0]).toMatch(
    /^kube-controller-manager\/v1\.36\.4 \([a-z0-9]+\/[a-z0-9]+\) kubeloop\/generic-garbage-collector$/,
  );
});

test("requests and their waits are measured", async () => {
  const { builder, metrics } = setUp();
  const [a, b] = [builder.clientFor("a"), builder.clientFor("b")];
  for (const client of [a, b])
    await client
      .resource(namespaces)
      .get("x", signal)
      .catch(() => undefined);
  const text = metrics.print();
  expect(text).toContain('rest_client_requests_total{code="200",method="GET",host="none"} 2\n');
  expect(text).toContain('rest_client_rate_limiter_duration_seconds_count{verb="GET",host="none"} 2\n');
  expect(text).toContain('rest_client_request_duration_seconds_count{verb="GET",host="none"} 2\n');
  expect(text).toContain('rest_client_transport_create_calls_total{result="hit"} 2\n');
});

test("with service accounts, a controller's client has its account's token, and is limited and measured the same", async () => {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const seen: string[] = [];
  const transport: Transport = async ({ path, headers }) => {
    seen.push(`${path} ${headers["authorization"] ?? "-"}`);
    const status = { token: "secret", expirationTimestamp: new Date(clock.now() + 3_600_000).toISOString() };
    return valueResponse(201, { kind: "X", apiVersion: "v1", metadata: { name: "x" }, status });
  };
  const root = new RootClientBuilder(clientOf(transport, { clock, log: noLog }), { qps: 20, burst: 30 }, metrics);
  const builder = new ServiceAccountClientBuilder(root, {
    clock,
    isServiceAccount: (name) => name === "ttl-controller",
  });
  await builder.clientFor("ttl-controller").resource(namespaces).get("a", signal);
  await builder.clientFor("tokens-controller").resource(namespaces).get("b", signal);
  expect(seen).toEqual([
    "/api/v1/namespaces/kube-system/serviceaccounts -",
    "/api/v1/namespaces/kube-system/serviceaccounts/ttl-controller/token -",
    "/api/v1/namespaces/a Bearer secret",
    "/api/v1/namespaces/b -",
  ]);
  expect(metrics.print()).toContain('rest_client_requests_total{code="201",method="GET",host="none"} 2\n');
});
