import type { ServerResponse } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { FakeClock, systemClock } from "../../base/index.ts";
import { HttpTransport } from "./http-transport.ts";
import {
  bytesOf,
  configFor,
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
const chunk = Buffer.alloc(64 * 1024, "x");
const endlessBytes = 64 * 1024 * 1024;
const enoughBytes = 32 * 1024 * 1024;

/** Writes for as long as the client takes it, up to more than anyone should buffer. */
class Flood {
  written = 0;
  isStalled = false;

  pour(response: ServerResponse): void {
    response.on("error", () => {});
    const more = () => {
      this.isStalled = false;
      while (this.written < endlessBytes) {
        this.written += chunk.length;
        if (!response.write(chunk)) {
          this.isStalled = true;
          response.once("drain", more);
          return;
        }
      }
      response.end();
    };
    more();
  }

  async untilStalled(): Promise<number> {
    return await untilQuiet(() => (this.isStalled ? this.written : Number.NaN));
  }
}

/** Where a count stays while the event loop turns a thousand times, with all its input and output. */
async function untilQuiet(count: () => number): Promise<number> {
  for (let quietTurns = 0, before = Number.NaN; ; ) {
    await systemClock.yield();
    const now = count();
    quietTurns = now === before ? quietTurns + 1 : 0;
    if (quietTurns === 1000) return now;
    before = now;
  }
}

describe.each([
  ["HTTP/1.1", "h1"],
  ["HTTP/2", "h2"],
] as const)("over %s", (_name, speaks) => {
  test("a reader that stops reading stops the server, and one that goes on gets it all", async () => {
    const flood = new Flood();
    await using server = await LocalServer.start({
      speaks,
      certificates,
      answer: (_request, response) => flood.pour(response),
    });
    await using transport = new HttpTransport(configFor(server, certificates));
    const reader = bytesOf(await transport.as()(get(), never))[Symbol.asyncIterator]();
    let read = (await reader.next()).value?.length ?? 0;
    const stalledAt = await flood.untilStalled();
    // The kernel's buffers on both sides, the stream's window, and a little.
    expect(stalledAt).toBeLessThan(24 * 1024 * 1024);
    for (let next = await reader.next(); !next.done; next = await reader.next()) read += next.value.length;
    expect(read).toBe(endlessBytes);
  });
});

test("over HTTP/2 slow readers hold up nobody else on their connection", async () => {
  const floods: Flood[] = [];
  await using server = await LocalServer.start({
    speaks: "h2",
    certificates,
    answer: (request, response) => {
      if (request.url !== "/flood") return void response.end("ok");
      const flood = new Flood();
      floods.push(flood);
      flood.pour(response);
    },
  });
  await using transport = new HttpTransport(configFor(server, certificates));
  const send = transport.as();
  const slow = await Promise.all(Array.from({ length: 20 }, () => send(get("/flood"), never)));
  await Promise.all(floods.map((flood) => flood.untilStalled()));
  for (let i = 0; i < 50; i++) expect(await textOf(await send(get(), never))).toBe("ok");
  expect(transport.http2Connections).toBe(1);
  await Promise.all(slow.map((response) => response[Symbol.asyncDispose]()));
});

describe.each([
  ["HTTP/1.1", "plain", "1.1"],
  ["HTTP/2", "plain-h2", "2"],
] as const)("sending over %s", (_name, speaks, version) => {
  test("a server that stops reading stops the sender", async () => {
    let resume = () => {};
    await using server = await LocalServer.start({
      speaks,
      answer: (request, response) => {
        request.pause();
        resume = () => {
          request.resume();
          request.on("end", () => response.end("ok"));
        };
      },
    });
    await using transport = new HttpTransport(configFor(server), { version });
    let made = 0;
    const bytes = (async function* () {
      while (made < enoughBytes) {
        made += chunk.length;
        yield chunk;
      }
    })();
    const sending = transport.as()(get("/", { method: "POST", body: { kind: "bytes", bytes } }), never);
    expect(await untilQuiet(() => (made === 0 ? Number.NaN : made))).toBeLessThan(24 * 1024 * 1024);
    resume();
    expect(await textOf(await sending)).toBe("ok");
    expect(made).toBe(enoughBytes);
  });

  test("an answer before the body has been sent ends the sending", async () => {
    await using server = await LocalServer.start({
      speaks,
      answer: (_request, response) => {
        response.statusCode = 413;
        response.end("too large");
      },
    });
    await using transport = new HttpTransport(configFor(server), { version });
    let state = "open";
    const bytes = (async function* () {
      try {
        for (;;) {
          yield chunk;
          await new FakeClock().settle();
        }
      } finally {
        state = "closed";
      }
    })();
    const request = get("/", { method: "POST", body: { kind: "bytes", bytes } });
    const response = await transport.as()(request, never);
    expect(response.status).toBe(413);
    await response[Symbol.asyncDispose]();
    while (state === "open") await new FakeClock().settle();
  });
});
