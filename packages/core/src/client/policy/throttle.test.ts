import { describe, expect, test } from "vitest";
import { FakeClock, type Log, MetricsRegistry, noLog } from "../../base/index.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { newRequest, ScriptedTransport, watchRequest } from "./scripted-transport.fixture.ts";
import { Throttle, withRateLimit } from "./throttle.ts";

const never = new AbortController().signal;

function throttled(qps: number, burst: number) {
  const clock = new FakeClock();
  const server = new ScriptedTransport(clock, { status: 200 });
  const limiter = new RateLimiter({ qps, burst, clock });
  const metrics = new MetricsRegistry();
  const lines: string[] = [];
  const line = (level: string) => (message: string, fields?: object) =>
    lines.push(`${level}: ${message} ${JSON.stringify(fields)}`);
  const log: Log = { ...noLog, debug: line("debug"), info: line("info"), warn: line("warn") };
  const throttle = new Throttle({ clock, limiter, log, metrics, host: "h:1" });
  return { clock, server, limiter, metrics, lines, throttle, transport: withRateLimit(server.send, throttle) };
}

test("requests wait, in order; a watch does not and takes no token", async () => {
  const { clock, server, transport } = throttled(1, 1);
  const calls = ["/a", "/b", "/c"].map((path) => transport(newRequest("GET", path), never));
  calls.push(transport(watchRequest, never));
  await clock.drive(Promise.all(calls));
  const timesByPath = Object.fromEntries(server.attempts.map(({ atMs, request }) => [request.path, atMs]));
  expect(timesByPath).toEqual({ "/a": 0, "/api/v1/pods": 0, "/b": 1000, "/c": 2000 });
});

test("transports that share a limiter share its tokens and stand in one line", async () => {
  const { clock, server, limiter } = throttled(1, 1);
  const [one, two] = [1, 2].map(() => withRateLimit(server.send, new Throttle({ clock, limiter })));
  await clock.drive(
    Promise.all([
      one?.(newRequest("GET", "/1"), never),
      two?.(newRequest("GET", "/2"), never),
      one?.(newRequest("GET", "/3"), never),
      two?.(newRequest("GET", "/4"), never),
    ]),
  );
  expect(server.attempts.map(({ atMs, request }) => [request.path, atMs])).toEqual([
    ["/1", 0],
    ["/2", 1000],
    ["/3", 2000],
    ["/4", 3000],
  ]);
});

test("who gives up while waiting sends nothing", async () => {
  const { clock, server, transport } = throttled(1, 1);
  const caller = new AbortController();
  await clock.drive(transport(newRequest(), never));
  const call = transport(newRequest(), caller.signal).catch((error: Error) => error.message);
  caller.abort(new Error("enough"));
  expect(await call).toBe("enough");
  await clock.advance(10_000);
  expect([server.attempts.length, clock.pending()]).toEqual([1, []]);
});

describe("what the operator is told of waits", () => {
  const wait = (level: string, waitedMs: number) =>
    `${level}: client-side throttling {"method":"GET","path":"/api/v1/pods","waitedMs":${waitedMs}}`;
  for (const [name, qps, count, expected] of [
    ["nothing of short ones", 20, 2, []],
    ["long ones, who asks for it", 10, 2, [wait("debug", 100)]],
    ["a second is not yet very long", 1, 2, [wait("debug", 1000)]],
    ["very long ones", 0.5, 2, [wait("info", 2000)]],
    [
      "very long ones, once in ten seconds",
      0.5,
      7,
      [
        wait("info", 2000),
        wait("debug", 4000),
        wait("debug", 6000),
        wait("debug", 8000),
        wait("debug", 10_000),
        wait("info", 12_000),
      ],
    ],
  ] as const) {
    test(name, async () => {
      const { clock, transport, lines } = throttled(qps, 1);
      await clock.drive(Promise.all(Array.from({ length: count }, () => transport(newRequest(), never))));
      expect(lines).toEqual(expected);
    });
  }
});

test("every wait is measured, the one of nobody's patience too, a watch's none", async () => {
  const { clock, transport, metrics } = throttled(2, 1);
  const caller = new AbortController();
  const calls = [
    transport(newRequest(), never),
    transport(newRequest(), never),
    transport(newRequest("POST"), caller.signal).catch(() => {}),
    transport(watchRequest, never),
  ];
  await clock.advance(750);
  caller.abort();
  await Promise.all(calls);
  const series = metrics.print().match(/^rest_client_rate_limiter_duration_seconds_(sum|count).*$/gm);
  expect(series).toEqual([
    'rest_client_rate_limiter_duration_seconds_sum{verb="GET",host="h:1"} 0.5',
    'rest_client_rate_limiter_duration_seconds_count{verb="GET",host="h:1"} 2',
    'rest_client_rate_limiter_duration_seconds_sum{verb="POST",host="h:1"} 0.75',
    'rest_client_rate_limiter_duration_seconds_count{verb="POST",host="h:1"} 1',
  ]);
});
