// Over real sockets, in real time: what a function cannot show.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, get, request as sendRequest } from "node:https";
import { connect } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import { type CertificateAuthority, type CertificatePair, createAuthority } from "@kubeloop/real-cluster";
import { beforeAll, describe, expect, test } from "vitest";
import { type Connection, collectBytes, newForbidden, type Transport, valueResponse } from "../../api/index.ts";
import { Channel, deferred, type Log, noLog, textLineLog } from "../../base/index.ts";
import { HttpServer, type HttpServerOptions } from "./http-server.ts";
import { textResponse } from "./responses.ts";
import { fixedCertificate, type ServedCertificate, type ServingCertificate } from "./serving-certificate.ts";

const never = new AbortController().signal;

/** A server that runs until the test ends. */
async function started(handler: Transport, options: Partial<HttpServerOptions> = {}) {
  const server = new HttpServer("test", handler, { port: 0, host: "127.0.0.1", ...options });
  const stop = new AbortController();
  const running = server.run(stop.signal);
  await Promise.race([server.whenReady(never), running]);
  return {
    server,
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    running,
    stop: () => stop.abort(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

/** Answers with what it was asked. */
const echo: Transport = async ({ method, path, query, headers, body }) => {
  const text =
    body.kind === "bytes"
      ? Buffer.from(await collectBytes(body.bytes as AsyncIterable<Uint8Array>, { maxBytes: 1e9 }))
      : body.kind;
  return valueResponse(200, { method, path, query, kind: headers["content-type"], body: text.toString() });
};

describe("a request", () => {
  test("reaches the function as it was sent, and its answer comes back", async () => {
    await using running = await started(echo);
    const answer = await fetch(`${running.url}/a%2Fb/c?x=1&x=%202`, {
      method: "POST",
      headers: { "content-type": "text/odd" },
      body: "hello",
    });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toEqual({
      method: "POST",
      path: "/a%2Fb/c",
      query: [
        ["x", "1"],
        ["x", " 2"],
      ],
      kind: "text/odd",
      body: "hello",
    });
  });

  test("without a body has none", async () => {
    await using running = await started(echo);
    expect(await (await fetch(running.url)).json()).toMatchObject({ path: "/", body: "none" });
  });

  test("that is too large is refused, whether it says so before or not; the connection stays good", async () => {
    await using running = await started(echo, { maxRequestBytes: 1000 });
    const large = "x".repeat(2_000_000);
    const said = await fetch(running.url, { method: "POST", body: large });
    const unsaid = await fetch(running.url, {
      method: "POST",
      body: new Blob([large]).stream(),
      duplex: "half",
    } as RequestInit);
    for (const answer of [said, unsaid]) {
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({
        kind: "Status",
        reason: "RequestEntityTooLarge",
        message: "Request entity too large: limit is 1000",
      });
    }
    expect((await fetch(running.url, { method: "POST", body: "x".repeat(1000) })).status).toBe(200);
  });

  test("that is refused before it was read is taken off the wire: the next one on its connection is answered", async () => {
    await using running = await started(echo, { maxRequestBytes: 1000 });
    const socket = connect(running.port, "127.0.0.1");
    // In chunks, so that the limit shows only on the way.
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (let i = 0; i < 50; i++) socket.write(`${(100_000).toString(16)}\r\n${"x".repeat(100_000)}\r\n`);
    socket.write("0\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const text = Buffer.from(await collectBytes(socket, { maxBytes: 10_000 })).toString();
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
    expect(text).toContain('"path":"/next"');
  });

  test("whose function throws a Status gets it; anything else is a 500 and goes to the log", async () => {
    const lines: string[] = [];
    const log: Log = { ...noLog, error: (message) => lines.push(message), with: () => log };
    const errors: unknown[] = [newForbidden({ group: "", resource: "pods" }, "a", { detail: "no" }), new Error("oh")];
    await using running = await started(
      async () => {
        throw errors.shift();
      },
      { log },
    );
    const answers = [await fetch(running.url), await fetch(running.url)];
    expect(answers.map(({ status }) => status)).toEqual([403, 500]);
    expect(await answers[1]?.json()).toMatchObject({ message: "Internal error occurred: oh" });
    expect(lines).toEqual(["request failed"]);
  });

  test("whose client goes away is aborted", async () => {
    const reasons = deferred<unknown>();
    const arrived = deferred();
    await using running = await started((_request, signal) => {
      arrived.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reasons.resolve(signal.reason);
          reject(signal.reason);
        });
      });
    });
    const leaving = new AbortController();
    const asking = fetch(running.url, { signal: leaving.signal });
    await arrived.promise;
    leaving.abort();
    await expect(asking).rejects.toThrow();
    expect(await reasons.promise).toMatchObject({ reason: "ClientGone" });
  });

  test("that is sent too slowly is cut off", async () => {
    await using running = await started(echo, { headersTimeoutMs: 200, requestTimeoutMs: 400 });
    const socket = connect(running.port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost:");
    socket.resume();
    await once(socket, "close");
  });
});

describe("the end", () => {
  test("lets a request under way end, takes no other, and waits for it", async () => {
    const arrived = deferred();
    const answer = deferred();
    await using running = await started(async () => {
      arrived.resolve();
      await answer.promise;
      return textResponse(200, "done");
    });
    const asking = fetch(running.url);
    await arrived.promise;
    running.stop();
    let hasEnded = false;
    void running.running.then(() => {
      hasEnded = true;
    });
    await expect(fetch(running.url)).rejects.toThrow();
    expect([hasEnded, running.server.state]).toEqual([false, "closing"]);
    answer.resolve();
    const response = await asking;
    expect([await response.text(), response.headers.get("connection")]).toEqual(["done", "close"]);
    await running.running;
    expect(running.server.state).toBe("ended");
  });

  test.each([
    [50, "after its time cuts off what is still under way, and says so", 1],
    [0, "without a time of grace cuts off what is under way, without a word", 0],
  ])("%d ms: %s", async (closeGraceMs, _fact, warned) => {
    const warnings: string[] = [];
    const log = textLineLog({ now: () => 0, level: "warn", write: (line) => warnings.push(line) });
    const arrived = deferred();
    const reason = deferred<unknown>();
    await using running = await started(
      (_request, signal) => {
        arrived.resolve();
        return new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => {
            reason.resolve(signal.reason);
            reject(signal.reason);
          }),
        );
      },
      { closeGraceMs, log },
    );
    const asking = fetch(running.url);
    await arrived.promise;
    running.stop();
    await expect(asking).rejects.toThrow();
    expect(await reason.promise).toMatchObject({ reason: "Closing" });
    await running.running;
    expect(warnings.length).toBe(warned);
  });

  for (const [fact, certificate] of [
    ["", () => undefined],
    [", nor for handshakes", () => new Changing(served(pairs[0]))],
  ] as const) {
    test(`does not wait for connections that ask nothing${fact}`, async () => {
      await using running = await started(echo, { certificate: certificate(), closeGraceMs: Number.POSITIVE_INFINITY });
      const socket = connect(running.port, "127.0.0.1");
      await once(socket, "connect");
      const closed = once(socket, "close");
      running.stop();
      await running.running;
      await closed;
    });
  }

  test("does not wait for connections that have been answered", async () => {
    await using running = await started(echo, { closeGraceMs: Number.POSITIVE_INFINITY });
    await (await fetch(running.url)).text();
    running.stop();
    await running.running;
  });
});

describe("a server", () => {
  test("whose port is taken fails and says which, to those who wait too", async () => {
    await using running = await started(echo);
    const second = new HttpServer("second", echo, { port: running.port, host: "127.0.0.1" });
    const waiting = second.whenReady(never);
    waiting.catch(() => {});
    await expect(second.run(never)).rejects.toThrow(
      `server second cannot listen on 127.0.0.1:${running.port}: listen EADDRINUSE`,
    );
    await expect(waiting).rejects.toThrow();
  });

  test("runs once", async () => {
    await using running = await started(echo);
    await expect(running.server.run(never)).rejects.toThrow("runs once only");
  });

  test("told to end before it begins ends", async () => {
    const server = new HttpServer("test", echo, { port: 0 });
    await server.run(AbortSignal.abort());
    expect(server.state).toBe("ended");
    expect(() => server.port).toThrow("does not listen");
  });

  test("whose certificate cannot be read does not begin", async () => {
    const certificate: ServingCertificate = {
      ...fixedCertificate({ certificatePem: pairs[0].certPem, keyPem: pairs[0].keyPem }),
      current: undefined,
      reload: () => Promise.reject(new Error("no such file")),
    };
    const server = new HttpServer("test", echo, { port: 0, certificate });
    await expect(server.run(never)).rejects.toThrow("no such file");
  });
});

let authority: CertificateAuthority;
let pairs: [CertificatePair, CertificatePair];
beforeAll(async () => {
  authority = await createAuthority("test");
  const issue = (commonName: string) => authority.issueServer({ commonName, names: ["127.0.0.1"] });
  pairs = [await issue("first"), await issue("second")];
});

function served(pair: CertificatePair, clientCaPem?: string): ServedCertificate {
  const ca = clientCaPem === undefined ? {} : { clientCaPem };
  const { current } = fixedCertificate({ certificatePem: pair.certPem, keyPem: pair.keyPem, ...ca });
  if (current === undefined) throw new Error("a fixed certificate is always there");
  return current;
}

/** A certificate that the test changes. */
class Changing implements ServingCertificate {
  current: ServedCertificate;
  #listener: (certificate: ServedCertificate) => void = () => {};

  constructor(first: ServedCertificate) {
    this.current = first;
  }

  async reload(): Promise<boolean> {
    return false;
  }

  subscribe(listener: (certificate: ServedCertificate) => void): Disposable {
    this.#listener = listener;
    return { [Symbol.dispose]() {} };
  }

  async run(): Promise<void> {}

  change(to: ServedCertificate): void {
    this.current = to;
    this.#listener(to);
  }
}

async function nameShown(port: number, agent: Agent): Promise<string> {
  const [response] = (await once(get({ port, host: "127.0.0.1", agent }), "response")) as [IncomingMessage];
  response.resume();
  const { subject } = (response.socket as TLSSocket).getPeerCertificate() as PeerCertificate;
  await once(response, "end");
  return String(subject.CN);
}

describe("over TLS", () => {
  test("a renewed certificate is shown to new connections, and open ones go on", async () => {
    const certificate = new Changing(served(pairs[0]));
    await using running = await started(echo, { certificate });
    using kept = keptAgent();
    expect(await nameShown(running.port, kept.agent)).toBe("first");
    certificate.change(served(pairs[1]));
    expect(await nameShown(running.port, kept.agent)).toBe("first");
    using fresh = keptAgent();
    expect(await nameShown(running.port, fresh.agent)).toBe("second");
  });

  test("with authorities for clients, only those with a certificate of theirs are let in", async () => {
    await using running = await started(echo, { certificate: new Changing(served(pairs[0], authority.pair.certPem)) });
    using stranger = keptAgent();
    await expect(nameShown(running.port, stranger.agent)).rejects.toThrow();
    const own = await authority.issueClient({ user: "me" });
    using known = keptAgent({ cert: own.certPem, key: own.keyPem });
    expect(await nameShown(running.port, known.agent)).toBe("first");
  });

  test("who speaks plain text is turned away, and others are not disturbed", async () => {
    await using running = await started(echo, { certificate: new Changing(served(pairs[0])) });
    await expect(fetch(running.url)).rejects.toThrow();
    using agent = keptAgent();
    const asking = sendRequest({ port: running.port, host: "127.0.0.1", agent: agent.agent, method: "POST" });
    asking.end("hello");
    const [response] = (await once(asking, "response")) as [IncomingMessage];
    expect(Buffer.from(await collectBytes(response, { maxBytes: 1000 })).toString()).toContain('"body":"hello"');
  });

  function keptAgent(more: { readonly cert?: string; readonly key?: string } = {}) {
    const agent = new Agent({ keepAlive: true, ca: authority.pair.certPem, ...more });
    return { agent, [Symbol.dispose]: () => agent.destroy() };
  }
});

describe("a request to switch protocols", () => {
  /** Sends back what it is sent, in capitals, to those who may. */
  const shouting: Transport = async ({ path, upgrade }, signal) => {
    if (upgrade === undefined) return textResponse(200, "no upgrade");
    if (path !== "/shout") throw newForbidden({ group: "", resource: "pods" }, "web", { detail: "no" });
    const said = new Channel<Uint8Array>(10);
    signal.addEventListener("abort", () => said.close(), { once: true });
    const connection: Connection = {
      incoming: said,
      send: async (bytes) => {
        said.trySend(Buffer.from(Buffer.from(bytes).toString().toUpperCase()));
      },
      end: async () => said.close(),
    };
    return {
      status: 101,
      headers: { "x-kind": "loud" },
      body: { kind: "upgraded", protocol: upgrade, connection },
      [Symbol.asyncDispose]: async () => {},
    };
  };

  /** All that comes back from a connection that sends this, and ends its half as soon as the answer has begun. */
  async function say(port: number, path: string, text: string): Promise<string> {
    const socket = connect(port, "127.0.0.1");
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: shouting\r\n\r\n${text}`);
    let heard = "";
    for await (const chunk of socket) {
      heard += String(chunk);
      socket.end();
    }
    return heard;
  }

  test("is answered by the handler, and bytes go both ways until the client ends", async () => {
    await using running = await started(shouting, { takesUpgrades: true });
    const [head, body] = (await say(running.port, "/shout", "hello")).split("\r\n\r\n");
    expect(head?.split("\r\n")).toEqual([
      "HTTP/1.1 101 Switching Protocols",
      "upgrade: shouting",
      "connection: Upgrade",
      "x-kind: loud",
    ]);
    expect(body).toBe("HELLO");
  });

  test("that is refused gets the handler's Status, and nothing after it", async () => {
    await using running = await started(shouting, { takesUpgrades: true });
    const [head = "", body = ""] = (await say(running.port, "/other", "")).split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(JSON.parse(body)).toMatchObject({ kind: "Status", code: 403 });
  });

  test("is a request like others where upgrades are not taken", async () => {
    await using running = await started(shouting);
    expect(await say(running.port, "/shout", "")).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*no upgrade/);
  });

  test("does not keep a server from closing", async () => {
    await using running = await started(shouting, { takesUpgrades: true, closeGraceMs: 3_600_000 });
    const socket = connect(running.port, "127.0.0.1");
    socket.write("GET /shout HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: shouting\r\n\r\n");
    await once(socket, "data");
    running.stop();
    await Promise.all([running.running, once(socket, "close")]);
    expect(running.server.state).toBe("ended");
  });
});
