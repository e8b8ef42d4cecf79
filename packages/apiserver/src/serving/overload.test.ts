// A socket with more requests than it takes, and clients that read too slowly.
import { connect } from "node:net";
import { type ApiRequest, type ApiResponse, bytesResponse, collectBytes } from "@kubeloop/core/api";
import { type Clock, type Deferred, deferred, FakeClock, noLog, systemClock } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import type { SchedulerLimits } from "./request-scheduler.ts";
import { ServerSocket } from "./server-socket.ts";

interface Opened extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

const open = async (
  answer: (request: ApiRequest) => Promise<ApiResponse>,
  { limits = {}, clock = systemClock }: { readonly limits?: SchedulerLimits; readonly clock?: Clock },
): Promise<Opened> =>
  await ServerSocket.listen({
    host: "127.0.0.1",
    port: 0,
    clock,
    log: noLog,
    limits,
    answer,
  });

const done = () => bytesResponse(200, Buffer.from("done"), {});

describe("with as many requests as it takes", () => {
  async function full(limits: SchedulerLimits) {
    const begun: string[] = [];
    const held = new Map<string, Deferred<void>>();
    const arrivals = new Map<string, Deferred<void>>();
    const arrival = (path: string) => {
      const known = arrivals.get(path) ?? deferred();
      arrivals.set(path, known);
      return known;
    };
    const socket = await open(
      async ({ path, body }) => {
        begun.push(path);
        const letGo = deferred();
        held.set(path, letGo);
        arrival(path).resolve();
        await letGo.promise;
        if (body.kind === "bytes") await collectBytes(body.bytes as AsyncIterable<Uint8Array>, { maxBytes: 1e7 });
        return done();
      },
      { limits },
    );
    return { socket, begun, held, arrived: (path: string) => arrival(path).promise };
  }

  test("the next waits, the one after the queue is full is told to come back, and watches come in", async () => {
    const { socket, begun, held, arrived } = await full({ running: 1, waiting: 1 });
    const codes = new Map<string, number>();
    const ask = async (path: string) => {
      const response = await fetch(`${socket.url}${path}`);
      codes.set(path, response.status);
      return { retryAfter: response.headers.get("retry-after"), text: await response.text() };
    };
    const first = ask("/api/v1/pods");
    await arrived("/api/v1/pods");
    const watch = ask("/api/v1/nodes?watch=1");
    await arrived("/api/v1/nodes");
    const second = ask("/api/v1/services");
    // It has been taken when the third is refused, for they come in this order or the other.
    const third = ask("/api/v1/secrets");
    const refused = await Promise.race([second, third]);
    expect(refused).toEqual({ retryAfter: "1", text: "Too many requests, please try again later.\n" });
    expect(begun).toEqual(["/api/v1/pods", "/api/v1/nodes"]);
    held.get("/api/v1/nodes")?.resolve();
    held.get("/api/v1/pods")?.resolve();
    const waiting = codes.get("/api/v1/services") === 429 ? "/api/v1/secrets" : "/api/v1/services";
    await arrived(waiting);
    held.get(waiting)?.resolve();
    await Promise.all([first, watch, second, third]);
    expect([...codes.values()].sort()).toEqual([200, 200, 200, 429]);
    await socket[Symbol.asyncDispose]();
  });

  test("bodies wait by the bytes they announce, unread", async () => {
    const { socket, begun, held, arrived } = await full({ bytes: 1_000 });
    const post = (path: string, size: number) =>
      fetch(`${socket.url}${path}`, { method: "POST", body: "x".repeat(size) }).then((response) => response.text());
    const large = post("/large", 900);
    await arrived("/large");
    const next = post("/next", 200);
    // A request without a body does not wait for room for bodies.
    const small = fetch(`${socket.url}/small`).then((response) => response.text());
    await arrived("/small");
    held.get("/small")?.resolve();
    expect([await small, begun]).toEqual(["done", ["/large", "/small"]]);
    held.get("/large")?.resolve();
    await arrived("/next");
    held.get("/next")?.resolve();
    await Promise.all([large, next]);
    await socket[Symbol.asyncDispose]();
  });
});

test("who does not read its answer is cut off after a minute", async () => {
  const clock = new FakeClock();
  let sent = 0;
  const stuck = deferred();
  const endless: ApiResponse = {
    status: 200,
    headers: {},
    body: {
      kind: "bytes",
      bytes: (async function* () {
        for (;;) {
          sent += 1024 * 1024;
          if (sent === 64 * 1024 * 1024) stuck.resolve();
          yield Buffer.alloc(1024 * 1024);
        }
      })(),
    },
    [Symbol.asyncDispose]: async () => {},
  };
  const socket = await open(async () => endless, { clock });
  const client = connect(socket.port, "127.0.0.1", () => client.write("GET /api/v1/pods HTTP/1.1\r\nhost: x\r\n\r\n"));
  const closed = deferred();
  client.on("close", () => closed.resolve());
  client.on("error", () => {});
  const begun = deferred();
  client.once("data", () => {
    client.pause();
    begun.resolve();
  });
  await begun.promise;
  await clock.advance(59_000);
  expect(client.destroyed).toBe(false);
  await clock.advance(1_000);
  client.resume();
  await closed.promise;
  await socket[Symbol.asyncDispose]();
});
