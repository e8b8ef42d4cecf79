import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { type ApiRequest, collectBytes, TransportError, valueResponse } from "../../api/transport.ts";
import { FakeClock, type Log, MetricsRegistry, noLog } from "../../base/index.ts";
import { type ClientPolicyOptions, withClientPolicies } from "./client-policies.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { newRequest, ScriptedTransport, type Step, watchRequest } from "./scripted-transport.fixture.ts";

const never = new AbortController().signal;
const statusText = '{"kind":"Status","apiVersion":"v1","status":"Success"}';
const fine = { status: 200, text: [statusText.slice(0, 20), statusText.slice(20)] };
const busy = { status: 429, headers: { "retry-after": "1", warning: '299 - "busy"' } };

function client(steps: readonly Step[], options: Partial<ClientPolicyOptions> = {}) {
  const clock = options.clock instanceof FakeClock ? options.clock : new FakeClock();
  const server = new ScriptedTransport(clock, ...steps);
  const metrics = new MetricsRegistry();
  const send = withClientPolicies(server.send, { clock, metrics, host: "h:1", userAgent: "me/1", ...options });
  const call = (request: ApiRequest, signal = never) =>
    clock.drive(
      send(request, signal).then(async (response) => {
        if (response.body.kind === "bytes") await collectBytes(response.body.bytes, { maxBytes: 1000 });
        return response.status;
      }),
    );
  /** All series but the buckets, by the end of their names. */
  const counted = () =>
    metrics
      .print()
      .split("\n")
      .filter((line) => line.startsWith("rest_client") && !line.includes("_bucket"))
      .map((line) => line.replace("rest_client_", "").replace(',host="h:1"', ""));
  return { clock, server, metrics, send, call, counted };
}

// The same three calls made by client-go 1.36 left the same numbers, but for the durations.
test("a retried list, a create and a watch count as they do upstream", async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ qps: 100, burst: 100, clock });
  const { call, counted } = client([busy, fine], { clock, limiter });
  await call(newRequest("GET", "/api/v1/busy", { query: [["timeout", "1m30.5s"]] }));
  const bytes = new TextEncoder().encode('{"kind":"Pod"}');
  await call(newRequest("POST", "/api/v1/pods", { body: { kind: "bytes", bytes } }));
  await call(watchRequest);
  expect(counted().sort()).toEqual(
    [
      'rate_limiter_duration_seconds_sum{verb="GET"} 0',
      'rate_limiter_duration_seconds_count{verb="GET"} 2',
      'rate_limiter_duration_seconds_sum{verb="POST"} 0',
      'rate_limiter_duration_seconds_count{verb="POST"} 1',
      'request_duration_seconds_sum{verb="GET"} 1',
      'request_duration_seconds_count{verb="GET"} 1',
      'request_duration_seconds_sum{verb="POST"} 0',
      'request_duration_seconds_count{verb="POST"} 1',
      'request_retries_total{code="200",verb="GET"} 1',
      'request_size_bytes_sum{verb="GET"} 0',
      'request_size_bytes_count{verb="GET"} 2',
      'request_size_bytes_sum{verb="POST"} 14',
      'request_size_bytes_count{verb="POST"} 1',
      'requests_total{code="200",method="GET"} 2',
      'requests_total{code="200",method="POST"} 1',
      'requests_total{code="429",method="GET"} 1',
      'response_size_bytes_sum{verb="GET"} 54',
      'response_size_bytes_count{verb="GET"} 1',
      'response_size_bytes_sum{verb="POST"} 54',
      'response_size_bytes_count{verb="POST"} 1',
    ].sort(),
  );
});

describe("what else is counted", () => {
  const sizes = /^response_size_bytes_count/;
  for (const [name, step, expected] of [
    ["an empty success has a size", { status: 200, text: [] }, ['response_size_bytes_count{verb="GET"} 1']],
    ["a refusal with a body too", { status: 404, text: ["no"] }, ['response_size_bytes_count{verb="GET"} 1']],
    ["an empty refusal has none", { status: 404 }, []],
  ] as const) {
    test(name, async () => {
      const { call, counted } = client([step]);
      await call(newRequest());
      expect(counted().filter((line) => sizes.test(line))).toEqual(expected);
    });
  }

  test("a value has a duration and no size", async () => {
    const metrics = new MetricsRegistry();
    const send = withClientPolicies(async () => valueResponse(200, {}), { clock: new FakeClock(), metrics });
    await send(newRequest("POST", "/api/v1/pods", { body: { kind: "value", value: {} } }), never);
    expect(metrics.print()).toContain('rest_client_request_duration_seconds_count{verb="POST",host="none"} 1');
    expect(metrics.print()).not.toMatch(/size_bytes_count/);
  });

  test("an error is one, whatever it says, and has a duration", async () => {
    const { call, counted } = client([new TransportError("x", { reason: "ConnectionRefused", wasSent: "no" })]);
    await expect(call(newRequest())).rejects.toThrow("x");
    expect(counted()).toContain('requests_total{code="<error>",method="GET"} 1');
    expect(counted()).toContain('request_duration_seconds_count{verb="GET"} 1');
  });

  test("the duration lasts until the body is read", async () => {
    const { clock, send, counted } = client([{ ...fine, delayMs: 250 }]);
    const response = await clock.drive(send(newRequest(), never));
    await clock.advance(1000);
    expect(counted()).not.toContain('request_duration_seconds_count{verb="GET"} 1');
    await response[Symbol.asyncDispose]();
    expect(counted()).toContain('request_duration_seconds_sum{verb="GET"} 1.25');
  });
});

test("the deadline starts once the limiter has let the request through", async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ qps: 0.1, burst: 1, clock });
  limiter.tryTake();
  const { server, call } = client(["silence"], { clock, limiter, timeoutMs: 3000 });
  await expect(call(newRequest())).rejects.toThrow("GET /api/v1/pods timed out after 3000 ms");
  expect([server.times, clock.monotonic()]).toEqual([[10_000], 13_000]);
});

test("a retry that the limiter would hold beyond the deadline is not made", async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ qps: 0.1, burst: 1, clock });
  const { server, call } = client([busy], { clock, limiter, timeoutMs: 3000 });
  expect([await call(newRequest()), server.times, clock.monotonic()]).toEqual([429, [0], 0]);
});

test("attempts carry the defaults, and only the final answer's warnings are told", async () => {
  const texts: unknown[] = [];
  const log: Log = { ...noLog, warn: (_, fields) => texts.push(fields?.["text"]) };
  const { server, call } = client([busy, { ...fine, headers: { warning: '299 - "old API"' } }], { log });
  await call(newRequest());
  expect(texts).toEqual(["old API"]);
  const headers = { "user-agent": "me/1", accept: "application/json" };
  expect(server.attempts.map(({ request }) => request.headers)).toEqual([headers, headers]);
});

test("10,000 calls aborted at every stage leave no timer, no listener, no answer and no one in line", async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ qps: 1000, burst: 2000, clock });
  const stages: readonly Step[] = ["silence", busy, { ...fine, isStalled: true }];
  const clients = stages.map((step) => client([step], { clock, limiter, timeoutMs: 3_600_000 }));
  const caller = new AbortController();
  const calls = Array.from({ length: 10_000 }, async (_, i) => {
    const response = await clients[i % clients.length]?.send(newRequest("GET", `/api/v1/${i}`), caller.signal);
    if (response?.body.kind === "bytes") await collectBytes(response.body.bytes, { maxBytes: 1000 });
  }).map((call) =>
    call.then(
      () => "ended",
      (error: Error) => error.message,
    ),
  );
  await clock.advance(500);
  expect(limiter.waiting).toBeGreaterThan(5000);
  caller.abort(new Error("enough"));
  expect(new Set(await Promise.all(calls))).toEqual(new Set(["enough"]));
  await clock.settle();
  expect([clock.pending(), limiter.waiting, clients.map(({ server }) => server.open)]).toEqual([[], 0, [0, 0, 0]]);
  expect(getEventListeners(caller.signal, "abort")).toHaveLength(0);
});
