import { beforeAll, describe, expect, test } from "vitest";
import type { CaBundle } from "../credentials/ca-bundle.ts";
import { inlineCaBundle } from "../credentials/ca-bundle.ts";
import { type Credential, type Credentials, certificateCredentials } from "../credentials/credentials.ts";
import { HttpTransport } from "./http-transport.ts";
import {
  bytesOf,
  configFor,
  failureOf,
  get,
  HeldAnswers,
  LocalServer,
  makeCertificates,
  type TestCertificates,
  textOf,
  watch,
} from "./local-servers.fixture.ts";

let certificates: TestCertificates;
let strangers: TestCertificates;
beforeAll(async () => {
  certificates = await makeCertificates();
  strangers = await makeCertificates("strangers");
});
const never = new AbortController().signal;
const kinds = [
  ["HTTP/1.1", "h1"],
  ["HTTP/2", "h2"],
] as const;

describe("whom the client believes", () => {
  const ok = (speaks: "h1" | "h2" = "h2") =>
    LocalServer.start({ speaks, certificates, answer: (_request, response) => response.end("ok") });

  for (const [name, ca, message] of [
    ["refuses a server of another authority", () => inlineCaBundle(strangers.caPem), /unable to verify|signature/],
    ["refuses a server of an authority the platform does not know", () => undefined, /unable to verify|self-signed/],
  ] as const) {
    test(name, async () => {
      await using server = await ok();
      const bundle = ca();
      const config = configFor(
        server,
        undefined,
        bundle === undefined ? {} : { tls: { ca: bundle, isVerified: true } },
      );
      await using transport = new HttpTransport(config);
      const failure = await failureOf(transport.as()(get(), never));
      expect(failure).toMatchObject({ name: "TransportError", reason: "ConnectFailed", wasSent: "no" });
      expect(failure["message"]).toMatch(/^the TLS handshake failed: /);
      expect(failure["message"]).toMatch(message);
      await server.untilEmpty();
    });
  }

  test("takes any server only when told not to check", async () => {
    await using server = await ok();
    const tls = { ca: inlineCaBundle(strangers.caPem), isVerified: false };
    await using transport = new HttpTransport(configFor(server, undefined, { tls }));
    expect(await textOf(await transport.as()(get(), never))).toBe("ok");
  });

  for (const [name, host, serverName, outcome] of [
    ["checks an address against the certificate's addresses", "127.0.0.1", undefined, { sni: false }],
    ["asks for a host by its name", "localhost", undefined, { sni: "localhost" }],
    ["asks for the name it was given instead", "127.0.0.1", "kube.test", { sni: "kube.test" }],
    ["checks the name it was given", "127.0.0.1", "other.test", /other\.test\. is not in the cert's altnames/],
    ["checks the address it was given", "localhost", "127.0.0.2", /IP: 127\.0\.0\.2 is not in the cert's list/],
    ["takes the address it was given", "localhost", "127.0.0.1", { sni: false }],
  ] as const) {
    test(name, async () => {
      await using server = await ok();
      const tls = {
        ca: inlineCaBundle(certificates.caPem),
        isVerified: true,
        ...(serverName === undefined ? {} : { serverName }),
      };
      const config = configFor({ url: `https://${host}:${server.port}` }, undefined, { tls });
      await using transport = new HttpTransport(config);
      const sending = transport.as()(get(), never);
      if (outcome instanceof RegExp) {
        expect((await failureOf(sending))["message"]).toMatch(outcome);
        return;
      }
      await textOf(await sending);
      expect(server.secureSockets.map((socket) => (socket as { servername?: unknown }).servername)).toEqual([
        outcome.sni,
      ]);
    });
  }
});

describe.each(kinds)("who the client is, over %s", (_name, speaks) => {
  async function guarded(answer?: import("./local-servers.fixture.ts").Answer) {
    return await LocalServer.start({
      speaks,
      certificates,
      clientCaPem: certificates.caPem,
      answer: answer ?? ((_request, response) => response.end("ok")),
    });
  }
  const usersOf = (server: LocalServer) =>
    server.secureSockets.map((socket) => (socket.getPeerCertificate().subject as { CN?: string } | undefined)?.CN);

  test("shows its certificate", async () => {
    await using server = await guarded();
    const { certPem, keyPem } = await certificates.authority.issueClient({ user: "ann" });
    const credentials = certificateCredentials(certPem, keyPem);
    await using transport = new HttpTransport(configFor(server, certificates, { credentials }));
    const response = await transport.as()(get(), never);
    expect(usersOf(server)).toEqual(["ann"]);
    expect(await textOf(response)).toBe("ok");
  });

  test("says so when the server wants a certificate that it has not", async () => {
    await using server = await guarded();
    await using transport = new HttpTransport(configFor(server, certificates));
    // With TLS 1.3 the client is done with its handshake before the server has looked.
    const failure = await failureOf(transport.as()(get(), never));
    expect(failure).toMatchObject({ name: "TransportError" });
    expect(failure["message"]).toMatch(/alert certificate required|closed|gone|ECONNRESET|EPIPE/);
    await server.untilEmpty();
  });

  test("a rotated certificate opens new connections; the old ones end with their last exchange", async () => {
    const held = new HeldAnswers();
    await using server = await guarded((request, response) => {
      if (request.url?.startsWith("/watch")) held.answer(request, response);
      else response.end("ok");
    });
    const pairs = await Promise.all(["ann", "bob"].map((user) => certificates.authority.issueClient({ user })));
    let generation = 1;
    const credentials: Credentials = {
      async current(): Promise<Credential> {
        const pair = pairs[generation - 1];
        if (pair === undefined) throw new Error("no such generation");
        return { headers: {}, certificate: { certificatePem: pair.certPem, keyPem: pair.keyPem, generation } };
      },
      rejected: async () => false,
    };
    await using transport = new HttpTransport(configFor(server, certificates, { credentials }));
    const send = transport.as();
    const watching = send(watch(), never);
    const { response } = await held.one();
    response.write("one");
    const reader = bytesOf(await watching)[Symbol.asyncIterator]();
    await reader.next();
    generation = 2;
    expect(await textOf(await send(get(), never))).toBe("ok");
    expect(usersOf(server)).toEqual(["ann", "bob"]);
    expect(server.sockets.size).toBe(2);
    // The old exchange goes on.
    response.write("two");
    expect(String((await reader.next()).value)).toBe("two");
    const closing = closeOf(server, 0);
    response.end();
    expect((await reader.next()).done).toBe(true);
    await closing;
    expect(server.sockets.size).toBe(1);
    expect(await textOf(await send(get(), never))).toBe("ok");
    expect(server.accepted).toBe(2);
  });

  test("keeps connections for eight identities at most, and closes none that is in use", async () => {
    const held = new HeldAnswers();
    await using server = await guarded((request, response) => {
      if (request.url?.startsWith("/watch")) held.answer(request, response);
      else response.end("ok");
    });
    await using transport = new HttpTransport(configFor(server, certificates));
    const users = Array.from({ length: 10 }, (_, index) => `user-${index}`);
    const pairs = await Promise.all(users.map((user) => certificates.authority.issueClient({ user })));
    const sends = pairs.map(({ certPem, keyPem }) =>
      transport.as({ credentials: certificateCredentials(certPem, keyPem) }),
    );
    const [busy] = sends;
    const watching = busy?.(watch(), never);
    const { response } = await held.one();
    response.write("one");
    const answer = await watching;
    if (answer === undefined) throw new Error("nobody asked");
    const reader = bytesOf(answer)[Symbol.asyncIterator]();
    await reader.next();
    for (const send of sends.slice(1, 8)) expect(await textOf(await send(get(), never))).toBe("ok");
    expect(server.sockets.size).toBe(8);
    const closing = closeOf(server, 1);
    for (const send of sends.slice(8)) expect(await textOf(await send(get(), never))).toBe("ok");
    await closing;
    expect(server.sockets.size).toBeLessThanOrEqual(8);
    response.write("two");
    expect(String((await reader.next()).value)).toBe("two");
    expect(server.accepted).toBe(10);
  });

  test("a rotated authority opens new connections; the old ones end with their last exchange", async () => {
    const held = new HeldAnswers();
    await using server = await LocalServer.start({
      speaks,
      certificates,
      answer: (request, response) => {
        if (request.url?.startsWith("/watch")) held.answer(request, response);
        else response.end("ok");
      },
    });
    let generation = 1;
    const ca: CaBundle = { current: async () => ({ pem: certificates.caPem, generation }) };
    await using transport = new HttpTransport(configFor(server, undefined, { tls: { ca, isVerified: true } }));
    const send = transport.as();
    const watching = send(watch(), never);
    const { response } = await held.one();
    response.write("one");
    const reader = bytesOf(await watching)[Symbol.asyncIterator]();
    await reader.next();
    generation = 2;
    expect(await textOf(await send(get(), never))).toBe("ok");
    expect(server.sockets.size).toBe(2);
    const closing = closeOf(server, 0);
    response.end();
    expect((await reader.next()).done).toBe(true);
    await closing;
    expect(server.sockets.size).toBe(1);
  });

  test("disposing of the transport breaks off what runs on retired connections too", async () => {
    const held = new HeldAnswers();
    await using server = await LocalServer.start({ speaks, certificates, answer: held.answer });
    let generation = 1;
    const ca: CaBundle = { current: async () => ({ pem: certificates.caPem, generation }) };
    const transport = new HttpTransport(configFor(server, undefined, { tls: { ca, isVerified: true } }));
    const send = transport.as();
    const failing = failureOf(send(get("/old"), never));
    await held.first(1);
    generation = 2;
    const other = failureOf(send(get("/new"), never));
    await held.first(2);
    await transport[Symbol.asyncDispose]();
    expect([await failing, await other]).toMatchObject([{ reason: "Closed" }, { reason: "Closed" }]);
    await server.untilEmpty();
  });
});

/** Resolves once the n-th TCP connection has closed. */
function closeOf(server: LocalServer, at: number): Promise<void> {
  const socket = [...server.sockets][at];
  return new Promise((resolve) => socket?.once("close", () => resolve()));
}
