import { beforeAll, describe, expect, test } from "vitest";
import { HttpTransport } from "./http-transport.ts";
import {
  configFor,
  echo,
  failureOf,
  get,
  LocalServer,
  makeCertificates,
  type TestCertificates,
  textOf,
} from "./local-servers.fixture.ts";

let certificates: TestCertificates;
beforeAll(async () => {
  certificates = await makeCertificates();
});
const never = new AbortController().signal;

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
