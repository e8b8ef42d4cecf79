// How long a client gives a request, by the query: as a real server reads it, and in virtual time what becomes of who takes longer.
import { type ApiRequest, type ApiResponse, collectBytes } from "@kubeloop/core/api";
import { deferred, FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { requestFor } from "../../ask.fixture.ts";

const never = new AbortController().signal;
const maps = "/api/v1/namespaces/default/configmaps";
let clock: FakeClock;
let server: ApiServer;
beforeEach(async () => {
  clock = new FakeClock();
  server = await ApiServer.open({ clock, random: seededRandom(1) });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

async function read(response: ApiResponse) {
  await using answered = response;
  const { status, headers, body } = answered;
  const bytes = body.kind === "bytes" ? await collectBytes(body.bytes, { maxBytes: 1e6 }) : new Uint8Array();
  return { code: status, type: headers["content-type"], text: Buffer.from(bytes).toString("utf8") };
}

interface Row {
  readonly method?: string;
  readonly path?: string;
  readonly timeout: string;
  readonly accept?: string;
}

async function ask({ method = "GET", path = maps, timeout, accept }: Row) {
  const headers: Record<string, string> = accept === undefined ? {} : { accept };
  const value = method === "POST" ? { value: { metadata: { name: "a" } } } : {};
  const query = [["timeout", timeout]] as const;
  return await read(await server.transport(requestFor(path, { method, query, headers, ...value }, "bytes"), never));
}

describe("a timeout that is none", () => {
  const words = "invalid timeout specified in the request URL - ";
  test.each([
    ["of a list", { timeout: "x" }, 'time: invalid duration "x"'],
    ["of an object", { path: `${maps}/a`, timeout: "x" }, 'time: invalid duration "x"'],
    ["without a unit", { timeout: "5" }, 'time: missing unit in duration "5"'],
    ["of a write", { method: "POST", timeout: "x" }, 'time: invalid duration "x"'],
    ["of a deletion", { method: "DELETE", path: `${maps}/a`, timeout: "x" }, 'time: invalid duration "x"'],
    ["of a document", { path: "/healthz", timeout: "x" }, 'time: invalid duration "x"'],
    ["of what is not there", { path: "/nonsense", timeout: "x" }, 'time: invalid duration "x"'],
    ["by who takes nothing we have", { timeout: "x", accept: "nonsense" }, 'time: invalid duration "x"'],
  ] satisfies [string, Row, string][])("%s is refused", async (_, row, why) => {
    const { code, text } = await ask(row);
    expect([code, JSON.parse(text)]).toEqual([400, expect.objectContaining({ message: words + why, kind: "Status" })]);
  });

  test("is refused in YAML to who asks for it", async () => {
    const { type, text } = await ask({ timeout: "x", accept: "application/yaml" });
    expect([type, text]).toEqual(["application/yaml", expect.stringContaining("code: 400")]);
  });

  test("of a watch or a log is nobody's business", async () => {
    const query = [
      ["timeout", "x"],
      ["watch", "1"],
    ] as const;
    await using watch = await server.transport(requestFor(maps, { query }), never);
    expect(watch.status).toBe(200);
    expect((await ask({ path: "/api/v1/namespaces/default/pods/p/log", timeout: "x" })).code).not.toBe(400);
  });
});

describe("a timeout", () => {
  test.each(["", "0", "0s", "-1s", "10s", "24h"])("of %j lets a quick request through", async (timeout) => {
    expect((await ask({ timeout })).code).toBe(200);
    expect((await ask({ path: "/healthz", timeout })).code).toBe(200);
  });

  test.each([{}, { path: "/healthz" }, { method: "POST" }])(
    "that nobody could keep is over at once: %o",
    async (row) => {
      const { code, type, text } = await ask({ ...row, timeout: "1ns" });
      expect([code, type]).toEqual([504, "text/plain; charset=utf-8"]);
      const message = "Timeout: request did not complete within the allotted timeout";
      expect(JSON.parse(text)).toEqual({
        metadata: {},
        status: "Failure",
        message,
        reason: "Timeout",
        details: {},
        code: 504,
      });
      expect((await ask({ path: `${maps}/a`, timeout: "" })).code).toBe(404);
    },
  );

  /** Of which the body comes when it is told to. */
  function slowCreate(timeout: string): { readonly request: ApiRequest; send(): void } {
    const sent = deferred();
    const bytes = (async function* () {
      await sent.promise;
      yield Buffer.from(JSON.stringify({ metadata: { name: "slow" } }));
    })();
    const request = requestFor(
      maps,
      { method: "POST", query: [["timeout", timeout]], type: "application/json" },
      "bytes",
    );
    return { request: { ...request, body: { kind: "bytes", bytes } }, send: () => sent.resolve() };
  }

  test("ends who takes longer, and no sooner", async () => {
    const { request, send } = slowCreate("5s");
    let code = 0;
    const answered = server.transport(request, never).then(async (response) => {
      code = (await read(response)).code;
    });
    await clock.advance(4_999);
    expect(code).toBe(0);
    await clock.advance(1);
    expect(code).toBe(504);
    send();
    await answered;
  });

  test("leaves no timer with who was in time", async () => {
    const { request, send } = slowCreate("5s");
    const answered = server.transport(request, never);
    await clock.advance(4_000);
    send();
    expect((await read(await answered)).code).toBe(201);
    const query = [["timeout", "5s"]] as const;
    const before = clock.pending().length;
    await read(await server.transport(requestFor(maps, { query }, "bytes"), never));
    expect(clock.pending().length).toBe(before);
  });

  test("is no answer to who has gone", async () => {
    const { request, send } = slowCreate("5s");
    const client = new AbortController();
    const answered = server.transport(request, client.signal);
    client.abort(new Error("gone"));
    await expect(answered).rejects.toThrow("gone");
    send();
  });
});
