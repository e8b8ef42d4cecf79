import { describe, expect, test } from "vitest";
import { type ApiRequest, type HttpHeaders, TransportError } from "../../api/transport.ts";
import { KubeloopError, TimeoutError } from "../../base/index.ts";
import { type Attempted, type AttemptOutcome, decideRetry } from "./retry-decision.ts";
import { newRequest, watchRequest } from "./scripted-transport.fixture.ts";

const get = newRequest("GET");
const post = newRequest("POST");
const exec = newRequest("GET", "/api/v1/namespaces/d/pods/p/exec", { upgrade: "websocket" });
const upload = newRequest("PUT", "/api/v1/namespaces/d/pods/p", {
  body: { kind: "bytes", bytes: (async function* () {})() },
});

const answer = (status: number, retryAfter?: string): AttemptOutcome => {
  const headers: HttpHeaders = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  return { kind: "answer", response: { status, headers } };
};
const failure = (reason: string, wasSent: "no" | "maybe", cause?: unknown): AttemptOutcome => ({
  kind: "failure",
  error: new TransportError("no answer", { reason, wasSent, cause }),
});
const dialTimeout = failure("ConnectFailed", "no", new TimeoutError("dialling", 30_000));

function decide(request: ApiRequest, outcome: AttemptOutcome, rest: Partial<Attempted> = {}): string {
  const decision = decideRetry({
    request,
    outcome,
    retries: 0,
    maxRetries: 10,
    leftMs: Number.POSITIVE_INFINITY,
    throttleMs: 0,
    nowMs: Date.parse("2030-01-01T00:00:00Z"),
    ...rest,
  });
  return decision.kind === "retry" ? `retry in ${decision.delayMs}` : decision.kind;
}

describe("answers", () => {
  for (const [name, request, outcome, expected] of [
    ["200 is the answer", get, answer(200), "settle"],
    ["200 with Retry-After too", get, answer(200, "1"), "settle"],
    ["429 that says when", get, answer(429, "1"), "retry in 1000"],
    ["429 that does not say", get, answer(429), "settle"],
    ["429 to a write", post, answer(429, "3"), "retry in 3000"],
    ["500 that says when", post, answer(500, "2"), "retry in 2000"],
    ["503 that says when", get, answer(503, "0"), "retry in 0"],
    ["504 that does not say", get, answer(504), "settle"],
    ["409 that says when", get, answer(409, "1"), "settle"],
    ["429 to a body that is gone", upload, answer(429, "1"), "settle"],
    ["429 to a watch", watchRequest, answer(429, "1"), "retry in 1000"],
    ["500 to a watch that does not say", watchRequest, answer(500), "settle"],
    ["429 with a date", get, answer(429, "Tue, 01 Jan 2030 00:00:05 GMT"), "retry in 5000"],
    ["429 with words", get, answer(429, "soon"), "settle"],
  ] as const) {
    test(`${name}: ${expected}`, () => expect(decide(request, outcome)).toBe(expected));
  }
});

describe("no answer", () => {
  for (const [name, request, outcome, expected] of [
    ["a read whose connection was reset", get, failure("ConnectionReset", "maybe"), "retry in 1000"],
    ["a read whose connection was lost", newRequest("HEAD"), failure("ConnectionLost", "maybe"), "retry in 1000"],
    ["a write that may have been carried out", post, failure("ConnectionLost", "maybe"), "settle"],
    ["a delete that may have been carried out", newRequest("DELETE"), failure("ConnectionReset", "maybe"), "settle"],
    ["a write on a connection that was dead", post, failure("ConnectionLost", "no"), "retry in 0"],
    ["a write that was not sent for another reason", post, failure("Draining", "no"), "retry in 1000"],
    ["a command that may have been run", exec, failure("ConnectionLost", "maybe"), "settle"],
    ["a command that was not sent", exec, failure("ConnectionLost", "no"), "retry in 0"],
    ["a body that is gone", upload, failure("ConnectionLost", "no"), "settle"],
    ["a server that is not there", get, failure("ConnectionRefused", "no"), "settle"],
    ["a host that is not there", get, failure("HostNotFound", "no"), "settle"],
    ["a server nobody vouches for", get, failure("ConnectFailed", "no"), "settle"],
    ["a server too slow to connect to", get, dialTimeout, "settle"],
    ["a client that was closed", get, failure("Closed", "no"), "settle"],
    ["an answer nobody can read", get, failure("Decode", "maybe"), "settle"],
    ["an error of another kind", get, { kind: "failure", error: new KubeloopError("x", { reason: "X" }) }, "settle"],
  ] as const) {
    test(`${name}: ${expected}`, () => expect(decide(request, outcome)).toBe(expected));
  }
});

describe("a watch that could not be opened", () => {
  for (const [name, outcome, expected, last] of [
    ["connection lost", failure("ConnectionLost", "maybe"), "retry in 1000", "empty-watch"],
    ["connection dead before", failure("ConnectionLost", "no"), "retry in 0", "empty-watch"],
    ["dialling took too long", dialTimeout, "retry in 1000", "empty-watch"],
    ["the server took too long", failure("Timeout", "maybe"), "retry in 1000", "empty-watch"],
    ["connection refused", failure("ConnectionRefused", "no"), "settle", "settle"],
    ["throttled", answer(429, "1"), "retry in 1000", "settle"],
  ] as const) {
    test(`${name}: ${expected}, at last ${last}`, () => {
      expect(decide(watchRequest, outcome)).toBe(expected);
      expect(decide(watchRequest, outcome, { retries: 10 })).toBe(last);
    });
  }
});

describe("limits", () => {
  for (const [name, outcome, rest, expected] of [
    ["the tenth retry", answer(429, "1"), { retries: 9 }, "retry in 1000"],
    ["no eleventh", answer(429, "1"), { retries: 10 }, "settle"],
    ["none where none are wanted", answer(429, "1"), { maxRetries: 0 }, "settle"],
    ["a wait that ends before the deadline", answer(429, "1"), { leftMs: 1001 }, "retry in 1000"],
    ["no wait up to the deadline", answer(429, "1"), { leftMs: 1000 }, "settle"],
    ["no wait for a limiter up to the deadline", answer(429, "0"), { leftMs: 500, throttleMs: 500 }, "settle"],
    ["only the first dead connection costs nothing", failure("ConnectionLost", "no"), { retries: 1 }, "retry in 1000"],
  ] as const) {
    test(`${name}: ${expected}`, () => expect(decide(get, outcome, rest)).toBe(expected));
  }
});
