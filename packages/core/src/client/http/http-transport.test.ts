import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer as createTcp } from "node:net";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../base/index.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { HttpTransport } from "./http-transport.ts";
import {
  bytesOf,
  configFor,
  failureOf,
  get,
  HeldAnswers,
  LocalServer,
  makeCertificates,
  post,
  type Speaks,
  type TestCertificates,
  textOf,
  watch,
} from "./local-servers.fixture.ts";

let certificates: TestCertificates;
beforeAll(async () => {
  certificates = await makeCertificates();
});
const never = new AbortController().signal;

/** An echo of what the server saw. */
const echo = (request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url, headers, httpVersion } = request;
    response.end(JSON.stringify({ method, url, headers, httpVersion, body: Buffer.concat(chunks).toString() }));
  });
};

describe("versions", () => {
  for (const [name, speaks, version, expected] of [
    ["takes HTTP/2 where the server offers it", "both", "auto", "2.0"],
    ["takes HTTP/1.1 where the server offers nothing else", "h1", "auto", "1.1"],
    ["takes HTTP/1.1 in plain text", "plain", "auto", "1.1"],
    ["takes HTTP/1.1 where it is told to", "both", "1.1", "1.1"],
    ["takes HTTP/2 where it is told to", "both", "2", "2.0"],
    ["takes HTTP/2 in plain text only where it is told to", "plain-h2", "2", "2.0"],
  ] as const) {
    test(name, async () => {
      await using server = await LocalServer.start({ speaks, certificates, answer: echo });
      await using transport = new HttpTransport(configFor(server, certificates), { version });
      const { httpVersion } = JSON.parse(await textOf(await transport.as()(get(), never)));
      expect(httpVersion).toBe(expected);
    });
  }

  test("refuses a server without HTTP/2 where it is told to use it", async () => {
    await using server = await LocalServer.start({ speaks: "h1", certificates, answer: echo });
    await using transport = new HttpTransport(configFor(server, certificates), { version: "2" });
    const failure = await failureOf(transport.as()(get(), never));
    expect(failure).toMatchObject({ reason: "ConnectFailed", wasSent: "no" });
    expect(failure["message"]).toMatch(/^the TLS handshake failed: /);
  });

  test("follows a server that offers HTTP/2 no longer, after one failure that is safe to repeat", async () => {
    const first = await LocalServer.start({ speaks: "both", certificates, answer: echo });
    await using transport = new HttpTransport(configFor(first, certificates));
    const send = transport.as();
    await textOf(await send(get(), never));
    await first.crash();
    await using _second = await LocalServer.start({ speaks: "h1", certificates, answer: echo, port: first.port });
    expect(await failureOf(send(get(), never))).toMatchObject({ reason: "ConnectFailed", wasSent: "no" });
    expect(JSON.parse(await textOf(await send(get(), never)))).toMatchObject({ httpVersion: "1.1" });
  });
});

const kinds: readonly (readonly [name: string, speaks: Speaks])[] = [
  ["HTTP/1.1", "h1"],
  ["HTTP/2", "h2"],
];

describe.each(kinds)("over %s", (_name, speaks) => {
  const start = (answer: import("./local-servers.fixture.ts").Answer) =>
    LocalServer.start({ speaks, certificates, answer });

  test("uses one connection for one request after the other", async () => {
    await using server = await start(echo);
    await using transport = new HttpTransport(configFor(server, certificates));
    const send = transport.as();
    for (let i = 0; i < 5; i++) await textOf(await send(get(`/${i}`), never));
    expect(server.accepted).toBe(1);
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

  describe("compression", () => {
    const text = JSON.stringify({ items: Array.from({ length: 2000 }, (_, i) => ({ name: `pod-${i}` })) });

    test("asks for gzip and undoes it", async () => {
      await using server = await start((request, response) => {
        expect(request.headers["accept-encoding"]).toBe("gzip");
        response.setHeader("content-encoding", "gzip");
        response.end(gzipSync(text));
      });
      await using transport = new HttpTransport(configFor(server, certificates));
      const send = transport.as();
      expect(await textOf(await send(get(), never))).toBe(text);
      expect(await textOf(await send(get(), never))).toBe(text);
      expect(server.accepted).toBe(1);
    });

    test("does not ask when it is disabled", async () => {
      await using server = await start(echo);
      await using transport = new HttpTransport(configFor(server, certificates, { disableCompression: true }));
      const { headers } = JSON.parse(await textOf(await transport.as()(get(), never)));
      expect(headers["accept-encoding"]).toBeUndefined();
    });

    for (const [name, encoding, bytes, reason, message] of [
      ["what is cut off is lost", "gzip", gzipSync(text).subarray(0, 100), "ConnectionLost", /unexpected end/],
      ["what is no gzip is malformed", "gzip", Buffer.from("plain text"), "Decode", /incorrect header/],
      ["what nobody asked for is refused", "br", Buffer.from("x"), "Decode", /content-encoding "br"/],
    ] as const) {
      test(name, async () => {
        await using server = await start((_request, response) => {
          response.setHeader("content-encoding", encoding);
          response.end(bytes);
        });
        await using transport = new HttpTransport(configFor(server, certificates));
        const failure = await failureOf(transport.as()(get(), never).then(textOf));
        expect(failure).toMatchObject({ reason, wasSent: "maybe" });
        expect(failure["message"]).toMatch(message);
      });
    }
  });

  describe("401", () => {
    function rotating(next: string | undefined) {
      const rejections: unknown[] = [];
      let token = "old";
      const credentials: Credentials = {
        current: async () => ({ headers: { authorization: token } }),
        rejected: async (shown) => {
          rejections.push(shown.headers);
          if (next === undefined) return false;
          token = next;
          return true;
        },
      };
      return { credentials, rejections };
    }
    const guard: import("./local-servers.fixture.ts").Answer = (request, response) => {
      response.statusCode = request.headers.authorization === "new" ? 200 : 401;
      echo(request, response);
    };
    const oneShot = (async function* () {
      yield Buffer.from("x");
    })();

    for (const [name, next, body, status, asked] of [
      ["is repeated once with something newer", "new", { kind: "bytes", bytes: Buffer.from("x") }, 200, 1],
      ["is repeated with the same value", "new", { kind: "value", value: "x" }, 200, 1],
      ["is repeated only once", "newer but wrong", { kind: "none" }, 401, 1],
      ["is handed out when there is nothing newer", undefined, { kind: "none" }, 401, 1],
      ["is handed out when the body cannot be sent again", "new", { kind: "bytes", bytes: oneShot }, 401, 0],
    ] as const) {
      test(name, async () => {
        await using server = await start(guard);
        const { credentials, rejections } = rotating(next);
        await using transport = new HttpTransport(configFor(server, certificates, { credentials }));
        const response = await transport.as()(get("/", { method: "POST", body }), never);
        expect(response.status).toBe(status);
        expect(JSON.parse(await textOf(response)).body).toBe(
          body.kind === "none" ? "" : body.kind === "value" ? '"x"' : "x",
        );
        expect(rejections).toEqual(Array.from({ length: asked }, () => ({ authorization: "old" })));
      });
    }

    test("leaves nothing open when the credentials cannot say", async () => {
      await using server = await start(guard);
      const credentials: Credentials = {
        current: async () => ({ headers: {} }),
        rejected: async () => {
          throw new Error("the plugin crashed");
        },
      };
      await using transport = new HttpTransport(configFor(server, certificates, { credentials }));
      expect(await failureOf(transport.as()(get(), never))).toMatchObject({ message: "the plugin crashed" });
    });
  });

  describe("endings", () => {
    test("a connection that is refused was never sent to", async () => {
      const server = await start(echo);
      await server.crash();
      await using transport = new HttpTransport(configFor(server, certificates));
      const failure = await failureOf(transport.as()(get(), never));
      expect(failure).toMatchObject({ name: "TransportError", reason: "ConnectionRefused", wasSent: "no" });
      expect(failure["message"]).toMatch(/^connecting failed: connect ECONNREFUSED 127\.0\.0\.1:/);
    });

    test("a server that dies before the head of its answer may have carried it out", async () => {
      const held = new HeldAnswers();
      const server = await start(held.answer);
      await using transport = new HttpTransport(configFor(server, certificates));
      const failing = failureOf(transport.as()(post("x"), never));
      await held.one();
      await server.crash();
      expect(await failing).toMatchObject({ name: "TransportError", reason: "ConnectionLost", wasSent: "maybe" });
    });

    test("a server that dies after the head breaks off the body", async () => {
      const held = new HeldAnswers();
      const server = await start(held.answer);
      await using transport = new HttpTransport(configFor(server, certificates));
      const asking = transport.as()(watch(), never);
      (await held.one()).response.write("some");
      const reader = bytesOf(await asking)[Symbol.asyncIterator]();
      expect(String((await reader.next()).value)).toBe("some");
      const failing = failureOf(reader.next());
      await server.crash();
      expect(await failing).toMatchObject({ name: "TransportError", reason: "ConnectionLost", wasSent: "maybe" });
    });

    test("the next request after a restart goes to the new server", async () => {
      const first = await start(echo);
      await using transport = new HttpTransport(configFor(first, certificates));
      const send = transport.as();
      await textOf(await send(get(), never));
      await first.crash();
      await using second = await LocalServer.start({ speaks, certificates, answer: echo, port: first.port });
      // The client may not have read yet that the old connections are gone.
      expect(JSON.parse(await textOf(await send(get("/2"), never)))).toMatchObject({ url: "/2" });
      expect(second.accepted).toBe(1);
    });

    test("a get on a kept connection that dies as it is used is sent again, unnoticed", async () => {
      let asked = 0;
      await using server = await start((request, response) => {
        // The second one finds the connection closing under it.
        if (++asked === 2) server.drop();
        else echo(request, response);
      });
      await using transport = new HttpTransport(configFor(server, certificates));
      const send = transport.as();
      await textOf(await send(get("/1"), never));
      expect(JSON.parse(await textOf(await send(get("/2"), never)))).toMatchObject({ url: "/2" });
      expect([asked, server.accepted]).toEqual([3, 2]);
    });

    test("a post on such a connection is not: it may have been carried out", async () => {
      let asked = 0;
      await using server = await start((request, response) => {
        if (++asked === 2) server.drop();
        else echo(request, response);
      });
      await using transport = new HttpTransport(configFor(server, certificates));
      const send = transport.as();
      await textOf(await send(get("/1"), never));
      expect(await failureOf(send(post("x"), never))).toMatchObject({ reason: "ConnectionLost", wasSent: "maybe" });
      expect(asked).toBe(2);
    });

    test("aborting ends what waits for an answer, with the signal's reason", async () => {
      const held = new HeldAnswers();
      await using server = await start(held.answer);
      await using transport = new HttpTransport(configFor(server, certificates));
      const controller = new AbortController();
      const failing = failureOf(transport.as()(get(), controller.signal));
      const { response } = await held.one();
      controller.abort("enough");
      expect(await failing).toBe("enough");
      if (!response.closed) await once(response, "close");
    });

    test("aborting ends what is being read, with the signal's reason", async () => {
      const held = new HeldAnswers();
      await using server = await start(held.answer);
      await using transport = new HttpTransport(configFor(server, certificates));
      const controller = new AbortController();
      const asking = transport.as()(watch(), controller.signal);
      const { response } = await held.one();
      response.write("some");
      const reader = bytesOf(await asking)[Symbol.asyncIterator]();
      await reader.next();
      const failing = failureOf(reader.next());
      controller.abort("enough");
      expect(await failing).toBe("enough");
      if (!response.closed) await once(response, "close");
    });

    test("disposing of an answer ends it for its reader and the server", async () => {
      const held = new HeldAnswers();
      await using server = await start(held.answer);
      await using transport = new HttpTransport(configFor(server, certificates));
      const asking = transport.as()(watch(), never);
      const { response } = await held.one();
      response.write("some");
      const answer = await asking;
      const reader = bytesOf(answer)[Symbol.asyncIterator]();
      await reader.next();
      const failing = failureOf(reader.next());
      await answer[Symbol.asyncDispose]();
      await answer[Symbol.asyncDispose]();
      expect(await failing).toMatchObject({ reason: "Closed" });
      if (!response.closed) await once(response, "close");
    });

    test("disposing of the transport breaks off everything and closes every connection", async () => {
      const held = new HeldAnswers();
      await using server = await start(held.answer);
      const transport = new HttpTransport(configFor(server, certificates));
      const send = transport.as();
      const asking = send(watch("/answered"), never);
      (await held.one()).response.write("some");
      const reader = bytesOf(await asking)[Symbol.asyncIterator]();
      await reader.next();
      const reading = failureOf(reader.next());
      const waiting = failureOf(send(get("/waiting"), never));
      await held.first(2);
      await transport[Symbol.asyncDispose]();
      expect(await reading).toMatchObject({ reason: "Closed", wasSent: "maybe" });
      expect(await waiting).toMatchObject({ reason: "Closed", wasSent: "maybe" });
      expect(await failureOf(send(get(), never))).toMatchObject({ reason: "Closed", wasSent: "no" });
      await server.untilEmpty();
    });

    test("disposing of the transport while it dials ends the dialling", async () => {
      // Accepts and never says a word.
      const mute = createTcp();
      mute.listen(0, "127.0.0.1");
      await once(mute, "listening");
      const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
      const transport = new HttpTransport(configFor({ url }, certificates));
      const accepted = once(mute, "connection");
      const failing = failureOf(transport.as()(get(), never));
      const [socket] = await accepted;
      socket.on("error", () => {});
      const closed = once(socket.resume(), "close");
      await transport[Symbol.asyncDispose]();
      expect(await failing).toMatchObject({ reason: "Closed", wasSent: "no" });
      await closed;
      mute.close();
    });
  });
});
