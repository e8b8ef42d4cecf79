import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { collectBytes, TransportError } from "../../api/transport.ts";
import { FakeClock, type Log, MetricsRegistry, noLog } from "../../base/index.ts";
import { withDeadline } from "./deadline.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { type RetryOptions, withRetry } from "./retry.ts";
import { newRequest, ScriptedTransport, type Step, watchRequest } from "./scripted-transport.fixture.ts";
import { Throttle } from "./throttle.ts";

const never = new AbortController().signal;
const busy = { status: 429, headers: { "retry-after": "1" }, text: ["busy"] };
const lost = new TransportError("no answer", { reason: "ConnectionLost", wasSent: "maybe" });
const dead = new TransportError("no answer", { reason: "ConnectionLost", wasSent: "no" });
const refused = new TransportError("no answer", { reason: "ConnectionRefused", wasSent: "no" });
const fine = { status: 200, text: ["fine"] };

function scripted(...steps: readonly Step[]) {
  const clock = new FakeClock();
  const server = new ScriptedTransport(clock, ...steps);
  return {
    clock,
    server,
    retrying: (options: Partial<RetryOptions> = {}) => withRetry(server.send, { clock, ...options }),
  };
}

/** When each attempt was made and what came of the whole. */
async function run(steps: readonly Step[], request = newRequest()) {
  const { clock, server, retrying } = scripted(...steps);
  const result = await clock.drive(
    retrying()(request, never).then(
      async (response) => {
        await response[Symbol.asyncDispose]();
        return response.status;
      },
      (error: TransportError) => error.reason,
    ),
  );
  expect([clock.pending(), server.open]).toEqual([[], 0]);
  return [server.times, result];
}

describe("attempts", () => {
  const elevenSeconds = Array.from({ length: 11 }, (_, i) => i * 1000);
  for (const [name, steps, request, expected] of [
    ["one, when it is answered", [fine], newRequest(), [[0], 200]],
    ["another when the server asks for it", [busy, fine], newRequest(), [[0, 1000], 200]],
    [
      "as far apart as the server asks",
      [{ ...busy, headers: { "retry-after": "3" } }, { status: 503, headers: { "retry-after": "0" } }, fine],
      newRequest("POST"),
      [[0, 3000, 3000], 200],
    ],
    ["eleven at most, then the last answer", [busy], newRequest(), [elevenSeconds, 429]],
    ["eleven at most, then the last error", [lost], newRequest(), [elevenSeconds, "ConnectionLost"]],
    ["at once after a dead connection, then slower", [dead, dead, fine], newRequest("POST"), [[0, 0, 1000], 200]],
    ["one where the server is not there", [refused], newRequest(), [[0], "ConnectionRefused"]],
    ["one for a write that may have been done", [lost], newRequest("POST"), [[0], "ConnectionLost"]],
    ["errors and refusals mixed", [lost, busy, dead, fine], newRequest(), [[0, 1000, 2000, 3000], 200]],
    ["eleven to open a watch, then an empty one", [lost], watchRequest, [elevenSeconds, 200]],
    ["a slow answer counts from its arrival", [{ ...busy, delayMs: 500 }, fine], newRequest(), [[0, 1500], 200]],
  ] as const) {
    test(name, async () => expect(await run(steps, request)).toEqual(expected));
  }
});

test("an empty watch reads as one that has ended, of the kind that was asked for", async () => {
  for (const prefers of ["bytes", "values"] as const) {
    const { clock, retrying } = scripted(lost);
    const response = await clock.drive(retrying({ maxRetries: 1 })({ ...watchRequest, prefers }, never));
    const { body } = response;
    expect(body.kind).toBe(prefers);
    const items: unknown[] = [];
    if (body.kind === "bytes") for await (const item of body.bytes) items.push(item);
    if (body.kind === "values") for await (const item of body.values) items.push(item);
    expect(items).toEqual([]);
    await response[Symbol.asyncDispose]();
  }
});

test("every attempt sends the very same request", async () => {
  const { clock, server, retrying } = scripted(busy, lost, fine);
  const request = newRequest("GET", "/api/v1/pods", { headers: { "user-agent": "me/1" } });
  await clock.drive(retrying()(request, never));
  expect(server.attempts.map((attempt) => attempt.request === request)).toEqual([true, true, true]);
});

describe("an answer that is not handed out is over before the wait begins", () => {
  for (const [name, step] of [
    ["when it is short and read", busy],
    ["when it is long and left", { ...busy, text: Array.from({ length: 64 }, () => "x".repeat(100)), isStalled: true }],
    [
      "when it says that it is long",
      { ...busy, headers: { ...busy.headers, "content-length": "4096" }, isStalled: true },
    ],
  ] as const) {
    test(name, async () => {
      const { clock, server, retrying } = scripted(step, fine);
      const call = retrying()(newRequest(), never);
      await clock.settle();
      expect([server.open, clock.pending().map(({ dueInMs }) => dueInMs)]).toEqual([0, [1000]]);
      const { body } = await clock.drive(call);
      if (body.kind !== "bytes") throw new Error("expected bytes");
      expect(new TextDecoder().decode(await collectBytes(body.bytes, { maxBytes: 100 }))).toBe("fine");
    });
  }
});

describe("no wait goes past the deadline", () => {
  for (const [name, steps, expected] of [
    ["the last answer is handed out instead", [busy], [[0, 1000, 2000], 429, 2000]],
    ["or the last error", [lost], [[0, 1000, 2000], "ConnectionLost", 2000]],
    ["or the time is up while an attempt is under way", [busy, "silence"], [[0, 1000], "Timeout", 2500]],
  ] as const) {
    test(name, async () => {
      const { clock, server, retrying } = scripted(...steps);
      const transport = withDeadline(retrying(), { clock, timeoutMs: 2500 });
      const result = await clock.drive(
        transport(newRequest(), never).then(
          async (response) => {
            if (response.body.kind === "bytes") await collectBytes(response.body.bytes, { maxBytes: 100 });
            return response.status;
          },
          (error: TransportError) => error.reason,
        ),
      );
      expect([server.times, result, clock.monotonic()]).toEqual(expected);
      expect([clock.pending(), server.open]).toEqual([[], 0]);
    });
  }
});

describe("retries wait for the limiter", () => {
  for (const [name, request, times] of [
    ["of requests", newRequest("POST"), [0, 5000, 10_000]],
    ["of watches", watchRequest, [0, 5000, 10_000]],
  ] as const) {
    test(name, async () => {
      const { clock, server, retrying } = scripted(busy, busy, fine);
      const limiter = new RateLimiter({ qps: 0.2, burst: 1, clock });
      limiter.tryTake();
      await clock.drive(retrying({ throttle: new Throttle({ clock, limiter }) })(request, never));
      expect(server.times).toEqual(times);
    });
  }
});

test("retries are counted by what came of them, and told to the log", async () => {
  const { clock, retrying } = scripted(
    { ...busy, headers: { ...busy.headers, "x-kubernetes-pf-flowschema-uid": "u-1" } },
    lost,
    fine,
  );
  const metrics = new MetricsRegistry();
  const lines: unknown[] = [];
  const log: Log = { ...noLog, debug: (message, fields) => lines.push([message, fields]) };
  await clock.drive(retrying({ metrics, host: "h:1", log })(newRequest(), never));
  expect(metrics.print().match(/^rest_client_request_retries_total.*$/gm)).toEqual([
    'rest_client_request_retries_total{code="200",verb="GET",host="h:1"} 1',
    'rest_client_request_retries_total{code="<error>",verb="GET",host="h:1"} 1',
  ]);
  const request = { method: "GET", path: "/api/v1/pods" };
  expect(lines).toEqual([
    ["retrying request", { ...request, status: 429, flowSchema: "u-1", retry: 1, delayMs: 1000 }],
    ["retrying request", { ...request, error: lost, retry: 2, delayMs: 1000 }],
  ]);
});

describe("aborting", () => {
  for (const [name, steps, atMs, attempts] of [
    ["before anything", [fine], undefined, 0],
    ["during an attempt", ["silence"], 100, 1],
    ["during a wait", [busy], 100, 1],
    ["while a discarded answer is read", [{ ...busy, isStalled: true }], 100, 1],
    ["during the second wait", [busy], 1100, 2],
  ] as const) {
    test(`${name} rejects with the reason, and nothing follows`, async () => {
      const { clock, server, retrying } = scripted(...steps);
      const caller = new AbortController();
      if (atMs === undefined) caller.abort(new Error("enough"));
      const call = retrying()(newRequest(), caller.signal).catch((error: Error) => error.message);
      await clock.advance(atMs ?? 0);
      caller.abort(new Error("enough"));
      expect(await call).toBe("enough");
      await clock.advance(60_000);
      expect([server.attempts.length, server.open, clock.pending()]).toEqual([attempts, 0, []]);
      expect(getEventListeners(caller.signal, "abort")).toHaveLength(0);
    });
  }
});

test("a connection that breaks because the caller gave up is no empty watch", async () => {
  const caller = new AbortController();
  const transport = withRetry(
    async () => {
      caller.abort(new Error("enough"));
      throw lost;
    },
    { clock: new FakeClock(), maxRetries: 0 },
  );
  await expect(transport(watchRequest, caller.signal)).rejects.toThrow("enough");
});
