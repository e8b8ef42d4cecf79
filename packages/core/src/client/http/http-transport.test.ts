import { beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../base/index.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { HttpTransport } from "./http-transport.ts";
import {
  type Answer,
  bothVersions,
  configFor,
  echo,
  failureOf,
  get,
  HeldAnswers,
  LocalServer,
  makeCertificates,
  post,
  type TestCertificates,
  textOf,
} from "./local-servers.fixture.ts";

let certificates: TestCertificates;
beforeAll(async () => {
  certificates = await makeCertificates();
});
const never = new AbortController().signal;

describe.each(bothVersions)("over %s", (_name, speaks) => {
  const start = (answer: Answer) => LocalServer.start({ speaks, certificates, answer });

  test("uses one connection for one request after the other", async () => {
    await using server = await start(echo);
    await using transport = new HttpTransport(configFor(server, certificates));
    const send = transport.as();
    for (let i = 0; i < 5; i++) await textOf(await send(get(`/${i}`), never));
    expect(server.accepted).toBe(1);
  });

  test("uses the connection that rested least, so that the others may grow old", async () => {
    const ports: (number | undefined)[] = [];
    const held = new HeldAnswers();
    await using server = await start((request, response) => {
      if (request.url === "/held") return held.answer(request, response);
      ports.push(request.socket.remotePort);
      response.end();
    });
    await using transport = new HttpTransport(configFor(server, certificates));
    const send = transport.as();
    const both = [send(get("/held"), never), send(get("/held"), never)];
    for (const { response } of await held.first(2)) response.end();
    for (const answer of both) await textOf(await answer);
    for (let i = 0; i < 4; i++) await textOf(await send(get(), never));
    expect(new Set(ports).size).toBe(1);
  });

  test("keeps the connection after a DELETE with options", async () => {
    await using server = await start(echo);
    await using transport = new HttpTransport(configFor(server, certificates));
    const send = transport.as();
    const request = { ...post('{"kind":"DeleteOptions"}'), method: "DELETE" };
    for (let i = 0; i < 3; i++) {
      expect(JSON.parse(await textOf(await send(request, never)))).toMatchObject({
        method: "DELETE",
        body: '{"kind":"DeleteOptions"}',
      });
    }
    expect(server.accepted).toBe(1);
  });

  test("dials once for all who ask first", async () => {
    await using server = await start(echo);
    await using transport = new HttpTransport(configFor(server, certificates));
    const send = transport.as();
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(get(), never)));
    await Promise.all(answers.map(textOf));
    // HTTP/1.1 carries one exchange per connection: the first of the five is the one that was dialled for all.
    expect(server.accepted).toBe(speaks === "h2" ? 1 : 5);
  });

  test("a caller that gives up while it is dialled breaks nobody else's request", async () => {
    await using server = await start(echo);
    await using transport = new HttpTransport(configFor(server, certificates));
    const send = transport.as();
    const first = new AbortController();
    const aborted = failureOf(send(get("/aborted"), first.signal));
    const other = send(get("/other"), never);
    first.abort("changed my mind");
    expect(await aborted).toBe("changed my mind");
    expect(JSON.parse(await textOf(await other))).toMatchObject({ url: "/other" });
    expect(server.accepted).toBe(1);
  });

  for (const [name, body] of [
    ["bytes", { kind: "bytes", bytes: Buffer.from('{"a":"ü"}') }],
    ["a value", { kind: "value", value: { a: "ü" } }],
    [
      "a stream",
      {
        kind: "bytes",
        bytes: (async function* () {
          yield Buffer.from('{"a"');
          await systemClock.yield();
          yield Buffer.from(':"ü"}');
        })(),
      },
    ],
  ] as const) {
    test(`sends ${name} as the body`, async () => {
      await using server = await start(echo);
      await using transport = new HttpTransport(configFor(server, certificates));
      const seen = JSON.parse(await textOf(await transport.as()(get("/", { method: "POST", body }), never)));
      expect(seen).toMatchObject({ method: "POST", body: '{"a":"ü"}' });
      expect(seen.headers["content-length"]).toBe(name === "a stream" ? undefined : "10");
    });
  }

  test("a request body that fails fails the request with it", async () => {
    await using server = await start(echo);
    await using transport = new HttpTransport(configFor(server, certificates));
    const bytes = (async function* () {
      yield Buffer.from("some");
      throw new Error("the disk is gone");
    })();
    const request = get("/", { method: "POST", body: { kind: "bytes", bytes } });
    const failure = await failureOf(transport.as()(request, never));
    expect(failure).toMatchObject({ reason: "ConnectionLost", wasSent: "maybe" });
    expect(failure["message"]).toMatch(/the disk is gone/);
  });

  test("puts the server's path before the request's, and the query behind", async () => {
    await using server = await start(echo);
    const config = configFor({ url: `${server.url}/clusters/one` }, certificates);
    await using transport = new HttpTransport(config);
    const request = get("/api/v1/pods", {
      query: [
        ["labelSelector", "a=b,c"],
        ["watch", "false"],
      ],
    });
    const seen = JSON.parse(await textOf(await transport.as()(request, never)));
    expect(seen.url).toBe("/clusters/one/api/v1/pods?labelSelector=a%3Db%2Cc&watch=false");
  });

  test("hands out status and headers, repeated ones as lists", async () => {
    await using server = await start((_request, response) => {
      response.setHeader("warning", ['299 - "one"', '299 - "two"']);
      response.setHeader("x-one", "1");
      response.statusCode = 404;
      response.end("gone");
    });
    await using transport = new HttpTransport(configFor(server, certificates));
    const response = await transport.as()(get(), never);
    expect(response.status).toBe(404);
    expect(response.headers["x-one"]).toBe("1");
    expect([response.headers["warning"]].flat().join(", ")).toBe('299 - "one", 299 - "two"');
    expect(await textOf(response)).toBe("gone");
  });

  test("sends lists of header values, and its own credentials below the request's", async () => {
    await using server = await start(echo);
    const credentials: Credentials = {
      current: async () => ({ headers: { authorization: "Bearer config", "x-from": "credentials" } }),
      rejected: async () => false,
    };
    await using transport = new HttpTransport(configFor(server, certificates, { credentials }));
    const send = transport.as({ credentials, impersonate: { user: "ann", groups: ["dev", "ops"] } });
    const request = get("/", { headers: { authorization: "Bearer mine" } });
    const { headers } = JSON.parse(await textOf(await send(request, never)));
    expect(headers).toMatchObject({
      authorization: "Bearer mine",
      "x-from": "credentials",
      "impersonate-user": "ann",
      "impersonate-group": "dev, ops",
    });
  });

  test("takes 40 KB of headers", async () => {
    await using server = await start((_request, response) => {
      response.setHeader("x-long", "x".repeat(40_000));
      response.end("ok");
    });
    await using transport = new HttpTransport(configFor(server, certificates));
    const response = await transport.as()(get(), never);
    expect(response.headers["x-long"]).toHaveLength(40_000);
    expect(await textOf(response)).toBe("ok");
  });

  for (const [name, request] of [
    ["a header value", get("/", { headers: { "x-bad": "one\ntwo" } })],
    ["one of many header values", get("/", { headers: { "x-bad": ["one", "two\r\n"] } })],
    ["a header name", get("/", { headers: { "x bad": "one" } })],
    ["a path", get("/one two\n")],
    ["a method", get("/", { method: "GET /" })],
  ] as const) {
    test(`refuses ${name} that cannot be sent, and goes on`, async () => {
      await using server = await start(echo);
      await using transport = new HttpTransport(configFor(server, certificates));
      const send = transport.as();
      await textOf(await send(get(), never));
      expect(await failureOf(send(request, never))).toMatchObject({ reason: "Invalid", wasSent: "no" });
      await textOf(await send(get(), never));
      expect(server.accepted).toBe(1);
    });
  }

  test("refuses to switch protocols", async () => {
    await using server = await start(echo);
    await using transport = new HttpTransport(configFor(server, certificates));
    const failure = await failureOf(transport.as()(get("/", { upgrade: "websocket" }), never));
    expect(failure).toMatchObject({ reason: "Invalid", wasSent: "no" });
  });

  test("a body of nothing is read as nothing", async () => {
    await using server = await start((_request, response) => {
      response.statusCode = 204;
      response.end();
    });
    await using transport = new HttpTransport(configFor(server, certificates));
    const send = transport.as();
    expect(await textOf(await send(get(), never))).toBe("");
    expect(await textOf(await send(get("/", { method: "HEAD" }), never))).toBe("");
  });
});
