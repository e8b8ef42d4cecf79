import { describe, expect, test } from "vitest";
import { pods } from "../../api/generated/resources.ts";
import { type corev1, TransportError } from "../../api/index.ts";
import { jsonLineLog } from "../../base/index.ts";
import type { WatchOptions } from "./options.ts";
import { ResourceClient } from "./resource-client.ts";
import { type Answer, type BodyStyle, collect, failureOf, ScriptedServer } from "./scripted-server.fixture.ts";

const signal = new AbortController().signal;
const styles: readonly BodyStyle[] = ["bytes", "values"];
const silent = new TransportError("nothing was heard", { reason: "Silent", wasSent: "maybe" });
const lost = new TransportError("reset", { reason: "ConnectionLost", wasSent: "maybe" });

const event = (type: string, resourceVersion: string) => ({
  type,
  object: { kind: "Pod", apiVersion: "v1", metadata: { name: "web", resourceVersion } },
});
const bookmark = (resourceVersion: string, annotations?: object) => ({
  type: "BOOKMARK",
  object: { kind: "Pod", apiVersion: "v1", metadata: { resourceVersion, annotations } },
});
const initialEnd = (resourceVersion: string) => bookmark(resourceVersion, { "k8s.io/initial-events-end": "true" });
const failed = { type: "ERROR", object: { kind: "Status", apiVersion: "v1", code: 410, reason: "Expired" } };

const watchOf = (server: ScriptedServer, options: WatchOptions) =>
  new ResourceClient<corev1.Pod>(pods, server.context()).in("shop").watch(options, signal);
const follow = async (style: BodyStyle, options: WatchOptions, answers: readonly (Answer | Error)[]) => {
  const server = new ScriptedServer(style, (_, number) => answers[number] ?? { events: [] });
  const events: unknown[] = [];
  const error = await failureOf(async () => {
    for await (const event of watchOf(server, options)) events.push(event);
  });
  const queries = server.requests.map(({ query }) => Object.fromEntries(query));
  return { events, error, queries, open: server.open };
};
const plain = { watch: "true", allowWatchBookmarks: "true" };

describe.each(styles)("a watch that was silent (%s)", (style) => {
  type Fact = readonly [name: string, options: WatchOptions, events: readonly unknown[], reopened: object];
  const resumed: readonly Fact[] = [
    ["before any event, at the version given", { resourceVersion: "5" }, [], { resourceVersion: "5" }],
    [
      "at the version of its last event",
      { resourceVersion: "5" },
      [event("ADDED", "6"), event("MODIFIED", "8")],
      { resourceVersion: "8" },
    ],
    ["at that of a deletion", { resourceVersion: "5" }, [event("DELETED", "7")], { resourceVersion: "7" }],
    ["at that of a bookmark", { resourceVersion: "5" }, [event("ADDED", "6"), bookmark("9")], { resourceVersion: "9" }],
    [
      "with its other options",
      { resourceVersion: "5", labelSelector: "a=b", timeoutSeconds: 60 },
      [event("ADDED", "6")],
      { resourceVersion: "6", labelSelector: "a=b", timeoutSeconds: "60" },
    ],
    [
      "after its initial events, without asking for them again",
      { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", resourceVersion: "3", labelSelector: "a=b" },
      [event("ADDED", "2"), event("ADDED", "4"), initialEnd("5")],
      { resourceVersion: "5", labelSelector: "a=b" },
    ],
    [
      "after them, at what came later",
      { sendInitialEvents: true },
      [event("ADDED", "2"), initialEnd("5"), event("ADDED", "7")],
      { resourceVersion: "7" },
    ],
    [
      "which had begun anywhere, once something has changed: then all that was there has been told",
      {},
      [event("ADDED", "4"), event("ADDED", "2"), event("MODIFIED", "6"), event("ADDED", "7")],
      { resourceVersion: "7" },
    ],
    [
      "which had begun at any version, after a bookmark",
      { resourceVersion: "0" },
      [event("ADDED", "4"), bookmark("6")],
      { resourceVersion: "6" },
    ],
  ];
  for (const [name, options, events, reopened] of resumed) {
    test(`is opened again ${name}`, async () => {
      const more = event("MODIFIED", "20");
      const { error, ...seen } = await follow(style, options, [{ events, ending: silent }, { events: [more] }]);
      expect(error).toBeUndefined();
      expect(seen.events).toEqual([...events, more]);
      expect(seen.queries[1]).toEqual({ ...plain, ...reopened });
      expect([seen.queries.length, seen.open]).toEqual([2, 0]);
    });
  }

  const thrown: readonly (readonly [string, WatchOptions, readonly unknown[]])[] = [
    [
      "during its initial events",
      { sendInitialEvents: true, resourceVersion: "3" },
      [event("ADDED", "4"), event("ADDED", "2")],
    ],
    [
      "during them, whatever else is in between",
      { sendInitialEvents: true },
      [event("ADDED", "4"), bookmark("5"), event("MODIFIED", "6")],
    ],
    ["which began without a version, before anything", {}, []],
    ["which began without a version, while it tells what was there", {}, [event("ADDED", "4"), event("ADDED", "2")]],
    ["which began at any version, likewise", { resourceVersion: "0" }, [event("ADDED", "4")]],
  ];
  for (const [name, options, events] of thrown) {
    test(`is not opened again ${name}`, async () => {
      const seen = await follow(style, options, [{ events, ending: silent }]);
      expect([seen.error, seen.events, seen.queries.length, seen.open]).toEqual([silent, events, 1, 0]);
    });
  }

  test("is opened again each time", async () => {
    const quiet = (version: string): Answer => ({ events: [bookmark(version)], ending: silent });
    const { queries, error } = await follow(style, { resourceVersion: "1" }, [
      quiet("2"),
      quiet("3"),
      silent,
      quiet("4"),
    ]);
    expect(queries.map((query) => query["resourceVersion"])).toEqual(["1", "2", "3", "3", "4"]);
    expect(error).toBeUndefined();
  });

  test("says so in the log", async () => {
    const lines: string[] = [];
    const server = new ScriptedServer(style, (_, number) =>
      number === 0 ? { events: [], ending: silent } : { events: [] },
    );
    const log = jsonLineLog({ write: (line) => void lines.push(line), now: () => 0 });
    const client = new ResourceClient(pods, server.context({ log }));
    await collect(client.watch({ resourceVersion: "5" }, signal));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ resourceVersion: "5" }]);
  });
});

describe.each(styles)("everything else that ends a watch is its reader's (%s)", (style) => {
  test("its end", async () => {
    const seen = await follow(style, { resourceVersion: "5" }, [{ events: [event("ADDED", "6")] }]);
    expect([seen.error, seen.queries.length, seen.open]).toEqual([undefined, 1, 0]);
  });

  test("an ERROR event, which passes as it is", async () => {
    const seen = await follow(style, { resourceVersion: "5" }, [{ events: [event("ADDED", "6"), failed] }]);
    expect([seen.events.at(-1), seen.error, seen.queries.length]).toEqual([failed, undefined, 1]);
  });

  test("an ERROR event does not move the version", async () => {
    const seen = await follow(style, { resourceVersion: "5" }, [{ events: [failed], ending: silent }]);
    expect(seen.queries[1]?.["resourceVersion"]).toBe("5");
  });

  for (const [name, answer, expected] of [
    ["a lost connection", { events: [event("ADDED", "6")], ending: lost }, lost],
    ["a connection that could not be opened", lost, lost],
    ["a refusal", { status: 410, json: failed.object }, { reason: "Expired" }],
    ["an error of another kind", { events: [], ending: new Error("Silent") }, { message: "Silent" }],
  ] as const) {
    test(name, async () => {
      const seen = await follow(style, { resourceVersion: "5" }, [answer]);
      expect([seen.error, seen.queries.length, seen.open]).toMatchObject([expected, 1, 0]);
    });
  }

  test("a refusal after silence", async () => {
    const answers = [
      { events: [], ending: silent },
      { status: 410, json: failed.object },
    ];
    const seen = await follow(style, { resourceVersion: "5" }, answers);
    expect([seen.error, seen.queries.length, seen.open]).toMatchObject([{ reason: "Expired" }, 2, 0]);
  });

  test("the reader's leaving, which lets go of the response", async () => {
    const server = new ScriptedServer(style, () => ({ events: [event("ADDED", "6")], ending: "silence" }));
    for await (const _ of watchOf(server, { resourceVersion: "5" })) break;
    expect(server.open).toBe(0);
  });

  test("a second reader gets an error", async () => {
    const watch = watchOf(new ScriptedServer(style, () => ({ events: [] })), {});
    await collect(watch);
    expect(await failureOf(async () => await collect(watch))).toMatchObject({
      message: "a stream can be read only once",
    });
  });

  test("nothing is asked for until the reader asks", async () => {
    const server = new ScriptedServer(style, () => ({ events: [] }));
    const reading = watchOf(server, {}).batches();
    await reading.return(undefined);
    expect([server.requests.length, server.open]).toEqual([0, 0]);
  });
});
