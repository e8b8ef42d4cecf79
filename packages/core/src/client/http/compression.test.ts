import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { HttpTransport } from "./http-transport.ts";
import {
  type Answer,
  bothVersions,
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

describe.each(bothVersions)("compression, over %s", (_name, speaks) => {
  const start = (answer: Answer) => LocalServer.start({ speaks, certificates, answer });
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

  for (const [name, method, status] of [
    ["an answer to HEAD", "HEAD", 200],
    ["204", "GET", 204],
    ["304", "GET", 304],
    ["an empty answer", "GET", 200],
  ] as const) {
    test(`nothing is there to undo in ${name}`, async () => {
      await using server = await start((_request, response) => {
        response.statusCode = status;
        response.setHeader("content-encoding", "gzip");
        response.end();
      });
      await using transport = new HttpTransport(configFor(server, certificates));
      const send = transport.as();
      for (let round = 0; round < 2; round++) {
        const response = await send(get("/", { method }), never);
        expect([response.status, await textOf(response)]).toEqual([status, ""]);
      }
      expect(server.accepted).toBe(1);
    });
  }

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
