import { beforeAll, describe, expect, test } from "vitest";
import { configMaps } from "../api/generated/resources.ts";
import { FakeClock, MetricsRegistry } from "../base/index.ts";
import { openClient } from "./client.ts";
import { tokenCredentials } from "./credentials/credentials.ts";
import {
  type Answer,
  bothVersions,
  configFor,
  failureOf,
  HeldAnswers,
  LocalServer,
  makeCertificates,
  settled,
  TcpRelay,
  type TestCertificates,
} from "./http/local-servers.fixture.ts";
import { RawHttp2Server } from "./http/raw-http2.fixture.ts";
import type { WatchEvent } from "./streams/watch-event.ts";

let certificates: TestCertificates;
beforeAll(async () => {
  certificates = await makeCertificates();
});
const never = new AbortController().signal;

const mapAt = (resourceVersion: string, data?: object) => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", resourceVersion },
  ...(data === undefined ? {} : { data }),
});
const line = (type: string, resourceVersion: string) => `${JSON.stringify({ type, object: mapAt(resourceVersion) })}\n`;
const tell = ({ type, object }: WatchEvent) => `${type} ${type === "ERROR" ? "" : object.metadata.resourceVersion}`;
const urlsOf = (held: HeldAnswers) => held.waiting.map(({ request }) => `${request.method} ${request.url}`);
const watchUrl = (resourceVersion: string) =>
  `GET /api/v1/namespaces/shop/configmaps?watch=true&resourceVersion=${resourceVersion}&allowWatchBookmarks=true`;

/** A client whose connections can be made to swallow everything, and a server that answers when told to. */
async function openBehindRelay(speaks: "h1" | "h2") {
  const held = new HeldAnswers();
  const server = await LocalServer.start({ speaks, certificates, answer: held.answer });
  const relay = await TcpRelay.start(server.port);
  const clock = new FakeClock();
  const config = configFor({ url: `https://127.0.0.1:${relay.port}` }, certificates);
  // A limit and a deadline that the watch would meet if it waited for either.
  const client = openClient(config, { clock, qps: 0.001, burst: 1, timeoutMs: 1000 });
  const watch = client.resource(configMaps).in("shop").watch({ resourceVersion: "5" }, never)[Symbol.asyncIterator]();
  return {
    held,
    relay,
    clock,
    client,
    watch,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await relay[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const next = async (watch: AsyncIterator<WatchEvent>) => {
  const { value, done } = await watch.next();
  return done === true ? "the end" : tell(value);
};

describe("a watch whose connection swallows everything", () => {
  test("over HTTP/1.1 is opened again after 75 s at its version, at once and without a list", async () => {
    await using setting = await openBehindRelay("h1");
    const { held, relay, clock, watch } = setting;
    const first = next(watch);
    (await held.one()).response.write(line("ADDED", "7"));
    expect(await first).toBe("ADDED 7");
    for (const [round, seen, missed] of [
      [1, "9", "10"],
      [2, "11", "12"],
    ] as const) {
      const mark = next(watch);
      held.waiting[round - 1]?.response.write(line("BOOKMARK", seen));
      expect(await mark).toBe(`BOOKMARK ${seen}`);
      const event = next(watch);
      relay.swallowOpen();
      held.waiting[round - 1]?.response.write(line("MODIFIED", missed));
      const fellSilentMs = clock.monotonic();
      await clock.advance(74_999);
      expect(held.waiting).toHaveLength(round);
      await clock.advance(1);
      const { response } = (await held.first(round + 1))[round] ?? {};
      expect(clock.monotonic() - fellSilentMs).toBe(75_000);
      response?.write(line("MODIFIED", missed));
      expect(await event).toBe(`MODIFIED ${missed}`);
    }
    expect(urlsOf(held)).toEqual([watchUrl("5"), watchUrl("9"), watchUrl("11")]);
  });

  test("over HTTP/1.1 is opened again, too, when nothing at all was answered", async () => {
    await using setting = await openBehindRelay("h1");
    const { held, relay, clock, watch } = setting;
    const first = next(watch);
    await held.one();
    relay.swallowOpen();
    await clock.advance(75_000);
    (await held.first(2))[1]?.response.write(line("ADDED", "7"));
    expect(await first).toBe("ADDED 7");
    expect(urlsOf(held)).toEqual([watchUrl("5"), watchUrl("5")]);
  });

  test("over HTTP/2 ends after 45 s, and can be opened again at once", async () => {
    await using setting = await openBehindRelay("h2");
    const { held, relay, clock, client, watch } = setting;
    const first = next(watch);
    (await held.one()).response.write(line("ADDED", "7"));
    expect(await first).toBe("ADDED 7");
    const broken = failureOf(watch.next());
    relay.swallowOpen();
    await clock.advance(45_000);
    expect(await broken).toMatchObject({ name: "TransportError", reason: "ConnectionLost" });
    const maps = client.resource(configMaps).in("shop");
    const again = next(maps.watch({ resourceVersion: "7" }, never)[Symbol.asyncIterator]());
    (await held.first(2))[1]?.response.write(line("DELETED", "8"));
    expect(await again).toBe("DELETED 8");
  });
});

describe("an HTTP/2 stream that is reset in the middle, as if all were well", () => {
  const whole = JSON.stringify({ kind: "ConfigMapList", apiVersion: "v1", metadata: {}, items: [mapAt("1")] });
  const half = whole.slice(0, -3);
  const maps = (server: RawHttp2Server) => {
    const client = openClient(configFor(server), { httpVersion: "2" });
    return { client, maps: client.resource(configMaps).in("shop") };
  };
  type Maps = ReturnType<typeof maps>["maps"];
  const read = async (items: AsyncIterable<unknown>) => {
    for await (const _ of items);
  };
  for (const [name, body, call, expected] of [
    ["breaks a get", '{"kind":"ConfigMap","apiVersion"', (m: Maps) => m.get("a", never), { reason: "Decode" }],
    ["breaks an empty get", "", (m: Maps) => m.get("a", never), { reason: "Decode" }],
    ["breaks a delete", '{"kind":"Status"', (m: Maps) => m.delete("a", never), { reason: "Decode" }],
    ["breaks a list", half, (m: Maps) => m.list(never).toArray(), { reason: "UnexpectedEnd" }],
    ["breaks a table", half, (m: Maps) => m.table(never), { reason: "Decode" }],
    [
      "breaks a watch within an event",
      line("ADDED", "7").slice(0, -9),
      (m: Maps) => read(m.watch(never)),
      { reason: "UnexpectedEnd" },
    ],
    ["ends a watch between two events", line("ADDED", "7"), (m: Maps) => read(m.watch(never)), undefined],
  ] as const) {
    test(name, async () => {
      await using server = await RawHttp2Server.start(body, 0);
      const opened = maps(server);
      await using _client = opened.client;
      const outcome = await call(opened.maps).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (expected === undefined) expect(outcome).toBeUndefined();
      else expect(outcome).toMatchObject(expected);
    });
  }

  test("with any other code it was lost", async () => {
    await using server = await RawHttp2Server.start("", 2);
    const opened = maps(server);
    await using _client = opened.client;
    expect(await failureOf(opened.maps.get("a", never))).toMatchObject({ reason: "ConnectionLost" });
  });
});

describe.each(bothVersions)("a client over %s", (_name, speaks) => {
  /** Answers with a map that holds what the server saw. */
  const mirror: Answer = ({ url, headers, httpVersion }, response) => {
    const seen = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(":")));
    response.end(JSON.stringify(mapAt("1", { ...seen, url, httpVersion })));
  };
  const start = (answer: Answer) => LocalServer.start({ speaks, certificates, answer });
  const jane = { user: "jane" };

  for (const [name, changes, expected] of [
    ["shows the config's credentials, as whom the config acts", {}, ["Bearer config", "jane"]],
    ["acts as somebody else where it is told to", { impersonate: { user: "bob" } }, ["Bearer config", "bob"]],
    ["acts as nobody else with credentials of its own", { credentials: tokenCredentials("own") }, ["Bearer own"]],
    [
      "unless it is told to",
      { credentials: tokenCredentials("own"), impersonate: { user: "bob" } },
      ["Bearer own", "bob"],
    ],
  ] as const) {
    test(name, async () => {
      await using server = await start(mirror);
      const identity = { credentials: tokenCredentials("config"), impersonate: jane };
      await using client = openClient(configFor(server, certificates, identity));
      const { data } = await client.with(changes).resource(configMaps).in("shop").get("a", never);
      expect([data?.["authorization"], data?.["impersonate-user"]].filter((one) => one !== undefined)).toEqual(
        expected,
      );
    });
  }

  test("says who it is, and asks for protobuf first, unless JSON is wanted", async () => {
    await using server = await start(mirror);
    await using client = openClient(configFor(server, certificates), { userAgent: "tests/1" });
    const maps = (changes = {}) => client.with(changes).resource(configMaps).in("shop");
    expect((await maps().get("a", never)).data).toMatchObject({
      "user-agent": "tests/1",
      accept: "application/vnd.kubernetes.protobuf,application/json",
      "accept-encoding": "gzip",
    });
    expect((await maps({ encoding: "json" }).get("a", never)).data?.["accept"]).toBe("application/json");
    expect((await maps({ userAgent: "other/2" }).get("a", never)).data?.["user-agent"]).toBe("other/2");
    expect(server.accepted).toBe(1);
  });

  test("speaks the version it was told to, counts under its server's name, and closes what it opened", async () => {
    await using server = await LocalServer.start({ speaks: "both", certificates, answer: mirror });
    const metrics = new MetricsRegistry();
    const httpVersion = speaks === "h1" ? "1.1" : "2";
    const client = openClient(configFor(server, certificates), { httpVersion, metrics });
    const { data } = await client.resource(configMaps).in("shop").get("a", never);
    expect(data?.["httpVersion"]).toBe(speaks === "h1" ? "1.1" : "2.0");
    expect(metrics.print()).toContain(
      `rest_client_requests_total{code="200",method="GET",host="127.0.0.1:${server.port}"} 1`,
    );
    await client.with({})[Symbol.asyncDispose]();
    expect(server.sockets.size).toBe(1);
    await client[Symbol.asyncDispose]();
    await server.untilEmpty();
  });

  for (const [name, refuse, afterMs] of [
    ["a get whose connection was reset is sent again a second later", (server: LocalServer) => server.drop(), 1000],
    [
      "503 is asked again after as long as it says",
      (_server: LocalServer, response: Parameters<Answer>[1]) => {
        response.statusCode = 503;
        response.setHeader("retry-after", "3");
        response.end("busy");
      },
      3000,
    ],
  ] as const) {
    test(name, async () => {
      let asked = 0;
      await using server = await start((request, response) => {
        if (++asked === 1) refuse(server, response);
        else mirror(request, response);
      });
      const clock = new FakeClock();
      await using client = openClient(configFor(server, certificates), { clock });
      const getting = client.resource(configMaps).in("shop").get("a", never);
      await settled(() => clock.pending().some(({ dueInMs, kind }) => kind === "work" && dueInMs === afterMs));
      expect(asked).toBe(1);
      await clock.advance(afterMs);
      expect((await getting).metadata.name).toBe("a");
      expect(asked).toBe(2);
    });
  }

  test("a create whose connection was reset is not sent again", async () => {
    let asked = 0;
    await using server = await start(() => {
      asked++;
      server.drop();
    });
    await using client = openClient(configFor(server, certificates));
    const map = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" } } as const;
    const failure = await failureOf(client.resource(configMaps).in("shop").create(map, never));
    expect(failure).toMatchObject({ reason: "ConnectionLost", wasSent: "maybe" });
    expect(asked).toBe(1);
  });

  test("a deadline is told to the server, and kept when it answers with half a body", async () => {
    const held = new HeldAnswers();
    await using server = await start(held.answer);
    const clock = new FakeClock();
    await using client = openClient(configFor(server, certificates), { clock, timeoutMs: 5000 });
    const failing = failureOf(client.resource(configMaps).in("shop").get("a", never));
    const { request, response } = await held.one();
    expect(request.url).toBe("/api/v1/namespaces/shop/configmaps/a?timeout=5s");
    response.write('{"kind":');
    await clock.advance(5000);
    expect(await failing).toMatchObject({ name: "TimeoutError" });
    await settled(() => clock.pending().length === 0);
  });
});
