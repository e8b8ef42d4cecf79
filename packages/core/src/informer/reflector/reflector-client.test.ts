import { describe, expect, test } from "vitest";
import { pods } from "../../api/generated/resources.ts";
import { type ApiRequest, newExpired, newInternalError, TransportError } from "../../api/index.ts";
import { FakeClock, noLog } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import { type Answer, type BodyStyle, ScriptedServer } from "../../client/rest/scripted-server.fixture.ts";
import { newListWatchFromClient, newMetadataListWatchFromClient } from "./list-watch.ts";
import { RecordingStore } from "./recording-store.fixture.ts";
import { Reflector, type ReflectorOptions } from "./reflector.ts";
import { added, bookmark, initialEnd, modified, type Pod, pod } from "./scripted-source.fixture.ts";

const second = 1000;
const podList = (items: readonly Pod[], metadata: object): Answer => ({
  json: {
    kind: "PodList",
    apiVersion: "v1",
    metadata,
    items: items.map(({ kind: _, apiVersion: __, ...rest }) => rest),
  },
});
const isWatch = ({ query }: ApiRequest) => query.some(([name]) => name === "watch");
const open: Answer = { events: [], ending: "silence" };

interface Served {
  readonly lists?: readonly (Answer | Error)[];
  readonly watches?: readonly (Answer | Error)[];
}

async function reflect(style: BodyStyle, served: Served, forMs: number, options: ReflectorOptions = {}) {
  const lists = [...(served.lists ?? [])];
  const watches = [...(served.watches ?? [])];
  const server = new ScriptedServer(style, (request) =>
    isWatch(request) ? (watches.shift() ?? open) : (lists.shift() ?? podList([], { resourceVersion: "10" })),
  );
  const clock = new FakeClock();
  const client = clientOf(server.transport, { clock });
  const store = new RecordingStore();
  const errors: unknown[] = [];
  const reflector = new Reflector(newListWatchFromClient(client, pods, { clock, namespace: "shop" }), store, {
    log: noLog,
    clock,
    random: { next: () => 0 },
    watchListEnabled: false,
    onError: (error) => errors.push(error),
    ...options,
  });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await clock.advance(forMs);
  stop.abort();
  await running;
  const asked = server.lines.map((line) => line.replace("GET /api/v1/namespaces/shop/pods?", ""));
  return { store, errors, asked, open: server.open, reflector, pending: clock.pending() };
}
const plainWatch = (version: string) =>
  `watch=true&resourceVersion=${version}&allowWatchBookmarks=true&timeoutSeconds=300`;

describe.each<BodyStyle>(["bytes", "values"])("a reflector over the client (%s)", (style) => {
  test("lists in pages, watches, and lets go of every answer", async () => {
    const { store, asked, open, pending } = await reflect(
      style,
      {
        lists: [
          podList([pod("a", "1")], { resourceVersion: "5", continue: "C" }),
          podList([pod("b", "2")], { resourceVersion: "5" }),
        ],
        watches: [{ events: [modified("a", "6"), added("c", "7"), bookmark("9")], ending: "silence" }],
      },
      0,
    );
    expect(store.calls).toEqual(["replace [a@1 b@2] at 5", "update a@6", "add c@7", "bookmark 9"]);
    expect(asked).toEqual(["limit=500&resourceVersion=0", "limit=500&continue=C", plainWatch("5")]);
    expect([open, pending]).toEqual([0, []]);
  });

  test("streams its list where it can", async () => {
    const { store, asked } = await reflect(
      style,
      { watches: [{ events: [added("a", "1"), initialEnd("5"), added("b", "6")], ending: "silence" }] },
      0,
      { watchListEnabled: true },
    );
    expect(store.calls).toEqual(["replace [a@1] at 5", "add b@6"]);
    expect(asked).toEqual([
      "watch=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&allowWatchBookmarks=true&timeoutSeconds=300",
    ]);
  });

  test("survives one 500 on its list and one on its watch", async () => {
    const failure: Answer = { status: 500, json: newInternalError(new Error("boom")).status };
    const { store, errors } = await reflect(
      style,
      {
        lists: [failure, podList([pod("a", "1")], { resourceVersion: "5" })],
        watches: [failure, { events: [added("b", "12")], ending: "silence" }],
      },
      5 * second,
    );
    expect([store.content, errors.length]).toEqual([["b@12"], 2]);
  });

  test("lists again when its version has expired in the stream, and misses no deletion", async () => {
    const { store, asked } = await reflect(
      style,
      {
        lists: [
          podList([pod("a", "1"), pod("b", "2")], { resourceVersion: "5" }),
          podList([pod("b", "2")], { resourceVersion: "9" }),
        ],
        watches: [{ events: [{ type: "ERROR", object: newExpired("too old").status }] }],
      },
      second,
    );
    expect(store.content).toEqual(["b@2"]);
    expect(asked.filter((line) => !line.startsWith("watch"))).toEqual([
      "limit=500&resourceVersion=0",
      "resourceVersion=5",
    ]);
  });

  test("goes on at its version when the connection breaks under a watch", async () => {
    const broken = new TransportError("reset", { reason: "ConnectionReset", wasSent: "maybe" });
    const { asked, errors } = await reflect(
      style,
      { watches: [{ events: [added("a", "15")], ending: broken }] },
      second,
    );
    expect(asked).toEqual(["limit=500&resourceVersion=0", plainWatch("10"), plainWatch("15")]);
    expect(errors).toEqual([broken]);
  });

  test("falls back to a list when a streamed one is silent on a dead connection", async () => {
    const silent = new TransportError("nothing was heard", { reason: "Silent", wasSent: "maybe" });
    const { asked, store } = await reflect(
      style,
      {
        watches: [
          { events: [added("a", "1")], ending: silent },
          { events: [added("a", "1")], ending: silent },
        ],
      },
      5 * second,
      { watchListEnabled: true },
    );
    expect(asked.map((line) => (line.includes("sendInitialEvents") ? "stream" : line))).toEqual([
      "stream",
      "stream",
      "limit=500&resourceVersion=0",
      plainWatch("10"),
    ]);
    expect(store.calls).toEqual(["replace [] at 10"]);
  });

  test("keeps two events that come in one chunk", async () => {
    const text = `${JSON.stringify(added("a", "11"))}\n${JSON.stringify(added("b", "12"))}\n`;
    const { store } = await reflect(style, { watches: [{ text, ending: "silence" }] }, 0);
    expect(store.calls).toEqual(["replace [] at 10", "add a@11", "add b@12"]);
  });
});

test("metadata is reflected as it comes, alone or whole", async () => {
  const metadataOf = (name: string) => ({
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1",
    metadata: { name, namespace: "shop", resourceVersion: "6" },
  });
  const server = new ScriptedServer("bytes", (request) =>
    isWatch(request)
      ? { events: [{ type: "ADDED", object: metadataOf("b") }, added("c", "7")], ending: "silence" }
      : {
          json: {
            kind: "PartialObjectMetadataList",
            apiVersion: "meta.k8s.io/v1",
            metadata: { resourceVersion: "5" },
            items: [{ metadata: { name: "a", namespace: "shop" } }],
          },
        },
  );
  const clock = new FakeClock();
  const source = newMetadataListWatchFromClient(clientOf(server.transport, { clock }), pods, {
    clock,
    canWatchList: false,
  });
  const seen: string[] = [];
  const note = ({ kind, metadata }: { kind: string; metadata: { name?: string } }) =>
    seen.push(`${kind} ${metadata.name}`);
  const store = {
    add: note,
    update: note,
    delete: note,
    replace: (objects: readonly Parameters<typeof note>[0][]) => void objects.map(note),
    resync() {},
  };
  const stop = new AbortController();
  const running = new Reflector(source, store, { clock, log: noLog }).run(stop.signal);
  await clock.settle();
  stop.abort();
  await running;
  expect(seen).toEqual(["PartialObjectMetadata a", "PartialObjectMetadata b", "Pod c"]);
});
