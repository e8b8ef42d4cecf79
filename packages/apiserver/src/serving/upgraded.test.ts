// Connections that switch protocols, over real sockets: what a pod's node says reaches the client, and the other way round.
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Connection } from "@kubeloop/core/api";
import { Channel, deferred } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { ask } from "../ask.fixture.ts";
import type { Listening } from "./listen.ts";

const never = new AbortController().signal;

/** A node: what it was sent, and what it says. */
class Node {
  readonly #said = new Channel<Uint8Array>(100);
  readonly heard = new Channel<string>(100);
  readonly ended = deferred();
  readonly aborted = deferred();
  upgrade: string | undefined;

  say(text: string): void {
    this.#said.trySend(Buffer.from(text));
  }

  hangUp(): void {
    this.#said.close();
  }

  connection(): Connection {
    return {
      incoming: this.#said,
      send: async (bytes) => {
        this.heard.trySend(Buffer.from(bytes).toString());
      },
      end: async () => this.ended.resolve(),
    };
  }
}

let node: Node;
let server: ApiServer;
beforeEach(async () => {
  node = new Node();
  server = await ApiServer.open({
    nodeConnector: {
      async answer(_target, { upgrade }, signal) {
        node.upgrade = upgrade;
        signal.addEventListener("abort", () => node.aborted.resolve());
        return {
          status: 101,
          headers: { "sec-websocket-protocol": "v5.channel.k8s.io" },
          body: { kind: "upgraded", protocol: "websocket", connection: node.connection() },
          [Symbol.asyncDispose]: async () => {},
        };
      },
    },
  });
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
  await ask(server, "/api/v1/namespaces/default/pods", { method: "POST", value: { metadata: { name: "p" }, spec } });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const switching = "connection: Upgrade\r\nupgrade: websocket\r\n";
const exec = "GET /api/v1/namespaces/default/pods/p/exec?command=sh&stdin=true";

/** Reads until a text has come. */
async function readUntil(socket: Socket, wanted: string, read = { text: "" }): Promise<string> {
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    read.text += (chunk as Buffer).toString();
    if (read.text.includes(wanted)) break;
  }
  return read.text;
}

const ways = [
  ["TLS", false],
  ["plain HTTP", true],
] as const;
describe.each(ways)("over %s", (_words, isPlain) => {
  let listening: Listening;
  let socket: Socket;
  let headers: string;
  beforeEach(async () => {
    listening = await server.listen({ isPlain, advertiseAddress: "10.1.2.3" });
    const { port, admin } = listening;
    const connected = deferred();
    const isConnected = () => connected.resolve();
    socket = isPlain
      ? connectPlain(port, "127.0.0.1", isConnected)
      : connectTls({ port, host: "127.0.0.1", ca: admin.caPem, ALPNProtocols: ["http/1.1"] }, isConnected);
    socket.on("error", () => {});
    await connected.promise;
    headers = `host: x\r\nauthorization: Bearer ${admin.token}\r\n`;
  });
  afterEach(() => {
    socket.destroy();
  });

  test("bytes go both ways, those that came with the request first, until the node hangs up", async () => {
    socket.write(`${exec} HTTP/1.1\r\n${headers}${switching}\r\nearly`);
    const head = await readUntil(socket, "\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(head).toContain("upgrade: websocket\r\n");
    expect(head).toContain("sec-websocket-protocol: v5.channel.k8s.io\r\n");
    expect(node.upgrade).toBe("websocket");
    expect((await node.heard.receive(never))?.value).toBe("early");
    socket.write("more");
    expect((await node.heard.receive(never))?.value).toBe("more");
    node.say("answer");
    expect(await readUntil(socket, "answer")).toBe("answer");
    node.hangUp();
    const closed = deferred();
    socket.on("end", () => closed.resolve());
    socket.resume();
    await closed.promise;
  });

  // The platform's TLS closes both directions at once.
  test.runIf(isPlain)("the client may end its direction and still hear the rest", async () => {
    socket.write(`${exec} HTTP/1.1\r\n${headers}${switching}\r\n`);
    await readUntil(socket, "\r\n\r\n");
    socket.end("last");
    expect((await node.heard.receive(never))?.value).toBe("last");
    await node.ended.promise;
    node.say("the rest");
    node.hangUp();
    expect(await readUntil(socket, "the rest")).toBe("the rest");
  });

  test("when the client goes, the node hears of it", async () => {
    socket.write(`${exec} HTTP/1.1\r\n${headers}${switching}\r\n`);
    await readUntil(socket, "\r\n\r\n");
    socket.destroy();
    // Over plain HTTP a client that goes cannot be told from one that has only said all it had to say.
    await Promise.race([node.aborted.promise, node.ended.promise]);
    node.hangUp();
  });

  test("when the server stops listening, the connection ends", async () => {
    socket.write(`${exec} HTTP/1.1\r\n${headers}${switching}\r\n`);
    await readUntil(socket, "\r\n\r\n");
    const closed = deferred();
    socket.on("close", () => closed.resolve());
    socket.resume();
    const disposed = listening[Symbol.asyncDispose]();
    await closed.promise;
    node.hangUp();
    await disposed;
  });

  test("what cannot be switched is answered as usual", async () => {
    socket.write(`GET /api/v1/namespaces/default/pods/none/exec HTTP/1.1\r\n${headers}${switching}\r\n`);
    const heard = await readUntil(socket, "nothing like this");
    expect(heard).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect(heard).toContain('"message":"pods \\"none\\" not found"');
    expect(heard).toContain("connection: close\r\n");
  });

  test("who offers another protocol with an ordinary request gets an ordinary answer", async () => {
    const offer = "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA\r\n";
    const body = JSON.stringify({ metadata: { name: "made" } });
    const length = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
    const path = "/api/v1/namespaces/default/configmaps";
    socket.write(`POST ${path} HTTP/1.1\r\n${headers}${offer}${length}\r\n${body.slice(0, 5)}`);
    socket.write(body.slice(5));
    const heard = await readUntil(socket, "nothing like this");
    expect(heard).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
    expect((await ask(server, `${path}/made`)).code).toBe(200);
  });
});
