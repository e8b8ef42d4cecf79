import { describe, expect, test } from "vitest";
import { pods } from "../../api/generated/resources.ts";
import {
  type corev1,
  findStatusCause,
  isConflict,
  isForbidden,
  isInternalError,
  isNotFound,
  isServiceUnavailable,
  isTooManyRequests,
  isUnauthorized,
  isUnexpectedServerError,
  retryAfterMs,
  StatusError,
  TransportError,
} from "../../api/index.ts";
import { ResourceClient } from "./resource-client.ts";
import { type Answer, collect, failureOf, ScriptedServer } from "./scripted-server.fixture.ts";

const signal = new AbortController().signal;
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop" },
  spec: { containers: [] },
} as const satisfies corev1.Pod;
const failure = (code: number | undefined, reason: string, more: object = {}) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: `refused: ${reason}`,
  reason,
  ...(code === undefined ? {} : { code }),
  ...more,
});
const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "web" } };

type Call = (server: ScriptedServer) => PromiseLike<unknown>;
const client = (server: ScriptedServer) => new ResourceClient<corev1.Pod>(pods, server.context()).in("shop");
const calls: Readonly<Record<string, Call>> = {
  get: (s) => client(s).get("web", signal),
  list: (s) => client(s).list(signal).toArray(),
  "list, one by one": (s) => collect(client(s).list(signal)),
  watch: (s) => collect(client(s).watch({ resourceVersion: "1" }, signal)),
  create: (s) => client(s).create(pod, signal),
  update: (s) => client(s).update(pod, signal),
  patch: (s) => client(s).patch("web", { type: "merge", body: {} }, signal),
  apply: (s) => client(s).apply({ ...pod, metadata: { name: "web" } }, { fieldManager: "me" }, signal),
  delete: (s) => client(s).delete("web", signal),
  deleteCollection: (s) => client(s).deleteCollection({}, signal),
  table: (s) => client(s).table(signal),
  "eviction: create": (s) => client(s).subresource("eviction").create("web", eviction, signal),
  "scale: get": (s) => client(s).subresource("scale").get("web", signal),
  "scale: patch": (s) => client(s).subresource("scale").patch("web", { type: "merge", body: {} }, signal),
};

describe("a refusal is thrown by every verb, and its response let go of", () => {
  const answers: readonly (readonly [string, Answer, (error: unknown) => boolean])[] = [
    ["a Status", { status: 404, json: failure(404, "NotFound") }, isNotFound],
    ["a Status without a code", { status: 409, json: failure(undefined, "") }, isConflict],
    ["a Status of a reason nobody knows", { status: 403, json: failure(403, "Mood") }, isForbidden],
    ["JSON that is no Status", { status: 409, json: { oops: true } }, isConflictOrExists],
    ["a page of HTML", { status: 503, text: "<html><body>busy</body></html>" }, isServiceUnavailable],
    ["no body", { status: 401 }, isUnauthorized],
    [
      "a Status that says Success",
      { status: 500, json: { kind: "Status", apiVersion: "v1", status: "Success" } },
      isInternalError,
    ],
    ["a redirect", { status: 302, headers: { location: "/elsewhere" }, text: "<a>Found</a>" }, isUnexpectedServerError],
    ["not modified", { status: 304 }, isUnexpectedServerError],
  ];
  for (const [verb, call] of Object.entries(calls)) {
    for (const style of ["bytes", "values"] as const) {
      for (const [name, answer, isMeant] of answers) {
        test(`${verb}: ${name} (${style})`, async () => {
          const server = new ScriptedServer(style, () => answer);
          const error = await failureOf(() => call(server));
          expect(error).toBeInstanceOf(StatusError);
          expect((error as StatusError).code).toBe(answer.status);
          expect(isMeant(error)).toBe(true);
          expect([server.requests.length, server.open]).toEqual([1, 0]);
        });
      }
    }
  }
});

// A create that meets a conflict without a Status is taken to have found the object there, as by client-go.
function isConflictOrExists(error: unknown): boolean {
  return error instanceof StatusError && (error.reason === "Conflict" || error.reason === "AlreadyExists");
}

describe("what a refusal without a Status tells", () => {
  const refused = (answer: Answer) => {
    const server = new ScriptedServer("bytes", () => answer);
    return failureOf(() => client(server).get("web", signal));
  };
  test("what was asked for, and what the server wrote", async () => {
    const error = await refused({ status: 502, text: "  <html>bad gateway</html>\n" });
    expect(error).toMatchObject({
      message:
        'an error on the server ("<html>bad gateway</html>") has prevented the request from succeeding (get pods web)',
      details: { name: "web", kind: "pods" },
    });
    expect(findStatusCause(error, "UnexpectedServerResponse")?.message).toBe("<html>bad gateway</html>");
  });
  test("nothing that contradicts the code: a Success is no explanation", async () => {
    const error = await refused({ status: 500, json: { kind: "Status", apiVersion: "v1", status: "Success" } });
    expect(error).toMatchObject({ reason: "InternalError", code: 500 });
  });
  test("no more than 2 KB of it", async () => {
    const error = await refused({ status: 400, text: "x".repeat(10_000) });
    expect(findStatusCause(error, "UnexpectedServerResponse")?.message).toHaveLength(2048);
  });
  test("when to come back", async () => {
    const error = await refused({ status: 429, headers: { "retry-after": "3" }, text: "slow down" });
    expect([isTooManyRequests(error), retryAfterMs(error)]).toEqual([true, 3000]);
  });
  test("not when to come back, where that is a date", async () => {
    const error = await refused({ status: 429, headers: { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" } });
    expect([isTooManyRequests(error), retryAfterMs(error)]).toEqual([true, undefined]);
  });
});

describe("an answer that is not what was asked for is an error, and its response let go of", () => {
  const decodes = { reason: "Decode" };
  const facts: readonly (readonly [string, readonly string[], Answer, object])[] = [
    [
      "a failure with the code of a success",
      ["get", "list", "delete", "table", "eviction: create"],
      { json: failure(500, "InternalError") },
      { reason: "InternalError" },
    ],
    ["no JSON", ["get", "list", "watch", "create", "delete", "table"], { text: "hello" }, decodes],
    ["half of an object", ["get", "list", "create", "delete"], { text: '{"kind":"Pod","meta' }, {}],
    ["half of an event", ["watch"], { text: '{"type":"ADD' }, { reason: "UnexpectedEnd" }],
    ["an empty body", ["get", "create", "patch", "delete", "table"], { text: "" }, decodes],
    ["no body at all", ["get", "list", "watch", "create", "delete", "table"], {}, decodes],
    ["a number", ["get", "delete", "list", "table"], { json: 7 }, decodes],
    ["null", ["get", "delete", "list", "table"], { text: "null" }, decodes],
    ["an object without a kind", ["get", "update", "scale: get"], { json: { metadata: {} } }, decodes],
    ["an object without metadata", ["get", "delete"], { json: { kind: "Pod", apiVersion: "v1" } }, decodes],
    ["an object where a list should be", ["list", "list, one by one"], { json: pod }, decodes],
    [
      "a list with an item that is none",
      ["list", "list, one by one"],
      { json: { kind: "PodList", apiVersion: "v1", metadata: {}, items: [7] } },
      decodes,
    ],
    [
      "a list where a watch should be",
      ["watch"],
      { json: { kind: "PodList", apiVersion: "v1", metadata: {}, items: [] } },
      decodes,
    ],
    [
      "a list where a table should be",
      ["table"],
      { json: { kind: "PodList", apiVersion: "v1", metadata: {}, items: [] } },
      decodes,
    ],
    ["events of an unknown type", ["watch"], { events: [{ type: "MOVED", object: pod }] }, decodes],
  ];
  for (const [name, verbs, answer, expected] of facts) {
    for (const verb of verbs) {
      for (const style of ["bytes", "values"] as const) {
        test(`${name}, ${verb} (${style})`, async () => {
          const server = new ScriptedServer(style, () => answer);
          const error = await failureOf(() => (calls[verb] as Call)(server));
          expect(error).toMatchObject(expected);
          expect(error).toBeInstanceOf(Error);
          expect([server.requests.length, server.open]).toEqual([1, 0]);
        });
      }
    }
  }

  test("the error names the request", async () => {
    const server = new ScriptedServer("bytes", () => ({ text: "hello" }));
    expect(await failureOf(() => client(server).get("web", signal))).toMatchObject({
      message: "the server's answer to GET /api/v1/namespaces/shop/pods/web is not JSON",
      wasSent: "maybe",
    });
  });

  test("a connection that breaks passes as the transport threw it", async () => {
    const broken = new TransportError("reset", { reason: "ConnectionLost", wasSent: "maybe" });
    for (const [verb, call] of Object.entries(calls)) {
      for (const script of [() => broken, () => ({ text: '{"kind":"PodList', ending: broken })]) {
        const server = new ScriptedServer("bytes", script);
        expect([verb, await failureOf(() => call(server)), server.open]).toEqual([verb, broken, 0]);
      }
    }
  });
});
