// Watches in virtual time: when they end, when bookmarks come, where they may begin, and what a selector makes of a change.
import type { Query } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { ask, requestFor } from "../../ask.fixture.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
let clock: FakeClock;
let server: ApiServer;
beforeEach(async () => {
  clock = new FakeClock();
  server = await ApiServer.open({ clock, random: seededRandom(1) });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

interface Message {
  readonly type: string;
  readonly object: {
    readonly metadata: {
      readonly name?: string;
      readonly resourceVersion?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly code?: number;
  };
}

const merge = "application/merge-patch+json";
const write = (name: string, labels: object = {}) =>
  ask(server, maps, { method: "POST", value: { metadata: { name, labels } } });
const change = (name: string, value: object) => ask(server, `${maps}/${name}`, { method: "PATCH", value, type: merge });
const label = (name: string, app: string) => change(name, { metadata: { labels: { app } } });
const remove = (name: string) => ask(server, `${maps}/${name}`, { method: "DELETE" });
const versionOf = async (name: string) => {
  const { object } = await ask<Message["object"]>(server, `${maps}/${name}`);
  return object.metadata.resourceVersion ?? "";
};

/** Everything a watch says, as it comes. */
class Watcher implements AsyncDisposable {
  readonly seen: Message[] = [];
  endedAfterMs: number | undefined;
  readonly #gone = new AbortController();
  #reading: Promise<void> = Promise.resolve();

  static async open(query: Query): Promise<Watcher> {
    const watcher = new Watcher();
    const request = requestFor(maps, { query: [["watch", "1"], ...query] });
    const response = await server.transport(request, watcher.#gone.signal);
    const { body } = response;
    if (body.kind !== "values") throw new Error(`expected a stream, got ${response.status}`);
    const beganMs = clock.monotonic();
    watcher.#reading = (async () => {
      for await (const message of body.values) watcher.seen.push(message as Message);
      watcher.endedAfterMs = clock.monotonic() - beganMs;
    })().catch(() => {});
    await clock.settle();
    return watcher;
  }

  /** As `ADDED a`; of a bookmark, whether it ends the initial events. */
  told(): readonly string[] {
    return this.seen.map(({ type, object }) => {
      const isEnd = object.metadata?.annotations?.["k8s.io/initial-events-end"] === "true";
      return `${type} ${type === "BOOKMARK" ? (isEnd ? "end" : "on the way") : (object.metadata?.name ?? object.code)}`;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#gone.abort();
    await this.#reading;
  }
}

describe("a watch ends", () => {
  for (const [fact, query, fromMs, toMs] of [
    ["when its time is up", [["timeoutSeconds", "90"]], 90 * secondMs, 90 * secondMs],
    ["after half an hour to an hour if none was given", [], 30 * minuteMs, 60 * minuteMs],
    ["after half an hour to an hour if it was given none", [["timeoutSeconds", "0"]], 30 * minuteMs, 60 * minuteMs],
  ] as const) {
    test(fact, async () => {
      await using watcher = await Watcher.open(query);
      await clock.advance(fromMs - 1);
      expect(watcher.endedAfterMs).toBeUndefined();
      await clock.advance(toMs - fromMs + 1);
      expect(watcher.endedAfterMs).toBeGreaterThanOrEqual(fromMs);
      expect(watcher.endedAfterMs).toBeLessThanOrEqual(toMs);
      expect(clock.pending().filter(({ name }) => name === "watch")).toEqual([]);
    });
  }

  test("when the server closes, without a word", async () => {
    await using watcher = await Watcher.open([["resourceVersion", ""]]);
    await server[Symbol.asyncDispose]();
    await clock.settle();
    expect(watcher.told()).toEqual([]);
    expect(watcher.endedAfterMs).toBe(0);
  });
});

describe("bookmarks", () => {
  const timeout = ["timeoutSeconds", "200"] as const;

  test("come about once a minute and shortly before the end, and say how far the log has come", async () => {
    await using watcher = await Watcher.open([["allowWatchBookmarks", "true"], ["resourceVersion", "1"], timeout]);
    // Elsewhere something happens, of which this watch hears nothing else.
    const secrets = "/api/v1/namespaces/default/secrets";
    const { object: other } = await ask<Message["object"]>(server, secrets, {
      method: "POST",
      value: { metadata: { name: "s" } },
    });
    const before = watcher.seen.length;
    await clock.advance(60 * secondMs);
    expect(watcher.told().slice(before)).toEqual(["BOOKMARK on the way"]);
    expect(Number(watcher.seen.at(-1)?.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      Number(other.metadata.resourceVersion),
    );
    await clock.advance(138 * secondMs - 1);
    const underWay = watcher.seen.length;
    await clock.advance(1);
    expect(watcher.told().slice(underWay)).toEqual(["BOOKMARK on the way"]);
    expect(watcher.endedAfterMs).toBeUndefined();
    await clock.advance(2 * secondMs);
    expect(watcher.endedAfterMs).toBe(200 * secondMs);
  });

  test("do not come to who did not ask", async () => {
    await using watcher = await Watcher.open([timeout]);
    await clock.advance(200 * secondMs);
    expect(watcher.told()).toEqual([]);
  });
});

describe("what is there already", () => {
  beforeEach(async () => {
    await write("a");
    await write("b");
  });

  for (const [fact, query, told] of [
    ["comes first when no version is named", [], ["ADDED a", "ADDED b"]],
    ["comes first at version 0", [["resourceVersion", "0"]], ["ADDED a", "ADDED b"]],
    [
      "comes with a bookmark behind it when asked for",
      [
        ["sendInitialEvents", "true"],
        ["resourceVersionMatch", "NotOlderThan"],
        ["allowWatchBookmarks", "true"],
      ],
      ["ADDED a", "ADDED b", "BOOKMARK end"],
    ],
    [
      "does not come when declined",
      [
        ["sendInitialEvents", "false"],
        ["resourceVersionMatch", "NotOlderThan"],
        ["allowWatchBookmarks", "true"],
      ],
      [],
    ],
  ] as const) {
    test(fact, async () => {
      await using watcher = await Watcher.open(query);
      expect(watcher.told()).toEqual(told);
      await write("c");
      await clock.settle();
      expect(watcher.told()).toEqual([...told, "ADDED c"]);
    });
  }

  test("and after a version, only what came later", async () => {
    const version = await versionOf("a");
    await using watcher = await Watcher.open([["resourceVersion", version]]);
    expect(watcher.told()).toEqual(["ADDED b"]);
  });

  test("a version that was forgotten is an error in the stream, and its end", async () => {
    const version = await versionOf("a");
    await server.compact();
    await using watcher = await Watcher.open([["resourceVersion", version]]);
    expect(watcher.told()).toEqual(["ERROR 410"]);
    expect(watcher.endedAfterMs).toBe(0);
  });
});

describe("to who selects by label", () => {
  test("a change into the selection is an addition, out of it a deletion, and within it a change", async () => {
    await using watcher = await Watcher.open([["labelSelector", "app=web"]]);
    await write("a", { app: "web" });
    await write("b");
    await label("a", "other");
    await label("b", "web");
    await change("b", { data: { k: "v" } });
    await remove("a");
    await remove("b");
    await clock.settle();
    expect(watcher.told()).toEqual(["ADDED a", "DELETED a", "ADDED b", "MODIFIED b", "DELETED b"]);
    // What left is shown as it was last seen, at the version at which it left.
    const left = watcher.seen[1]?.object.metadata as { labels?: object; resourceVersion?: string };
    expect(left.labels).toEqual({ app: "web" });
    expect(Number(left.resourceVersion)).toBeGreaterThan(Number(watcher.seen[0]?.object.metadata.resourceVersion));
  });
});
