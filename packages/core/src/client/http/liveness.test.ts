import { once } from "node:events";
import type { Http2ServerRequest } from "node:http2";
import { beforeAll, describe, expect, test } from "vitest";
import { FakeClock } from "../../base/index.ts";
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
  settled,
  TcpRelay,
  type TestCertificates,
  textOf,
  watch,
} from "./local-servers.fixture.ts";

let certificates: TestCertificates;
beforeAll(async () => {
  certificates = await makeCertificates();
});
const never = new AbortController().signal;

/** An open watch through a relay, its first event read. */
async function openWatch(speaks: "h1" | "h2") {
  const held = new HeldAnswers();
  const server = await LocalServer.start({
    speaks,
    certificates,
    answer: (request, response) => {
      if (request.url?.startsWith("/watch")) held.answer(request, response);
      else response.end("ok");
    },
  });
  const relay = await TcpRelay.start(server.port);
  const clock = new FakeClock();
  const config = configFor({ url: `https://127.0.0.1:${relay.port}` }, certificates);
  const transport = new HttpTransport(config, { clock });
  const send = transport.as();
  const controller = new AbortController();
  const asking = send(watch(), controller.signal);
  const { response } = await held.one();
  response.write("one");
  const answer = await asking;
  const reader = bytesOf(answer)[Symbol.asyncIterator]();
  await reader.next();
  return {
    server,
    relay,
    clock,
    transport,
    send,
    answer,
    reader,
    response,
    controller,
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      await relay[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("over HTTP/2", () => {
  test("a connection that swallows everything is noticed 45 s later, by ping", async () => {
    await using setting = await openWatch("h2");
    const { relay, clock, reader, send } = setting;
    const reading = failureOf(reader.next());
    const waiting = failureOf(send(post("x"), never));
    relay.swallow();
    await clock.advance(44_999);
    expect(clock.pending().map(({ name, dueInMs }) => [name, dueInMs])).toEqual([["HTTP/2 ping", 1]]);
    await clock.advance(1);
    expect(await reading).toMatchObject({ name: "TransportError", reason: "ConnectionLost", wasSent: "maybe" });
    expect(await waiting).toMatchObject({ name: "TransportError", reason: "ConnectionLost", wasSent: "maybe" });
    expect(clock.pending()).toEqual([]);
    await settled(() => setting.transport.http2Connections === 0);
  });

  test("pings that are answered go on for as long as someone waits", async () => {
    await using setting = await openWatch("h2");
    const { server, clock, reader, response } = setting;
    const [session] = server.sessions;
    if (session === undefined) throw new Error("no session");
    for (let i = 0; i < 4; i++) {
      const pinged = once(session, "ping");
      await clock.advance(30_000);
      await pinged;
      // The answer has arrived once the next ping is planned.
      await settled(() => clock.pending()[0]?.dueInMs === 30_000);
    }
    response.write("two");
    expect(String((await reader.next()).value)).toBe("two");
    response.end();
    expect((await reader.next()).done).toBe(true);
    await settled(() => clock.pending().length === 0);
  });

  test("a connection that has rested for long is pinged as soon as it is used", async () => {
    await using setting = await openWatch("h2");
    const { relay, clock, reader, response, send, transport } = setting;
    response.end();
    await reader.next();
    await settled(() => clock.pending().length === 0);
    await clock.advance(3_600_000);
    relay.swallow();
    const failing = failureOf(send(post("x"), never));
    await settled(() => clock.pending().length === 1);
    await clock.advance(14_999);
    expect(transport.http2Connections).toBe(1);
    await clock.advance(1);
    expect(await failing).toMatchObject({ reason: "ConnectionLost", wasSent: "maybe" });
  });

  test("waits shorter than a ping's deadline notice it together", async () => {
    await using setting = await openWatch("h2");
    const { relay, clock, reader, response, send, transport } = setting;
    response.end();
    await reader.next();
    await settled(() => clock.pending().length === 0);
    await clock.advance(60_000);
    relay.swallow();
    for (const steps of [10_000, 5000]) {
      const controller = new AbortController();
      const failing = failureOf(send(get(), controller.signal));
      await settled(() => clock.pending().length === 1);
      await clock.advance(steps);
      controller.abort("too slow");
      await failing;
    }
    await settled(() => transport.http2Connections === 0);
  });
});

describe("over HTTP/1.1", () => {
  test("a watch that is silent for 75 s breaks off", async () => {
    await using setting = await openWatch("h1");
    const { relay, clock, reader } = setting;
    const reading = failureOf(reader.next());
    relay.swallow();
    await clock.advance(74_999);
    expect(clock.pending()).toHaveLength(1);
    await clock.advance(1);
    expect(await reading).toMatchObject({ name: "TransportError", reason: "Silent", wasSent: "maybe" });
    expect(clock.pending()).toEqual([]);
  });

  test("a watch that gets no answer at all for 75 s breaks off, and its connection with it", async () => {
    const held = new HeldAnswers();
    await using server = await LocalServer.start({ speaks: "h1", certificates, answer: held.answer });
    const clock = new FakeClock();
    await using transport = new HttpTransport(configFor(server, certificates), { clock });
    const asking = failureOf(transport.as()(watch(), never));
    await held.one();
    await clock.advance(74_999);
    expect(clock.pending().map(({ name, dueInMs }) => [name, dueInMs])).toEqual([["watch silence", 1]]);
    await clock.advance(1);
    expect(await asking).toMatchObject({ name: "TransportError", reason: "Silent", wasSent: "maybe" });
    expect(clock.pending()).toEqual([]);
    await server.untilEmpty();
  });

  test("silence counts from what was heard last, and not while the reader is busy", async () => {
    await using setting = await openWatch("h1");
    const { clock, reader, response } = setting;
    // The reader is busy with the first event for two hours.
    await clock.advance(7_200_000);
    const second = reader.next();
    await clock.advance(60_000);
    response.write("two");
    expect(String((await second).value)).toBe("two");
    const reading = failureOf(reader.next());
    await clock.advance(74_999);
    expect(clock.pending()).toHaveLength(1);
    await clock.advance(1);
    expect(await reading).toMatchObject({ reason: "Silent" });
  });

  for (const [name, end] of [
    ["disposing of the answer", async ({ answer }) => await answer[Symbol.asyncDispose]()],
    ["aborting", async ({ controller }) => controller.abort()],
    ["disposing of the transport", async ({ transport }) => await transport[Symbol.asyncDispose]()],
  ] satisfies [string, (setting: Awaited<ReturnType<typeof openWatch>>) => Promise<void>][]) {
    test(`${name} while the reader is elsewhere leaves no timer behind`, async () => {
      await using setting = await openWatch("h1");
      // The watch's timer is running, and its reader has gone away without a word.
      const reading = setting.reader.next();
      setting.response.write("two");
      await reading;
      expect(setting.clock.pending()).toHaveLength(1);
      await end(setting);
      if (name === "disposing of the transport") await setting.answer[Symbol.asyncDispose]();
      expect(setting.clock.pending()).toEqual([]);
    });
  }

  test("what is no watch may be silent for as long as it likes", async () => {
    const held = new HeldAnswers();
    await using server = await LocalServer.start({ speaks: "h1", certificates, answer: held.answer });
    const clock = new FakeClock();
    await using transport = new HttpTransport(configFor(server, certificates), { clock });
    const asking = transport.as()(get("/log"), never);
    const { response } = await held.one();
    await clock.advance(3_600_000);
    response.write("line");
    const reader = bytesOf(await asking)[Symbol.asyncIterator]();
    await reader.next();
    const reading = reader.next();
    await clock.advance(3_600_000);
    response.end("more");
    expect(String((await reading).value)).toBe("more");
    expect(clock.pending()).toEqual([]);
  });
});

describe("while it connects", () => {
  for (const [name, withProxy, afterMs, message] of [
    [
      "a server that never shakes hands",
      false,
      10_000,
      "the TLS handshake failed: the TLS handshake timed out after 10000 ms",
    ],
    ["a proxy that never answers", true, 30_000, "connecting failed: connecting timed out after 30000 ms"],
  ] as const) {
    test(`gives up on ${name}`, async () => {
      await using server = await LocalServer.start({ speaks: "h2", certificates, answer: (_q, r) => void r.end() });
      await using relay = await TcpRelay.start(server.port);
      relay.swallow();
      const clock = new FakeClock();
      const url = `https://127.0.0.1:${relay.port}`;
      const proxy = withProxy ? { proxyUrl: `http://127.0.0.1:${relay.port}` } : {};
      await using transport = new HttpTransport(configFor({ url }, certificates, proxy), { clock });
      const failing = failureOf(transport.as()(get(), never));
      await settled(() => clock.pending()[0]?.dueInMs === afterMs && relay.accepted === 1);
      await clock.advance(afterMs);
      expect(await failing).toMatchObject({ reason: "ConnectFailed", wasSent: "no", message });
      expect(clock.pending()).toEqual([]);
    });
  }

  test("gives up on a server that agrees on HTTP/2 and then says nothing", async () => {
    await using server = await LocalServer.start({ speaks: "plain-h2", answer: (_q, r) => void r.end() });
    await using relay = await TcpRelay.start(server.port);
    relay.swallow();
    const clock = new FakeClock();
    const config = configFor({ url: `http://127.0.0.1:${relay.port}` });
    await using transport = new HttpTransport(config, { clock, version: "2" });
    const failing = failureOf(transport.as()(get(), never));
    await settled(() => clock.pending()[0]?.dueInMs === 10_000);
    await clock.advance(10_000);
    expect(await failing).toMatchObject({ reason: "ConnectFailed", wasSent: "no" });
    expect(clock.pending()).toEqual([]);
  });

  test("disposing of the transport does not wait for such a server", async () => {
    await using server = await LocalServer.start({ speaks: "plain-h2", answer: (_q, r) => void r.end() });
    await using relay = await TcpRelay.start(server.port);
    relay.swallow();
    const clock = new FakeClock();
    const transport = new HttpTransport(configFor({ url: `http://127.0.0.1:${relay.port}` }), { clock, version: "2" });
    const failing = failureOf(transport.as()(get(), never));
    await settled(() => clock.pending()[0]?.dueInMs === 10_000);
    await transport[Symbol.asyncDispose]();
    expect(await failing).toMatchObject({ reason: "Closed", wasSent: "no" });
    expect(clock.pending()).toEqual([]);
  });

  test("an aborted caller does not wait for a connection of its own", async () => {
    const held = new HeldAnswers();
    await using server = await LocalServer.start({ speaks: "h1", certificates, answer: held.answer });
    await using relay = await TcpRelay.start(server.port);
    const config = configFor({ url: `https://127.0.0.1:${relay.port}` }, certificates);
    await using transport = new HttpTransport(config);
    const send = transport.as();
    const first = send(get("/1"), never);
    await held.first(1);
    relay.swallow();
    const controller = new AbortController();
    const second = failureOf(send(get("/2"), controller.signal));
    await settled(() => relay.accepted === 2);
    controller.abort("too slow");
    expect(await second).toBe("too slow");
    await transport[Symbol.asyncDispose]();
    await failureOf(first);
  });
});

describe("the server's limits and goodbyes over HTTP/2", () => {
  for (const [maxConcurrentStreams, connections] of [
    [100, 4],
    [10, 34],
  ] as const) {
    test(`300 watches where the server allows ${maxConcurrentStreams} streams, and gets stay prompt`, async () => {
      const held = new HeldAnswers();
      await using server = await LocalServer.start({
        speaks: "h2",
        certificates,
        maxConcurrentStreams,
        answer: (request, response) => {
          if (!request.url?.startsWith("/watch")) return void response.end("ok");
          response.write("one");
          held.answer(request, response);
        },
      });
      await using transport = new HttpTransport(configFor(server, certificates));
      const send = transport.as();
      const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => send(watch(`/watch/${i}`), never)));
      expect(transport.http2Connections).toBe(connections);
      for (let i = 0; i < 20; i++) expect(await textOf(await send(get(), never))).toBe("ok");
      expect(transport.http2Connections).toBeLessThanOrEqual(connections + 1);
      expect(server.accepted).toBeLessThanOrEqual(connections + 1);
      await Promise.all(answers.map((answer) => answer[Symbol.asyncDispose]()));
    });
  }

  test("after GOAWAY new streams go elsewhere, and the old connection ends with its last", async () => {
    const held = new HeldAnswers();
    await using server = await LocalServer.start({
      speaks: "h2",
      certificates,
      answer: (request, response) => {
        if (request.url?.startsWith("/watch")) held.answer(request, response);
        else response.end("ok");
      },
    });
    await using transport = new HttpTransport(configFor(server, certificates));
    const send = transport.as();
    const asking = send(watch(), never);
    const { response } = await held.one();
    response.write("one");
    const reader = bytesOf(await asking)[Symbol.asyncIterator]();
    await reader.next();
    const [session] = server.sessions;
    const closed = once(session ?? server.server, "close");
    session?.goaway(0);
    response.write("two");
    expect(String((await reader.next()).value)).toBe("two");
    expect(await textOf(await send(post("x"), never))).toBe("ok");
    expect(server.accepted).toBe(2);
    expect(transport.http2Connections).toBe(2);
    response.end("three");
    expect(String((await reader.next()).value)).toBe("three");
    expect((await reader.next()).done).toBe(true);
    await closed;
    await settled(() => transport.http2Connections === 1);
  });

  test("disposing of the transport closes connections that were going away", async () => {
    const held = new HeldAnswers();
    await using server = await LocalServer.start({ speaks: "h2", certificates, answer: held.answer });
    const transport = new HttpTransport(configFor(server, certificates));
    const asking = transport.as()(watch(), never);
    const { response } = await held.one();
    response.write("one");
    const reader = bytesOf(await asking)[Symbol.asyncIterator]();
    await reader.next();
    const [session] = server.sessions;
    session?.goaway(0);
    response.write("two");
    await reader.next();
    const reading = failureOf(reader.next());
    await transport[Symbol.asyncDispose]();
    expect(await reading).toMatchObject({ reason: "Closed" });
    await server.untilEmpty();
  });

  test("a refused stream was not carried out, and is its sender's to repeat", async () => {
    let asked = 0;
    await using server = await LocalServer.start({
      speaks: "h2",
      certificates,
      answer: (request) => {
        asked++;
        (request as unknown as Http2ServerRequest).stream.close(7);
      },
    });
    await using transport = new HttpTransport(configFor(server, certificates));
    const failure = await failureOf(transport.as()(post("x"), never));
    expect(failure).toMatchObject({ name: "TransportError", reason: "ConnectionLost", wasSent: "no" });
    // The connection is as good as before.
    expect([asked, transport.http2Connections]).toEqual([1, 1]);
  });

  test("a stream that is reset in the middle of its body breaks off", async () => {
    await using server = await LocalServer.start({
      speaks: "h2",
      certificates,
      answer: (request, response) => {
        response.write("some");
        (request as unknown as Http2ServerRequest).stream.destroy(new Error("a bug"));
      },
    });
    await using transport = new HttpTransport(configFor(server, certificates));
    const failure = await failureOf(transport.as()(post("x"), never).then(textOf));
    expect(failure).toMatchObject({ name: "TransportError", reason: "ConnectionLost", wasSent: "maybe" });
  });

  test("a whole answer ends without a reset", async () => {
    const codes: (number | undefined)[] = [];
    await using server = await LocalServer.start({
      speaks: "h2",
      certificates,
      answer: (request, response) => {
        const { stream } = request as unknown as Http2ServerRequest;
        stream.once("close", () => codes.push(stream.rstCode));
        response.end("x".repeat(100_000));
      },
    });
    await using transport = new HttpTransport(configFor(server, certificates));
    const send = transport.as();
    for (let i = 0; i < 5; i++) await textOf(await send(get(), never));
    await settled(() => codes.length === 5);
    expect(codes).toEqual([0, 0, 0, 0, 0]);
  });
});
