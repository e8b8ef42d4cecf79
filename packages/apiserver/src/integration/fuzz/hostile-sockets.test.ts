import { createHash } from "node:crypto";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { FakeClock, systemClock } from "@kubeloop/core/base";
import { afterEach, expect, test, vi } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { systemAdmin } from "../../authentication/users.ts";
import { createAuthority } from "../../serving/certificate-authority.ts";
import { ServerSocket } from "../../serving/server-socket.ts";
import { MemoryStorage } from "../../storage/index.ts";

const open: AsyncDisposable[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const each of open.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

/** A server on a port that counts what it holds for its clients. */
async function serve(options: { isPlain?: boolean; clock?: FakeClock; headersTimeoutMs?: number } = {}) {
  const { isPlain = true, clock = systemClock, headersTimeoutMs = 30_000 } = options;
  const live = { requests: 0, responses: 0, listeners: 0 };
  const storage = new MemoryStorage();
  const subscribe = storage.log.onChange;
  storage.log.onChange = (collection, listener) => {
    live.listeners++;
    const subscription = subscribe(collection, listener);
    return {
      [Symbol.dispose]() {
        live.listeners--;
        subscription[Symbol.dispose]();
      },
    };
  };
  const errors: string[] = [];
  const log = { debug() {}, info() {}, warn() {}, error: (message: string) => errors.push(message), with: () => log };
  const server = await ApiServer.open({ storage, log });
  open.push(server);
  const authority = isPlain ? undefined : await createAuthority("test");
  const own = await authority?.issueServer({ commonName: "test", names: ["127.0.0.1"] });
  const tls =
    own === undefined || authority === undefined ? {} : { tls: { ...own, clientCaPem: authority.pair.certPem } };
  const socket = await ServerSocket.listen({
    host: "127.0.0.1",
    port: 0,
    ...tls,
    everybody: systemAdmin,
    clock,
    log,
    headersTimeoutMs,
    async answer(request, _origin, signal) {
      live.requests++;
      try {
        const response = await server.transport(request, signal);
        live.responses++;
        let isHeld = true;
        return {
          ...response,
          async [Symbol.asyncDispose]() {
            if (isHeld) live.responses--;
            isHeld = false;
            await response[Symbol.asyncDispose]();
          },
        };
      } finally {
        live.requests--;
      }
    },
  });
  open.push(socket);
  const nothingLeft = () =>
    vi.waitFor(() => expect(live).toEqual({ requests: 0, responses: 0, listeners: 0 }), {
      timeout: 60_000,
      interval: 5,
    });
  return { port: socket.port, url: socket.url, server, live, errors, nothingLeft };
}

/** A client that sends exactly these bytes. */
function dial(port: number, text = ""): { socket: Socket; heard: () => string; closed: Promise<void> } {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  sockets.push(socket);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("end", () => socket.destroy());
  if (text !== "") socket.write(text);
  return { socket, heard: () => Buffer.concat(chunks).toString("latin1"), closed };
}

const heardSoon = (heard: () => string, text: string | RegExp) =>
  vi.waitFor(() => expect(heard()).toMatch(text), { timeout: 60_000, interval: 5 });

async function isWell(port: number): Promise<void> {
  const { heard } = dial(port, "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  await heardSoon(heard, /200 OK[\s\S]*ok$/);
}

const json = (method: string, path: string, body: string) =>
  `${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test("headers that drip in are not waited for", async () => {
  const { port, nothingLeft } = await serve({ headersTimeoutMs: 300 });
  const { socket, closed } = dial(port, "GET /api/v1/pods HTTP/1.1\r\n");
  const dripping = setDrip(() => socket.writable && socket.write("x-a: b\r\n"));
  await closed;
  dripping.stop();
  await nothingLeft();
});

function setDrip(drip: () => void): { stop(): void } {
  let timer = systemClock.after(20, again);
  function again() {
    drip();
    timer = systemClock.after(20, again);
  }
  return { stop: () => timer[Symbol.dispose]() };
}

test("a body that never ends is refused after a minute, and then cut off", async () => {
  const clock = new FakeClock();
  const { port, live, nothingLeft } = await serve({ clock });
  const head = "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{";
  const { heard, closed } = dial(port, head);
  await vi.waitFor(() => expect(live.requests).toBe(1), { timeout: 60_000, interval: 5 });
  await clock.advance(60_000);
  await heardSoon(heard, /504 Gateway Timeout[\s\S]*"reason":"Timeout"/);
  await clock.advance(10_000);
  await closed;
  await nothingLeft();
});

test("a body without end is answered, and not read for ever", async () => {
  const { port, nothingLeft } = await serve();
  const head = "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
  const { socket, heard, closed } = dial(port, head);
  const piece = Buffer.from(`10000\r\n${" ".repeat(65_536)}\r\n`);
  const pour = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on("drain", pour);
  pour();
  await heardSoon(heard, /413 Payload Too Large|413 Request Entity Too Large/);
  await closed;
  await nothingLeft();
  await isWell(port);
});

test("headers that are too large are refused", async () => {
  const { port } = await serve();
  const { heard } = dial(port, `GET /healthz HTTP/1.1\r\nhost: x\r\nx-a: ${"b".repeat(1024 * 1024 + 1)}\r\n\r\n`);
  await heardSoon(heard, /431 Request Header Fields Too Large/);
  await isWell(port);
});

test("what is no HTTP is refused, also behind a good request", async () => {
  const { port, errors } = await serve();
  const first = dial(port, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n\u0000\u0001garbage\r\n\r\n");
  await first.closed;
  // Not as if it had been the answer to the good one.
  expect(first.heard()).not.toMatch(/^HTTP\/1.1 400/);
  const { socket, heard } = dial(port, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
  await heardSoon(heard, "200 OK");
  socket.write("\u0000\u0001garbage\r\n\r\n");
  await heardSoon(heard, "400 Bad Request");
  for (const noise of [
    "\u0016\u0003\u0001",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "GET\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
  ]) {
    const other = dial(port, noise);
    other.socket.end();
    await other.closed;
  }
  expect(errors).toEqual([]);
  await isWell(port);
});

test("a warning about a field of another script is heard, and breaks nothing", async () => {
  const { port, errors } = await serve();
  const { heard } = dial(
    port,
    json("POST", "/api/v1/namespaces/default/configmaps", '{"metadata":{"name":"a"},"\u{1f600}":1}'),
  );
  await heardSoon(heard, "201 Created");
  expect(Buffer.from(heard(), "latin1").toString("utf8")).toMatch(/warning: 299 - "unknown field \\"\u{1f600}\\""/iu);
  expect(errors).toEqual([]);
});

test("many requests in one piece are all answered, in order", async () => {
  const { port, nothingLeft } = await serve();
  const one = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
  const { heard, socket } = dial(port, (one("/healthz") + one("/%00") + one("/api/v1/pods/../..")).repeat(30));
  await vi.waitFor(() => expect(heard().match(/HTTP\/1\.1 (?:200|404)/g)).toHaveLength(90), { timeout: 60_000 });
  socket.destroy();
  await nothingLeft();
});

test("who asks for much in one piece and reads nothing is not served ahead", async () => {
  const { port, live, server, nothingLeft } = await serve();
  const body = {
    kind: "bytes",
    bytes: Buffer.from(`{"metadata":{"name":"big"},"data":{"a":"${"x".repeat(900_000)}"}}`),
  } as const;
  const path = "/api/v1/namespaces/default/configmaps";
  const headers = { "content-type": "application/json" };
  await server.transport(
    { method: "POST", path, query: [], headers, body, prefers: "bytes" },
    new AbortController().signal,
  );
  const one = `GET ${path}/big?pretty=1 HTTP/1.1\r\nhost: x\r\n\r\n`;
  const { socket } = dial(port, one.repeat(500));
  socket.pause();
  await vi.waitFor(() => expect(live.requests + live.responses).toBe(1), { timeout: 60_000, interval: 5 });
  // Whatever fits on the line is gone from here; of the rest one is being written.
  for (let i = 0; i < 200; i++) await systemClock.yield();
  expect(live.requests + live.responses).toBeLessThanOrEqual(1);
  socket.destroy();
  await nothingLeft();
});

test("a method nobody knows, with a header that is nearly all spaces, is answered", async () => {
  const { port } = await serve();
  const { heard } = dial(port, `FROB /api HTTP/1.1\r\nhost: x\r\na: b${" ".repeat(60_000)}c\r\n\r\n`);
  await heardSoon(heard, "HTTP/1.1 4");
  await isWell(port);
});

test("who leaves in the middle of a body, a list or a watch leaves nothing behind", async () => {
  const { port, live, server, nothingLeft, errors } = await serve();
  const big = JSON.stringify({ metadata: { generateName: "big-" }, data: { a: "x".repeat(900_000) } });
  for (let i = 0; i < 12; i++) {
    const path = "/api/v1/namespaces/default/configmaps";
    const body = { kind: "bytes", bytes: Buffer.from(big) } as const;
    const headers = { "content-type": "application/json" };
    await server.transport(
      { method: "POST", path, query: [], headers, body, prefers: "bytes" },
      new AbortController().signal,
    );
  }
  const bodyHalf = dial(port, json("POST", "/api/v1/namespaces/default/configmaps", "{}").slice(0, -1));
  const list = dial(port, "GET /api/v1/configmaps HTTP/1.1\r\nhost: x\r\n\r\n");
  list.socket.pause();
  const watches = Array.from({ length: 20 }, (_, i) =>
    dial(
      port,
      `GET /api/v1/${i < 3 ? "configmaps?resourceVersion=1&" : "secrets?"}watch=1 HTTP/1.1\r\nhost: x\r\n\r\n`,
    ),
  );
  for (const { socket } of watches) socket.pause();
  const half = dial(port, "GET /api/v1/nodes?watch=1 HTTP/1.1\r\nhost: x\r\n\r\n");
  await vi.waitFor(() => expect(live).toEqual({ requests: 1, responses: 22, listeners: 21 }), { timeout: 60_000 });
  half.socket.end();
  bodyHalf.socket.resetAndDestroy();
  list.socket.destroy();
  for (const [i, { socket }] of watches.entries()) i % 2 === 0 ? socket.destroy() : socket.resetAndDestroy();
  await nothingLeft();
  expect(errors).toEqual([]);
});

test("watches over HTTP/2 end when their client resets them, and when it goes", async () => {
  const { url, live, nothingLeft } = await serve({ isPlain: false });
  for (const leave of ["reset", "go"] as const) {
    const session = connectHttp2(url, { rejectUnauthorized: false });
    session.on("error", () => {});
    const streams = Array.from({ length: 10 }, () => session.request({ ":path": "/api/v1/configmaps?watch=1" }));
    for (const stream of streams) stream.on("error", () => {});
    await vi.waitFor(() => expect(live.listeners).toBe(10), { timeout: 60_000, interval: 5 });
    if (leave === "reset") for (const stream of streams) stream.close(8);
    else session.destroy();
    await nothingLeft();
    session.destroy();
  }
});

test("a stream of resets over HTTP/2 is bounded, and nothing stays", async () => {
  const { url, nothingLeft } = await serve({ isPlain: false });
  const session = connectHttp2(url, { rejectUnauthorized: false });
  session.on("error", () => {});
  await new Promise<void>((resolve) => session.on("connect", () => resolve()));
  const ended = new Promise<void>((resolve) => session.on("close", () => resolve()));
  for (let i = 0; i < 1_500 && !session.destroyed; i++) {
    const stream = session.request({ ":path": "/api/v1/configmaps?watch=1" });
    stream.on("error", () => {});
    // After its headers have gone out.
    stream.on("ready", () => stream.close(8));
    if (i % 100 === 0) await systemClock.yield();
  }
  // Unless the server has had enough of it already.
  session.destroy();
  await ended;
  await nothingLeft();
  const other = connectHttp2(url, { rejectUnauthorized: false });
  const stream = other.request({ ":path": "/healthz" });
  const hash = createHash("sha1");
  for await (const chunk of stream) hash.update(chunk as Buffer);
  other.destroy();
  expect(hash.digest("hex")).toBe(createHash("sha1").update("ok").digest("hex"));
});
