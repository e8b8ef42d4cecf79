import { describe, expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import { Client, clientOf, type Identity } from "./client.ts";
import { tokenCredentials } from "./credentials/credentials.ts";
import { ScriptedServer } from "./rest/scripted-server.fixture.ts";

const signal = new AbortController().signal;
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" } };
const jane = { user: "jane", groups: ["developers"] };
const credentials = tokenCredentials("secret");

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
