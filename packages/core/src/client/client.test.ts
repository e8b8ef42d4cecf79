import { describe, expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import { type Transport, valueResponse } from "../api/transport.ts";
import { FakeClock } from "../base/index.ts";
import { Client, clientOf, type Identity, openClient } from "./client.ts";
import { type Credentials, tokenCredentials } from "./credentials/credentials.ts";
import { clusterConfig } from "./kubeconfig/cluster-config.ts";
import { ScriptedServer } from "./rest/scripted-server.fixture.ts";

const signal = new AbortController().signal;
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" } };
const jane = { user: "jane", groups: ["developers"] };
const credentials = tokenCredentials("secret");

describe("objects of built-in kinds are requested", () => {
  const config = clusterConfig({ server: "http://127.0.0.1:1" });
  const inProcess: Transport = async () => valueResponse(200, pod);
  for (const [fact, open, expected] of [
    ["in protobuf over the network", () => openClient(config), "protobuf"],
    ["in JSON over the network if that is wanted", () => openClient(config, { encoding: "json" }), "json"],
    ["as by the client they were made from", () => openClient(config, { encoding: "json" }).with({ qps: 1 }), "json"],
    ["in JSON in one process, which passes values", () => clientOf(inProcess), "json"],
    ["in JSON by a client of a sender of one's own", () => new Client({ as: () => inProcess, ...noDisposal }), "json"],
  ] as const) {
    test(fact, async () => {
      await using client = open();
      expect(client.encoding).toBe(expected);
    });
  }

  test("as values in one process, even if protobuf is wanted", async () => {
    const server = new ScriptedServer("values", () => ({ json: pod }));
    const client = clientOf(server.transport, { encoding: "protobuf" });
    expect(await client.resource(pods).in("shop").get("web", signal)).toBe(pod);
    expect(server.requests[0]?.prefers).toBe("values");
  });
});

const noDisposal = { [Symbol.asyncDispose]: async () => {} };

describe("a client made from another", () => {
  const server = () => new ScriptedServer("values", () => ({ json: pod }));
  const headersOf = async (changes: Parameters<Client["with"]>[0]) => {
    const asked = server();
    await clientOf(asked.transport).with(changes).resource(pods).in("shop").get("web", signal);
    const { accept: _, "user-agent": __, ...headers } = asked.requests[0]?.headers ?? {};
    return headers;
  };
  for (const [name, changes, expected] of [
    ["is the same without changes", {}, {}],
    [
      "acts as somebody else",
      { impersonate: jane },
      { "impersonate-user": "jane", "impersonate-group": ["developers"] },
    ],
    ["shows other credentials", { credentials }, { authorization: "Bearer secret" }],
    [
      "does both",
      { credentials, impersonate: { user: "jane" } },
      { authorization: "Bearer secret", "impersonate-user": "jane" },
    ],
  ] as const) {
    test(name, async () => expect(await headersOf(changes)).toEqual(expected));
  }

  test("asks a function for credentials, and so do those made from it, who share what it said", async () => {
    const asked = server();
    const clock = new FakeClock();
    let calls = 0;
    const login = async () => ({ token: `token-${++calls}`, expiresAtMs: clock.now() + 1000 });
    const client = clientOf(asked.transport, { clock }).with({ credentials: login });
    const get = (by: Client) => by.resource(pods).in("shop").get("web", signal);
    await get(client);
    await get(client.with({ impersonate: jane }));
    await clock.advance(1001);
    await get(client.with({ userAgent: "other/1" }));
    expect(asked.requests.map(({ headers }) => headers["authorization"])).toEqual([
      "Bearer token-1",
      "Bearer token-1",
      "Bearer token-2",
    ]);
  });

  test("keeps what is not changed", async () => {
    const asked = server();
    const client = clientOf(asked.transport, { fieldManager: "me" }).with({ impersonate: jane }).with({ credentials });
    await client.resource(pods).in("shop").patch("web", { type: "merge", body: {} }, signal);
    expect(asked.lines).toEqual(["PATCH /api/v1/namespaces/shop/pods/web?fieldManager=me"]);
    expect(asked.requests[0]?.headers).toMatchObject({ authorization: "Bearer secret", "impersonate-user": "jane" });
  });

  test("asks the sender for its identity, whichever part of it is given", () => {
    const asked: Identity[] = [];
    const sender = {
      as: (identity: Identity) => {
        asked.push(identity);
        return server().transport;
      },
      [Symbol.asyncDispose]: async () => {},
    };
    new Client(sender).with({ impersonate: jane });
    expect(asked).toEqual([{}, { impersonate: jane }]);
  });

  for (const [name, changes, expected] of [
    ["shares the rate limit", { impersonate: jane }, [0, 1000, 2000, 3000]],
    ["has a rate limit of its own where it names one", { qps: 1, burst: 1 }, [0, 0, 1000, 1000]],
  ] as const) {
    test(name, async () => {
      const clock = new FakeClock();
      const times: number[] = [];
      const asked = server();
      const first = clientOf(asked.transport, { qps: 1, burst: 1, clock });
      const gets = [first, first.with(changes)];
      const work = gets.flatMap((client) =>
        [1, 2].map(async () => {
          await client.resource(pods).in("shop").get("web", signal);
          times.push(clock.monotonic());
        }),
      );
      await clock.drive(Promise.all(work));
      expect(times.sort((a, b) => a - b)).toEqual(expected);
    });
  }

  test("in process too, asks again once when its credentials were refused and have changed", async () => {
    const tokens = ["old", "new"];
    const rotating: Credentials = {
      current: async () => ({ headers: { authorization: `Bearer ${tokens[0]}` } }),
      rejected: async () => tokens.shift() !== undefined && tokens.length > 0,
    };
    const seen: unknown[] = [];
    const transport: Transport = async (request) => {
      const { authorization } = request.headers;
      seen.push(authorization);
      return authorization === "Bearer new" ? valueResponse(200, pod) : valueResponse(401, { kind: "Status" });
    };
    await clientOf(transport).with({ credentials: rotating }).resource(pods).in("shop").get("web", signal);
    expect(seen).toEqual(["Bearer old", "Bearer new"]);
  });

  test("closes nothing", async () => {
    let closed = 0;
    const close = async () => void closed++;
    const client = new Client({ as: () => server().transport, [Symbol.asyncDispose]: close });
    await client.with({})[Symbol.asyncDispose]();
    expect(closed).toBe(0);
    await client[Symbol.asyncDispose]();
    expect(closed).toBe(1);
  });
});
