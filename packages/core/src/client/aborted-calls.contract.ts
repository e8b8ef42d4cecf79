// Thousands of calls of each kind, made through the whole client and aborted on the way, leave nothing behind: no stream, no
// timer but a connection's ping, no listener on the signal they were made under. Some wait for an answer then, some read
// one, some wait to ask again. (http/aborted-calls.contract.ts does the same to connections, over both versions of HTTP.)
import { getEventListeners } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { configMaps, deployments, pods } from "../api/generated/resources.ts";
import { childSignal, FakeClock } from "../base/index.ts";
import { type Client, openClient } from "./client.ts";
import { Discovery } from "./discovery/index.ts";
import { configFor, LocalServer, settled } from "./http/local-servers.fixture.ts";

const atOnce = 40;
/** Node's HTTP/2 servers take more than a thousand resets of streams on one connection for an attack. */
const callsPerConnection = 400;

const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } } as const;
const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } } as const;
const mapsOf = (client: Client) => client.resource(configMaps).in("shop");

/** Each kind of call, in what may be one or two requests. */
const kinds: Readonly<Record<string, (client: Client, signal: AbortSignal) => Promise<unknown>>> = {
  get: (client, signal) => mapsOf(client).get("a", signal),
  list: (client, signal) => mapsOf(client).list(signal).toArray(),
  table: (client, signal) => mapsOf(client).table(signal),
  watch: (client, signal) => readAll(mapsOf(client).watch({ resourceVersion: "1" }, signal)),
  create: (client, signal) => mapsOf(client).create(map, signal),
  update: (client, signal) => mapsOf(client).update(map, signal),
  updateStatus: (client, signal) => mapsOf(client).updateStatus(map, signal),
  patch: (client, signal) => mapsOf(client).patch("a", { type: "merge", body: {} }, signal),
  apply: (client, signal) => mapsOf(client).apply(map, { fieldManager: "me" }, signal),
  delete: (client, signal) => mapsOf(client).delete("a", signal),
  deleteCollection: (client, signal) => mapsOf(client).deleteCollection({}, signal),
  scale: (client, signal) => client.resource(deployments).in("shop").subresource("scale").get("a", signal),
  eviction: (client, signal) => client.resource(pods).in("shop").subresource("eviction").create("a", eviction, signal),
  log: (client, signal) => readAll(client.podLogs({ namespace: "shop", name: "a" }, signal)),
  metadata: (client, signal) => client.metadata(configMaps).in("shop").get("a", signal),
  discovery: (client, signal) => new Discovery(client.transport).discover(signal),
};

async function readAll(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

/** Answers in turn with nothing, with half an answer, and with the request to come again; notes what is still open. */
class HalfHearted {
  asked = 0;
  readonly open = new Set<ServerResponse>();
  readonly answer = (request: IncomingMessage, response: ServerResponse) => {
    response.on("error", () => {});
    this.open.add(response);
    response.once("close", () => this.open.delete(response));
    if (request.url?.includes("whole")) return void response.end(JSON.stringify(map));
    const turn = this.asked++ % 3;
    if (turn === 1) response.write('{"kind":');
    if (turn !== 2) return;
    response.statusCode = 429;
    response.setHeader("retry-after", "1");
    response.end();
  };
}

/** `calls` of each kind. */
export function defineAbortedCalls(calls: number): void {
  describe(`${calls} calls leave nothing behind when aborted`, () => {
    for (const [kind, call] of Object.entries(kinds)) {
      test(kind, async () => {
        const half = new HalfHearted();
        await using server = await LocalServer.start({ speaks: "plain-h2", answer: half.answer });
        const clock = new FakeClock();
        const options = { clock, httpVersion: "2", qps: 1e9, burst: 1e9, timeoutMs: 60_000 } as const;
        await using client = openClient(configFor(server), options);
        const root = new AbortController();
        const reason = new Error("aborted by the test");
        const requestsEach = kind === "discovery" ? 2 : 1;
        for (let made = 0; made < calls; made += atOnce) {
          if (made % callsPerConnection === 0) await server.sayGoodbye();
          const askedBefore = half.asked;
          const batch = Array.from({ length: atOnce }, () => childSignal(root.signal));
          const outcomes = batch.map((one) => call(client, one.signal).catch((error: unknown) => error));
          await settled(() => half.asked === askedBefore + atOnce * requestsEach);
          for (const one of batch) one.abort(reason);
          if ((await Promise.all(outcomes)).some((outcome) => outcome !== reason)) throw new Error("not aborted");
          if (batch.some(({ signal }) => getEventListeners(signal, "abort").length > 0)) {
            throw new Error("listens to a call that has ended");
          }
          await settled(() => half.open.size === 0);
        }
        expect(getEventListeners(root.signal, "abort")).toEqual([]);
        await settled(() => clock.pending().length === 0);
        // What is left serves the next call.
        expect((await mapsOf(client).get("whole", root.signal)).metadata.name).toBe("a");
        expect(server.sockets.size).toBe(1);
        await settled(() => clock.pending().length === 0);
        expect(getEventListeners(root.signal, "abort")).toEqual([]);
      });
    }
  });
}
