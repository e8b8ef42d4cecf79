import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { type ApiRequest, collectBytes, type Query, valueResponse } from "../../api/transport.ts";
import { FakeClock, TimeoutError } from "../../base/index.ts";
import { timeoutMsOf, withDeadline } from "./deadline.ts";
import { newRequest, ScriptedTransport, type Step, watchRequest } from "./scripted-transport.fixture.ts";

function scripted(timeoutMs: number | undefined, ...steps: readonly Step[]) {
  const clock = new FakeClock();
  const server = new ScriptedTransport(clock, ...steps);
  return { clock, server, transport: withDeadline(server.send, { clock, timeoutMs }) };
}

const list = (query: Query): ApiRequest => newRequest("GET", "/api/v1/pods", { query });
const log = newRequest("GET", "/api/v1/namespaces/d/pods/p/log");

describe("what the server is told, and how long it may take", () => {
  for (const [name, timeoutMs, request, timeout, limitMs] of [
    ["nothing, without a deadline", undefined, newRequest(), undefined, undefined],
    ["nothing, with none of any length", 0, newRequest(), undefined, undefined],
    ["nothing, when it may take for ever", Number.POSITIVE_INFINITY, newRequest(), undefined, undefined],
    ["seconds", 5000, newRequest("POST"), "5s", 5000],
    ["as Go prints a duration", 90_500, newRequest(), "1m30.5s", 90_500],
    ["the request's own timeout", 5000, list([["timeout", "30s"]]), "30s", 30_000],
    ["the list's own timeoutSeconds", 5000, list([["timeoutSeconds", "30"]]), "30s", 30_000],
    ["the request's own, without a default", undefined, list([["timeout", "2s"]]), "2s", 2000],
    ["a timeout the server will refuse", 5000, list([["timeout", "soon"]]), "soon", undefined],
    ["a timeout of nothing: the server's own", 5000, list([["timeout", "0s"]]), "0s", undefined],
    ["nothing about a watch", 5000, watchRequest, undefined, undefined],
    ["nothing about a log", 5000, log, undefined, undefined],
    ["nothing about a command", 5000, newRequest("POST", "/x", { upgrade: "websocket" }), undefined, undefined],
  ] as const) {
    test(name, async () => {
      const { clock, server, transport } = scripted(timeoutMs, "silence");
      const caller = new AbortController();
      const call = transport(request, caller.signal).catch(() => {});
      await clock.settle();
      const sent = server.attempts[0]?.request ?? request;
      expect(sent.query.find(([parameter]) => parameter === "timeout")?.[1]).toBe(timeout);
      expect([timeoutMsOf(sent), clock.pending()[0]?.dueInMs]).toEqual([limitMs, limitMs]);
      caller.abort();
      await call;
    });
  }
});

test("the query keeps what it had", async () => {
  const { clock, server, transport } = scripted(1000, { status: 200 });
  await clock.drive(transport(list([["limit", "500"]]), new AbortController().signal));
  expect(server.attempts[0]?.request.query).toEqual([
    ["limit", "500"],
    ["timeout", "1s"],
  ]);
});

describe("when it ends", () => {
  for (const [name, step, expected, atMs] of [
    ["no answer in time: the error names the request", "silence", "GET /api/v1/pods timed out after 1000 ms", 1000],
    ["a late answer too", { status: 200, delayMs: 1500 }, "GET /api/v1/pods timed out after 1000 ms", 1000],
    [
      "a body that stalls too",
      { status: 200, text: ["a"], isStalled: true },
      "GET /api/v1/pods timed out after 1000 ms",
      1000,
    ],
    ["an answer in time", { status: 200, text: ["a", "b"], delayMs: 999 }, "ab", 999],
    ["an error is passed on", new Error("broken"), "broken", 0],
  ] as const) {
    test(name, async () => {
      const { clock, server, transport } = scripted(1000, step);
      const caller = new AbortController();
      const result = await clock.drive(
        transport(newRequest(), caller.signal)
          .then(async ({ body }) =>
            body.kind === "bytes" ? new TextDecoder().decode(await collectBytes(body.bytes, { maxBytes: 10 })) : "",
          )
          .catch((error: Error) => {
            if (atMs === 1000) expect(error).toBeInstanceOf(TimeoutError);
            return error.message;
          }),
      );
      expect([result, clock.monotonic(), server.open, clock.pending()]).toEqual([expected, atMs, 0, []]);
      expect(getEventListeners(caller.signal, "abort")).toHaveLength(0);
    });
  }
});

describe("the timer is dropped", () => {
  const never = new AbortController().signal;
  const streaming = { status: 200, text: ["a", "b"], isStalled: true };

  test("with an answer that has no body", async () => {
    const { clock, transport } = scripted(1000, { status: 200 });
    await transport(newRequest(), never);
    expect(clock.pending()).toEqual([]);
  });

  test("with an answer that is a value", async () => {
    const clock = new FakeClock();
    await withDeadline(async () => valueResponse(200, {}), { clock, timeoutMs: 1000 })(newRequest(), never);
    expect(clock.pending()).toEqual([]);
  });

  test("by disposing of the answer, once or twice", async () => {
    const { clock, server, transport } = scripted(1000, streaming);
    const response = await transport(newRequest(), never);
    expect(clock.pending()).toMatchObject([{ dueInMs: 1000, name: "deadline of GET /api/v1/pods" }]);
    await response[Symbol.asyncDispose]();
    await response[Symbol.asyncDispose]();
    expect([clock.pending(), server.open]).toEqual([[], 0]);
  });

  test("by who stops reading", async () => {
    const { clock, server, transport } = scripted(1000, streaming);
    const { body } = await transport(newRequest(), never);
    if (body.kind === "bytes") for await (const _ of body.bytes) break;
    expect([clock.pending(), server.open]).toEqual([[], 0]);
  });

  test("by a body that breaks", async () => {
    const clock = new FakeClock();
    const caller = new AbortController();
    const bytes = (async function* () {
      yield new Uint8Array(1);
      throw new Error("broken");
    })();
    const broken = { ...valueResponse(200, {}), body: { kind: "bytes", bytes } } as const;
    const { body } = await withDeadline(async () => broken, { clock, timeoutMs: 1000 })(newRequest(), caller.signal);
    if (body.kind !== "bytes") throw new Error("expected bytes");
    await expect(collectBytes(body.bytes, { maxBytes: 10 })).rejects.toThrow("broken");
    expect([clock.pending(), getEventListeners(caller.signal, "abort").length]).toEqual([[], 0]);
  });

  test("by a caller who aborts while reading, with the caller's reason", async () => {
    const { clock, server, transport } = scripted(1000, streaming);
    const caller = new AbortController();
    const { body } = await transport(newRequest(), caller.signal);
    if (body.kind !== "bytes") throw new Error("expected bytes");
    const reading = collectBytes(body.bytes, { maxBytes: 10 }).catch((error: Error) => error.message);
    await clock.settle();
    caller.abort(new Error("enough"));
    expect(await reading).toBe("enough");
    expect([clock.pending(), server.open]).toEqual([[], 0]);
    expect(getEventListeners(caller.signal, "abort")).toHaveLength(0);
  });
});
