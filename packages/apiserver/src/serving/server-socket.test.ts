// What a server on a port takes and refuses before any handler is asked: certificates, long requests, words that are no methods.
import { connect as connectHttp2 } from "node:http2";
import { request as requestHttps } from "node:https";
import { connect as connectPlain } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { createAuthority } from "./certificate-authority.ts";
import type { Listening } from "./listen.ts";

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly certPem?: string | undefined;
  readonly keyPem?: string | undefined;
}

interface Heard {
  readonly code: number;
  readonly cacheControl: string | undefined;
  readonly body: string;
}

let server: ApiServer;
let listening: Listening;
let bearer: { readonly authorization: string };
beforeAll(async () => {
  server = await ApiServer.open();
  listening = await server.listen();
  bearer = { authorization: `Bearer ${listening.admin.token}` };
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

function overHttp1({ path, method = "GET", headers = {}, certPem: cert, keyPem: key }: Asked): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const pair = cert === undefined || key === undefined ? {} : { cert, key };
    const place = { host: "127.0.0.1", port: listening.port, ca: listening.admin.caPem, agent: false } as const;
    const request = requestHttps({ ...place, ...pair, path, method, headers }, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on("end", () =>
        resolve({ code: response.statusCode ?? 0, cacheControl: response.headers["cache-control"], body }),
      );
    });
    request.on("error", reject);
    request.end();
  });
}

function overHttp2({ path, method = "GET", headers = {}, certPem: cert, keyPem: key }: Asked): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const pair = cert === undefined || key === undefined ? {} : { cert, key };
    const limits = { maxSendHeaderBlockLength: 1024 * 1024 };
    const session = connectHttp2(listening.url, { ca: listening.admin.caPem ?? "", ...pair, ...limits });
    session.on("error", reject);
    const stream = session.request({ ":path": path, ":method": method, ...headers });
    let code = 0;
    let cacheControl: string | undefined;
    let body = "";
    stream.on("response", (answered) => {
      code = answered[":status"] ?? 0;
      cacheControl = answered["cache-control"];
    });
    stream.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    stream.on("end", () => {
      session.close();
      resolve({ code, cacheControl, body });
    });
    stream.on("error", reject);
    stream.end();
  });
}

const versions = [
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
] as const;

describe.each(versions)("over %s", (_, ask) => {
  test("a certificate of another authority is refused everywhere, unless a token speaks for its owner", async () => {
    const other = await createAuthority("other");
    const evil = await other.issueClient({ user: "kubernetes-admin", groups: ["system:masters"] });
    expect((await ask({ path: "/api/v1/pods", ...evil })).code).toBe(401);
    expect((await ask({ path: "/healthz", ...evil })).code).toBe(401);
    expect((await ask({ path: "/api/v1/pods", ...evil, headers: bearer })).code).toBe(200);
  });

  test("a certificate of ours comes before a token, and without either one is nobody", async () => {
    const { certPem, keyPem } = listening.admin;
    const headers = { authorization: "Bearer nope" };
    expect((await ask({ path: "/api/v1/pods", certPem, keyPem, headers })).code).toBe(200);
    expect((await ask({ path: "/api/v1/pods", headers })).code).toBe(401);
    expect((await ask({ path: "/api/v1/pods" })).code).toBe(403);
    expect((await ask({ path: "/healthz" })).code).toBe(200);
  });

  test("nobody between may keep an answer, unless it says so", async () => {
    const all = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const asked: readonly Asked[] = [
      { path: "/healthz" },
      { path: "/api/v1/pods" },
      { path: "/api/v1/pods", headers: bearer },
      { path: "/nonsense", headers: bearer },
      { path: "/apis", headers: { ...bearer, accept: all } },
    ];
    const heard = await Promise.all(asked.map(ask));
    expect(heard.map(({ code, cacheControl }) => [code, cacheControl])).toEqual([
      [200, "no-cache, private"],
      [403, "no-cache, private"],
      [200, "no-cache, private"],
      [404, "no-cache, private"],
      [200, "public"],
    ]);
  });

  test("a selector with two thousand values is read", async () => {
    const values = Array.from({ length: 2_000 }, (_, number) => `some-value-${number}`).join(",");
    const labelSelector = encodeURIComponent(`name in (${values})`);
    const { code, body } = await ask({ path: `/api/v1/pods?labelSelector=${labelSelector}`, headers: bearer });
    expect([code, body]).toEqual([200, expect.stringContaining('"items":[]')]);
  });

  test("many headers, and some that are long, are read", async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, number) => [`x-${number}`, "v".repeat(200)]));
    const long = { "x-long-1": "a".repeat(50_000), "x-long-2": "a".repeat(50_000), "x-long-3": "a".repeat(50_000) };
    expect((await ask({ path: "/version", headers: { ...bearer, ...many } })).code).toBe(200);
    expect((await ask({ path: "/version", headers: { ...bearer, ...long } })).code).toBe(200);
  });
});

test("over HTTP/1.1, where one header may be as long as all together, nearly a megabyte is read", async () => {
  const long = { ...bearer, "x-long": "a".repeat(900_000) };
  expect((await overHttp1({ path: "/version", headers: long })).code).toBe(200);
  expect((await overHttp1({ path: `/version?${"a".repeat(900_000)}`, headers: bearer })).code).toBe(200);
});

describe("a method nobody knows", () => {
  /** The platform's client would not send one. */
  function dial(text: string, port: number): Promise<string> {
    return new Promise((resolve, reject) => {
      let heard = "";
      const socket = connectPlain(port, "127.0.0.1", () => socket.write(text));
      socket.on("data", (chunk: Buffer) => {
        heard += chunk.toString();
      });
      socket.on("close", () => resolve(heard));
      socket.on("error", reject);
    });
  }

  test("is refused with a Status, and that is the connection's end", async () => {
    await using plain = await server.listen({ isPlain: true });
    const heard = await dial("FOO /api/v1/namespaces?limit=1 HTTP/1.1\r\nhost: x\r\n\r\n", plain.port);
    const [head = "", body = ""] = heard.split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(head).toContain("connection: close");
    expect(head).toContain("cache-control: no-cache, private");
    expect(JSON.parse(body)).toMatchObject({ kind: "Status", reason: "MethodNotAllowed", code: 405 });
  });

  test("is the same over HTTP/2", async () => {
    const { code, body } = await overHttp2({ path: "/api/v1/namespaces", method: "FOO", headers: bearer });
    expect([code, JSON.parse(body)]).toEqual([405, expect.objectContaining({ reason: "MethodNotAllowed" })]);
  });

  test.each([
    ["without a path", "FOO\r\n\r\n"],
    ["without an end", "FOO / HTTP/1.1\r\n"],
    ["of another protocol", "FOO / SIP/2.0\r\n\r\n"],
    ["with a header that is none", "FOO / HTTP/1.1\r\nnonsense\r\n\r\n"],
  ])("%s is noise", async (_, text) => {
    await using plain = await server.listen({ isPlain: true });
    expect(await dial(text, plain.port)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });
});
