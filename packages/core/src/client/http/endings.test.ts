import { once } from "node:events";
import { type AddressInfo, createServer as createTcp } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { HttpTransport } from "./http-transport.ts";
import {
  type Answer,
  bothVersions,
  bytesOf,
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
  watch,
} from "./local-servers.fixture.ts";

let certificates: TestCertificates;
beforeAll(async () => {
  certificates = await makeCertificates();
});
const never = new AbortController().signal;

describe.each(bothVersions)("endings, over %s", (_name, speaks) => {
  const start = (answer: Answer) => LocalServer.start({ speaks, certificates, answer });
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

  test("thousands of answers that were heard to their end cost no connection", async () => {
    await using server = await start(echo);
    await using transport = new HttpTransport(configFor(server, certificates));
    const send = transport.as();
    for (let round = 0; round < 40; round++) {
      await Promise.all(
        Array.from({ length: 50 }, async () => textOf(await send(round % 2 === 0 ? get() : post("x"), never))),
      );
    }
    expect(server.secureSockets.length).toBeLessThanOrEqual(speaks === "h2" ? 1 : 50);
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

  test("a get on a connection that was made for it is not: who waits between attempts does better", async () => {
    let asked = 0;
    await using server = await start(() => {
      asked++;
      server.drop();
    });
    await using transport = new HttpTransport(configFor(server, certificates));
    expect(await failureOf(transport.as()(get(), never))).toMatchObject({ reason: "ConnectionLost", wasSent: "maybe" });
    expect([asked, server.accepted]).toEqual([1, 1]);
  });

  test("a post on a kept connection that dies is not sent again: it may have been carried out", async () => {
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
