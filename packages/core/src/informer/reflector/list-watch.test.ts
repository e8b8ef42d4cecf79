import { describe, expect, test } from "vitest";
import { deployments, nodes, pods } from "../../api/generated/resources.ts";
import { newExpired, parseSelector, selectorFromLabels } from "../../api/index.ts";
import { FakeClock } from "../../base/index.ts";
import { type Client, clientOf } from "../../client/index.ts";
import { type Answer, collect, ScriptedServer } from "../../client/rest/scripted-server.fixture.ts";
import {
  type ListWatch,
  type ListWatchOptions,
  newFilteredListWatchFromClient,
  newListWatchFromClient,
  newMetadataListWatchFromClient,
} from "./list-watch.ts";

const signal = new AbortController().signal;
const page = (names: readonly string[], metadata: object): Answer => ({
  json: { kind: "PodList", apiVersion: "v1", metadata, items: names.map((name) => ({ metadata: { name } })) },
});

function serve(answers: readonly (Answer | Error)[] = []) {
  const server = new ScriptedServer("bytes", (_, number) => answers[number] ?? page([], { resourceVersion: "7" }));
  const clock = new FakeClock();
  return { server, clock, client: clientOf(server.transport, { clock }) };
}

const readAll = async (source: ListWatch<never>, changes: object = {}) => {
  let restarts = 0;
  const request = { resourceVersion: "0", pageSize: 500, onRestart: () => restarts++, ...changes };
  const answer = source.list(request, signal);
  const names = (await collect(answer)).map((object: { metadata: { name?: string } }) => object.metadata.name);
  return { names, restarts, resourceVersion: answer.resourceVersion, isPaged: answer.isPaged };
};

const queriesOf = async (make: (client: Client) => ListWatch<never>) => {
  const { server, client } = serve();
  const source = make(client);
  await readAll(source);
  await collect(source.watch({ resourceVersion: "5", sendInitialEvents: false, timeoutSeconds: 300 }, signal)).catch(
    () => {},
  );
  return server.lines;
};
const watchParts = "resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=300";

describe("what is asked for, in lists and watches alike", () => {
  const facts: readonly (readonly [string, (client: Client) => unknown, readonly [string, string]])[] = [
    [
      "everything, unless said otherwise",
      (client) => newListWatchFromClient(client, pods),
      ["GET /api/v1/pods?limit=500&resourceVersion=0", `GET /api/v1/pods?watch=true&${watchParts}`],
    ],
    [
      "one namespace and a field selector",
      (client) => newListWatchFromClient(client, pods, { namespace: "shop", fieldSelector: "spec.nodeName=n1" }),
      [
        "GET /api/v1/namespaces/shop/pods?fieldSelector=spec.nodeName=n1&limit=500&resourceVersion=0",
        `GET /api/v1/namespaces/shop/pods?watch=true&fieldSelector=spec.nodeName=n1&${watchParts}`,
      ],
    ],
    [
      "a label selector, as text or not",
      (client) => newListWatchFromClient(client, pods, { labelSelector: selectorFromLabels({ app: "web" }) }),
      [
        "GET /api/v1/pods?labelSelector=app=web&limit=500&resourceVersion=0",
        `GET /api/v1/pods?watch=true&labelSelector=app=web&${watchParts}`,
      ],
    ],
    [
      "what a tweak makes of it",
      (client) =>
        newFilteredListWatchFromClient(client, deployments, {
          namespace: "shop",
          labelSelector: "app=web",
          tweak: (scope) => ({ ...scope, fieldSelector: "metadata.name=a", pageSize: 9 }),
        }),
      [
        "GET /apis/apps/v1/namespaces/shop/deployments?labelSelector=app=web&fieldSelector=metadata.name=a&limit=9&resourceVersion=0",
        `GET /apis/apps/v1/namespaces/shop/deployments?watch=true&labelSelector=app=web&fieldSelector=metadata.name=a&${watchParts}`,
      ],
    ],
    [
      "no pages, where pages are switched off",
      (client) => newListWatchFromClient(client, pods, { pageSize: 0 }),
      ["GET /api/v1/pods?resourceVersion=0", `GET /api/v1/pods?watch=true&${watchParts}`],
    ],
  ];
  test.each(facts)("%s", async (_, make, lines) => {
    expect(await queriesOf(make as (client: Client) => ListWatch<never>)).toEqual(lines);
  });

  test("a tweak is asked once", async () => {
    let calls = 0;
    const tweak: NonNullable<ListWatchOptions["tweak"]> = (scope) => {
      calls++;
      return scope;
    };
    await queriesOf((client) => newListWatchFromClient(client, pods, { tweak }) as ListWatch<never>);
    expect(calls).toBe(1);
  });

  test("metadata alone, by what the client accepts", async () => {
    const { server, client } = serve();
    const source = newMetadataListWatchFromClient(client, pods, { namespace: "shop" });
    await readAll(source as ListWatch<never>);
    await collect(source.watch({ resourceVersion: "5", sendInitialEvents: false, timeoutSeconds: 1 }, signal)).catch(
      () => {},
    );
    expect(server.requests.map(({ headers }) => String(headers["accept"]).split(",")[0])).toEqual([
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    ]);
    expect(source.objectKind).toBe("unchecked");
  });

  test("a streamed list, not older than its version", async () => {
    const { server, client } = serve();
    const source = newListWatchFromClient(client, pods, { labelSelector: parseSelector("a=b") });
    const request = { resourceVersion: "9", sendInitialEvents: true, timeoutSeconds: 300 };
    await collect(source.watch(request, signal)).catch(() => {});
    expect(server.lines[0]).toBe(
      "GET /api/v1/pods?watch=true&labelSelector=a=b&resourceVersion=9&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&allowWatchBookmarks=true&timeoutSeconds=300",
    );
  });

  test("a list exactly at a version", async () => {
    const { server, client } = serve();
    await readAll(newListWatchFromClient(client, pods) as ListWatch<never>, {
      resourceVersion: "9",
      resourceVersionMatch: "Exact",
      pageSize: 0,
    });
    expect(server.lines).toEqual(["GET /api/v1/pods?resourceVersion=9&resourceVersionMatch=Exact"]);
  });

  test("pages from a version on, not of that very version", async () => {
    const { server, client } = serve();
    const source = newListWatchFromClient(client, pods) as ListWatch<never>;
    for (const resourceVersion of ["9", "0", ""]) await readAll(source, { resourceVersion, pageSize: 7 });
    expect(server.lines).toEqual([
      "GET /api/v1/pods?limit=7&resourceVersion=9&resourceVersionMatch=NotOlderThan",
      "GET /api/v1/pods?limit=7&resourceVersion=0",
      "GET /api/v1/pods?limit=7",
    ]);
  });
});

describe("a list", () => {
  test("whole is not in pages", async () => {
    const { client } = serve([page(["a", "b"], { resourceVersion: "7" })]);
    expect(await readAll(newListWatchFromClient(client, pods) as ListWatch<never>)).toEqual({
      names: ["a", "b"],
      restarts: 0,
      resourceVersion: "7",
      isPaged: false,
    });
  });

  test("that the server cut is in pages; later pages are asked for without a version", async () => {
    const { client, server } = serve([
      page(["a"], { resourceVersion: "7", continue: "C1" }),
      page(["b"], { resourceVersion: "7", continue: "C2" }),
      page(["c"], { resourceVersion: "7" }),
    ]);
    const answer = await readAll(newListWatchFromClient(client, pods) as ListWatch<never>, { pageSize: 1 });
    expect(answer).toEqual({ names: ["a", "b", "c"], restarts: 0, resourceVersion: "7", isPaged: true });
    expect(server.lines.map((line) => line.split("?")[1])).toEqual([
      "limit=1&resourceVersion=0",
      "limit=1&continue=C1",
      "limit=1&continue=C2",
    ]);
  });

  test("whose later page has expired begins anew, whole, at the version first asked for", async () => {
    const { client, server } = serve([
      page(["a"], { resourceVersion: "11", continue: "C1" }),
      { status: 410, json: newExpired("the provided continue parameter is too old").status },
      page(["a", "b"], { resourceVersion: "12" }),
    ]);
    const source = newListWatchFromClient(client, pods) as ListWatch<never>;
    const answer = await readAll(source, { pageSize: 1, resourceVersion: "10" });
    expect(answer).toEqual({ names: ["a", "a", "b"], restarts: 1, resourceVersion: "12", isPaged: true });
    expect(server.lines[2]).toBe("GET /api/v1/pods?resourceVersion=10&resourceVersionMatch=NotOlderThan");
  });
});

describe("a source over a client", () => {
  const { client } = serve();

  test.each([
    ["pods in shop", newListWatchFromClient(client, pods, { namespace: "shop" })],
    ["nodes", newListWatchFromClient(client, nodes)],
    ["deployments.apps", newListWatchFromClient(client, deployments)],
  ])("is described as %s", (description, source) => {
    expect(source.description).toBe(description);
  });

  test("says what its objects are", () => {
    expect(newListWatchFromClient(client, deployments).objectKind).toMatchObject({
      apiVersion: "apps/v1",
      kind: "Deployment",
    });
  });

  test.each([
    ["can stream lists unless it is told that its server cannot", {}, true],
    ["cannot where that is so", { canWatchList: false }, false],
  ])("%s", (_, options, can) => {
    expect(newListWatchFromClient(client, pods, options).canWatchList).toBe(can);
  });
});

test("what is known of a server's streamed lists is shared by all sources of one client, and by no others", () => {
  const [one, other] = [serve().client, serve().client];
  const { watchListMemory } = newListWatchFromClient(one, pods);
  expect(newListWatchFromClient(one, deployments).watchListMemory).toBe(watchListMemory);
  expect(newMetadataListWatchFromClient(one, pods).watchListMemory).toBe(watchListMemory);
  expect(newListWatchFromClient(other, pods).watchListMemory).not.toBe(watchListMemory);
});
