import { describe, expect, test } from "vitest";
import { configMaps, pods } from "../../api/generated/resources.ts";
import {
  type corev1,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  isResourceExpired,
  isTooLargeResourceVersion,
  newInternalError,
  TransportError,
} from "../../api/index.ts";
import { FakeClock } from "../../base/index.ts";
import { clientOf, type WatchEvent, type WatchOptions } from "../../client/index.ts";
import type { BodyStyle } from "./answers.ts";
import type { ServerBehaviour } from "./behaviour.ts";
import { FakeApiServer } from "./fake-api-server.ts";

const never = new AbortController().signal;

function pod(name: string, labels: Record<string, string> = {}): corev1.Pod {
  const hasLabels = Object.keys(labels).length > 0;
  const metadata = { namespace: "shop", name, ...(hasLabels ? { labels } : {}) };
  // As a real server prints it, so that it is the same in either encoding.
  const containers = [{ name: "main", image: "none", resources: {} }];
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { containers }, status: {} };
}

function newServer(style: BodyStyle | "protobuf" = "values", behaviour: Partial<ServerBehaviour> = {}) {
  const clock = new FakeClock();
  const body = style === "protobuf" ? "bytes" : style;
  const server = new FakeApiServer({ clock, resources: [pods, configMaps], body, behaviour });
  const client = clientOf(server.transport, { clock, encoding: style === "protobuf" ? "protobuf" : "json" });
  return { clock, server, client, all: client.resource(pods) };
}
type Server = ReturnType<typeof newServer>;

/** A watch whose events are collected as they come, in words. */
function follow({ all }: Server, options: Partial<WatchOptions> = {}) {
  const stop = new AbortController();
  const heard: string[] = [];
  const reading = (async () => {
    for await (const event of all.watch(options, stop.signal)) heard.push(inWords(event));
  })();
  const ended = reading.then(
    () => "ended",
    (error: unknown) => error,
  );
  return { heard, ended, stop: () => stop.abort() };
}

function inWords(event: WatchEvent): string {
  if (event.type === "ERROR") return `ERROR ${event.object.code} ${event.object.reason}`;
  const { name, resourceVersion, annotations } = event.object.metadata;
  const end = annotations?.["k8s.io/initial-events-end"] === "true" ? " end" : "";
  return event.type === "BOOKMARK" ? `BOOKMARK@${resourceVersion}${end}` : `${event.type} ${name}@${resourceVersion}`;
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
const names = (items: readonly corev1.Pod[]) =>
  items.map(({ metadata: { name, resourceVersion } }) => `${name}@${resourceVersion}`);

for (const style of ["values", "bytes", "protobuf"] as const) {
  describe(`answers as ${style}`, () => {
    test("come in the encoding that was asked for", async () => {
      const { all, server } = newServer(style);
      server.create(pods, pod("a"));
      const encodings: string[] = [];
      const observed = all.observed({ onAnswer: (encoding) => void encodings.push(encoding), onMalformed: () => {} });
      const { items } = await observed.list(never).toArray();
      expect(items.map((item) => ({ ...item }))).toEqual(server.list(pods));
      for await (const event of observed.watch({ resourceVersion: "1" }, never)) {
        expect(event).toMatchObject({ type: "ADDED", object: server.get(pods, "shop/a") });
        break;
      }
      const encoding = style === "bytes" ? "json" : style;
      expect(encodings).toEqual([encoding, encoding]);
    });

    test("one revision counts every write of every kind", async () => {
      const { client, server } = newServer(style);
      const inShop = client.resource(pods).in("shop");
      const first = await inShop.create(pod("a"), never);
      server.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name: "c" } });
      const second = await inShop.create(pod("b"), never);
      expect([first, second].map(({ metadata }) => metadata.resourceVersion)).toEqual(["2", "4"]);
      expect(await inShop.get("a", never)).toEqual(first);
    });

    test("an update needs the version it read, and one that changes nothing keeps it", async () => {
      const { client } = newServer(style);
      const inShop = client.resource(pods).in("shop");
      const first = await inShop.create(pod("a"), never);
      expect(await inShop.update(first, never)).toEqual(first);
      const second = await inShop.update({ ...first, metadata: { ...first.metadata, labels: { x: "y" } } }, never);
      expect(second.metadata).toMatchObject({ uid: first.metadata.uid, resourceVersion: "3" });
      expect(isConflict(await failure(inShop.update(first, never)))).toBe(true);
    });

    test("what is there cannot be created, what is not can neither be read, updated nor deleted", async () => {
      const { client } = newServer(style);
      const inShop = client.resource(pods).in("shop");
      await inShop.create(pod("a"), never);
      expect(isAlreadyExists(await failure(inShop.create(pod("a"), never)))).toBe(true);
      for (const work of [inShop.get("b", never), inShop.update(pod("b"), never), inShop.delete("b", never)]) {
        expect(isNotFound(await failure(work))).toBe(true);
      }
    });

    test("what is deleted and made again is another one", async () => {
      const { client } = newServer(style);
      const inShop = client.resource(pods).in("shop");
      const first = await inShop.create(pod("a"), never);
      expect(await inShop.delete("a", never)).toMatchObject({ metadata: { name: "a", resourceVersion: "3" } });
      expect((await inShop.create(pod("a"), never)).metadata.uid).not.toBe(first.metadata.uid);
    });

    test("a list comes in pages of one moment, whatever happens meanwhile", async () => {
      const { all, server } = newServer(style);
      for (const name of ["a", "b", "c"]) server.create(pods, pod(name));
      const list = all.list({ pageSize: 1 }, never);
      const read: corev1.Pod[] = [];
      for await (const item of list) {
        read.push(item);
        if (read.length === 1) {
          server.delete(pods, "shop/b");
          server.create(pods, pod("bb"));
        }
      }
      expect(names(read)).toEqual(["a@2", "b@3", "c@4"]);
      expect(list.metadata.resourceVersion).toBe("4");
    });

    test("a page of a moment that was compacted is gone", async () => {
      const { all, server } = newServer(style);
      for (const name of ["a", "b"]) server.create(pods, pod(name));
      const reading = (async () => {
        for await (const _ of all.list({ pageSize: 1 }, never)) {
          server.update(pods, pod("b", { x: "y" }));
          server.compact();
        }
      })();
      expect(isResourceExpired(await failure(reading))).toBe(true);
    });

    test("a watch tells what happened since, in order, then what happens", async () => {
      const setup = newServer(style);
      const { server, clock } = setup;
      server.create(pods, pod("a"));
      server.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name: "c" } });
      server.create(pods, pod("b"));
      const watch = follow(setup, { resourceVersion: "2" });
      await clock.settle();
      server.update(pods, pod("a", { x: "y" }));
      server.delete(pods, "shop/b");
      await clock.settle();
      expect(watch.heard).toEqual(["ADDED b@4", "MODIFIED a@5", "DELETED b@6"]);
      expect(server.openWatches).toBe(1);
      watch.stop();
      await watch.ended;
      expect(server.openWatches).toBe(0);
      expect(clock.pending()).toEqual([]);
    });

    test("a streamed list ends with a bookmark and becomes a watch", async () => {
      const setup = newServer(style);
      const { server, clock } = setup;
      for (const name of ["b", "a"]) server.create(pods, pod(name));
      const watch = follow(setup, { sendInitialEvents: true });
      await clock.settle();
      server.delete(pods, "shop/a");
      await clock.settle();
      expect(watch.heard).toEqual(["ADDED a@3", "ADDED b@2", "BOOKMARK@3 end", "DELETED a@4"]);
    });
  });
}

describe("lists", () => {
  const isAt = async ({ all }: Server, resourceVersion: string) => {
    const { items, metadata } = await all.list({ resourceVersion, pageSize: 0 }, never).toArray();
    return `${names(items).join(" ")} as of ${metadata.resourceVersion}`;
  };

  test('at "" they are the newest, at "0" what the cache has, at a version not older', async () => {
    const setup = newServer();
    const { server, clock } = setup;
    server.create(pods, pod("a"));
    server.pauseCache();
    server.create(pods, pod("b"));
    expect(await isAt(setup, "")).toBe("a@2 b@3 as of 3");
    expect(await isAt(setup, "0")).toBe("a@2 as of 2");
    expect(await isAt(setup, "2")).toBe("a@2 as of 2");
    const waiting = isAt(setup, "3");
    await clock.advance(2_000);
    server.resumeCache();
    expect(await waiting).toBe("a@2 b@3 as of 3");
    expect(clock.pending()).toEqual([]);
  });

  test("a version that is not reached within three seconds is too large", async () => {
    const setup = newServer();
    const { server, clock } = setup;
    const asked = server.transport(
      {
        method: "GET",
        path: "/api/v1/pods",
        query: [["resourceVersion", "9"]],
        headers: {},
        body: { kind: "none" },
        prefers: "values",
      },
      never,
    );
    await clock.advance(2_999);
    expect(clock.pending()).toHaveLength(1);
    await clock.advance(1);
    expect(await asked).toMatchObject({ status: 504, headers: { "retry-after": "1" } });
    const error = failure(isAt(setup, "9"));
    await clock.advance(60_000);
    expect(isTooLargeResourceVersion(await error)).toBe(true);
  });

  for (const [name, resourceVersion, listsFrom, expected] of [
    ['a limit at "0" counts for nothing', "0", "cache", 1],
    ['a limit at "" counts', "", "cache", 2],
    ['without a cache it counts at "0" too', "0", "storage", 2],
    ["with a version it means that very version", "2", "cache", 1],
  ] as const) {
    test(name, async () => {
      const { all, server } = newServer("values", { listsFrom });
      for (const name of ["a", "b"]) server.create(pods, pod(name));
      await all.list({ resourceVersion, pageSize: 1 }, never).toArray();
      expect(server.requests).toHaveLength(expected);
    });
  }

  for (const [name, selector, expected] of [
    ["by label", { labelSelector: "app=web" }, ["a@2"]],
    ["by name", { fieldSelector: "metadata.name=b" }, ["b@3"]],
    ["by both", { labelSelector: "app=web", fieldSelector: "metadata.name=b" }, []],
  ] as const) {
    test(`selects ${name}`, async () => {
      const { all, server } = newServer();
      server.create(pods, pod("a", { app: "web" }));
      server.create(pods, pod("b"));
      expect(names((await all.list(selector, never).toArray()).items)).toEqual(expected);
    });
  }
});

describe("watches", () => {
  for (const [expiredWatch, heard, end] of [
    ["answer", [], "410"],
    ["event", ["ERROR 410 Expired"], "ended"],
  ] as const) {
    test(`from a version that is forgotten are told so by ${expiredWatch}`, async () => {
      const setup = newServer("values", { expiredWatch });
      setup.server.create(pods, pod("a"));
      setup.server.create(pods, pod("b"));
      setup.server.compact(3);
      const watch = follow(setup, { resourceVersion: "2" });
      const ended = await watch.ended;
      expect(watch.heard).toEqual(heard);
      expect(isResourceExpired(ended) ? "410" : ended).toBe(end);
      const kept = follow(setup, { resourceVersion: "3" });
      await setup.clock.settle();
      expect(setup.server.openWatches).toBe(1);
      kept.stop();
    });
  }

  test("history forgets by itself what it has no room for", async () => {
    const setup = newServer("values", { historySize: 2 });
    for (const name of ["a", "b", "c", "d"]) setup.server.create(pods, pod(name));
    const late = follow(setup, { resourceVersion: "2" });
    const inTime = follow(setup, { resourceVersion: "3" });
    await setup.clock.settle();
    expect(late.heard).toEqual(["ERROR 410 Expired"]);
    expect(inTime.heard).toEqual(["ADDED c@4", "ADDED d@5"]);
  });

  test("tell crossings of a selector as coming and going", async () => {
    const setup = newServer();
    const { server, clock } = setup;
    const watch = follow(setup, { resourceVersion: "1", labelSelector: "app=web" });
    await clock.settle();
    server.create(pods, pod("a"));
    server.update(pods, pod("a", { app: "web" }));
    server.update(pods, pod("a", { app: "web", tier: "1" }));
    server.update(pods, pod("a"));
    server.delete(pods, "shop/a");
    await clock.settle();
    expect(watch.heard).toEqual(["ADDED a@3", "MODIFIED a@4", "DELETED a@5"]);
  });

  test("of a namespace hear of it alone, those of all of each, and all who watch it of the same", async () => {
    const setup = newServer();
    const { server, clock, client } = setup;
    const heardIn = (namespace: string) => {
      const heard: string[] = [];
      void (async () => {
        for await (const event of client.resource(pods).in(namespace).watch({ resourceVersion: "1" }, never)) {
          heard.push(inWords(event));
        }
      })();
      return heard;
    };
    const [shop, shopToo, bank] = [heardIn("shop"), heardIn("shop"), heardIn("bank")];
    const all = follow(setup, { resourceVersion: "1" });
    await clock.settle();
    server.create(pods, pod("a"));
    server.create(pods, { ...pod("b"), metadata: { namespace: "bank", name: "b" } });
    await clock.settle();
    expect([shop, shopToo, bank]).toEqual([["ADDED a@2"], ["ADDED a@2"], ["ADDED b@3"]]);
    expect(all.heard).toEqual(["ADDED a@2", "ADDED b@3"]);
  });

  test("that were stopped are no hindrance to later writes", async () => {
    const setup = newServer();
    const watch = follow(setup, { resourceVersion: "1" });
    await setup.clock.settle();
    watch.stop();
    await watch.ended;
    setup.server.create(pods, pod("a"));
    await setup.clock.settle();
    expect(watch.heard).toEqual([]);
  });

  test("send bookmarks every minute and shortly before they end in time", async () => {
    const setup = newServer();
    const { server, clock } = setup;
    const watch = follow(setup, { resourceVersion: "1", timeoutSeconds: 130 });
    await clock.advance(60_000);
    server.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name: "c" } });
    await clock.advance(70_000);
    expect(watch.heard).toEqual(["BOOKMARK@1", "BOOKMARK@2", "BOOKMARK@2"]);
    expect(await watch.ended).toBe("ended");
    expect(clock.pending()).toEqual([]);
  });

  test("send no bookmarks to those who do not want them", async () => {
    const setup = newServer();
    const watch = follow(setup, { resourceVersion: "1", timeoutSeconds: 130, allowWatchBookmarks: false });
    await setup.clock.advance(130_000);
    expect([watch.heard, await watch.ended]).toEqual([[], "ended"]);
  });

  test("are silent while the cache is behind, and catch up", async () => {
    const setup = newServer();
    const { server, clock } = setup;
    server.pauseCache();
    server.create(pods, pod("a"));
    const watch = follow(setup, { resourceVersion: "1" });
    const ahead = follow(setup, { resourceVersion: "2" });
    await clock.advance(61_000);
    expect(ahead.heard).toEqual([]);
    server.resumeCache();
    server.create(pods, pod("b"));
    await clock.settle();
    expect(watch.heard).toEqual(["BOOKMARK@1", "ADDED a@2", "ADDED b@3"]);
    expect(ahead.heard).toEqual(["ADDED b@3"]);
  });

  test("break when another server answers, whose cache is behind and then catches up", async () => {
    const setup = newServer();
    const { server, clock, all } = setup;
    for (const name of ["a", "b", "c"]) server.create(pods, pod(name));
    const before = follow(setup, { resourceVersion: "4" });
    await clock.settle();
    server.moveToServerBehind(2);
    expect(await before.ended).toMatchObject({ reason: "ConnectionReset" });
    expect(names((await all.list({ resourceVersion: "0" }, never).toArray()).items)).toEqual(["a@2"]);
    const after = follow(setup, { resourceVersion: "3" });
    server.create(pods, pod("d"));
    await clock.settle();
    expect(after.heard).toEqual([]);
    server.resumeCache();
    await clock.settle();
    expect(after.heard).toEqual(["ADDED c@4", "ADDED d@5"]);
  });

  for (const [name, how, heard, end] of [
    ["in order", "end", [], "ended"],
    ["as a broken connection", "reset", [], "ConnectionReset"],
    ["with a complaint", newInternalError(new Error("boom")), ["ERROR 500 InternalError"], "ended"],
  ] as const) {
    test(`can be ended ${name}`, async () => {
      const setup = newServer();
      const watch = follow(setup, { resourceVersion: "1" });
      await setup.clock.settle();
      setup.server.endWatches(how);
      const ended = await watch.ended;
      expect(watch.heard).toEqual(heard);
      expect(ended instanceof TransportError ? ended.reason : ended).toBe(end);
      expect(setup.server.openWatches).toBe(0);
    });
  }

  test("of a reader who falls too far behind are ended, not thinned out", async () => {
    const { server, clock, all } = newServer();
    const stop = new AbortController();
    const reader = all.watch({ resourceVersion: "1" }, stop.signal)[Symbol.asyncIterator]();
    const first = reader.next();
    await clock.settle();
    for (let i = 0; i <= 1_001; i++)
      server.update(pods, i === 0 ? server.create(pods, pod("a")) : pod("a", { n: `${i}` }));
    await first;
    let events = 1;
    while ((await reader.next()).done !== true) events++;
    expect(events).toBe(1_000);
  });
});

describe("initial events", () => {
  test("changes that happen before their end come before it", async () => {
    const setup = newServer("values", { initialEndAfterMs: 1_000 });
    const { server, clock } = setup;
    for (const name of ["a", "b"]) server.create(pods, pod(name));
    const watch = follow(setup, { sendInitialEvents: true });
    await clock.advance(500);
    server.delete(pods, "shop/a");
    await clock.advance(500);
    expect(watch.heard).toEqual(["ADDED a@2", "ADDED b@3", "DELETED a@4", "BOOKMARK@4 end"]);
  });

  for (const [watchList, heard] of [
    ["refused", []],
    ["ignored", ["ADDED a@2", "BOOKMARK@2"]],
  ] as const) {
    test(`${watchList}`, async () => {
      const setup = newServer("values", { watchList });
      setup.server.create(pods, pod("a"));
      const watch = follow(setup, { sendInitialEvents: true });
      await setup.clock.advance(60_000);
      expect(watch.heard).toEqual(heard);
      watch.stop();
      expect(isInvalid(await watch.ended)).toBe(watchList === "refused");
    });
  }

  test("ignored at a version they are an ordinary watch", async () => {
    const setup = newServer("values", { watchList: "ignored" });
    setup.server.create(pods, pod("a"));
    setup.server.create(pods, pod("b"));
    const watch = follow(setup, { sendInitialEvents: true, resourceVersion: "2" });
    await setup.clock.settle();
    expect(watch.heard).toEqual(["ADDED b@3"]);
  });

  test("of a version that is not reached within three seconds are refused in the stream", async () => {
    const setup = newServer();
    setup.server.pauseCache();
    setup.server.create(pods, pod("a"));
    const watch = follow(setup, { sendInitialEvents: true });
    await setup.clock.advance(3_000);
    expect(await watch.ended).toBe("ended");
    expect(watch.heard).toEqual(["ERROR 504 Timeout"]);
  });
});

test("an object is found in its own namespace only", async () => {
  const { client, server } = newServer();
  server.create(pods, pod("a"));
  expect((await client.resource(pods).in("shop").get("a", never)).metadata.name).toBe("a");
  expect(isNotFound(await failure(client.resource(pods).in("bank").get("a", never)))).toBe(true);
});

test("what was given is copied, what is handed out is frozen", () => {
  const { server } = newServer();
  const mine = pod("a", { x: "y" });
  const stored = server.create(pods, mine);
  expect(stored.metadata.labels).not.toBe(mine.metadata.labels);
  expect(Object.isFrozen(stored.metadata.labels)).toBe(true);
  expect(Object.isFrozen(mine.metadata.labels)).toBe(false);
});
