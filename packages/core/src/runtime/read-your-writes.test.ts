import { describe, expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import {
  type corev1,
  type KubernetesObject,
  keyOf,
  newAlreadyExists,
  newConflict,
  newForbidden,
  newInternalError,
  newNotFound,
  newTooManyRequests,
  TransportError,
} from "../api/index.ts";
import { FakeClock, KubeloopError, TimeoutError } from "../base/index.ts";
import {
  type Action,
  type ActionResult,
  create,
  createSubresource,
  patch,
  recordEvent,
  remove,
  removeCollection,
} from "../contract/index.ts";
import type { CacheScope } from "./cache-scope.ts";
import type { LiveReader } from "./live-reader.ts";
import { ReadYourWrites } from "./read-your-writes.ts";
import { type ScopedCache, settleWrite } from "./settle-writes.ts";
import { type Expected, expectedAfter, isAnswerLost, isSighted } from "./sightings.ts";

const never = new AbortController().signal;
const place = { group: "", resource: "pods" };
const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "owner", controller: true };

function pod(name: string, metadata: corev1.Pod["metadata"] = {}): corev1.Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "shop", name, uid: `uid-${name}`, resourceVersion: "5", ...metadata },
    spec: { containers: [] },
  };
}
function cacheOf(objects: readonly KubernetesObject[], resourceVersion = "5", scope: CacheScope = {}): ScopedCache {
  return {
    scope,
    resourceVersion,
    isFollowing: () => true,
    getByKey: (key) => objects.find((object) => keyOf(object) === key),
    list: () => objects,
  };
}
const done = (value: unknown): ActionResult => ({ status: "done", value });
const failed = (error: Error): ActionResult => ({ status: "failed", error });
const lostAnswer = new TransportError("reset", { reason: "ConnectionReset", wasSent: "maybe" });
const written = (version: string): Expected => ({ kind: "written", resource: pods, key: "shop/a", version });
const removed = (more: Partial<Extract<Expected, { kind: "removed" }>> = {}): Expected => ({
  ...{ kind: "removed", resource: pods, key: "shop/a", uid: "uid-a", version: undefined, wasCached: true },
  ...more,
});

describe("whether an answer was lost", () => {
  for (const [name, error, expected] of [
    ["a connection that broke may have carried it", lostAnswer, true],
    [
      "one that was never made did not",
      new TransportError("refused", { reason: "ConnectionRefused", wasSent: "no" }),
      false,
    ],
    ["time that ran out says nothing", new TimeoutError("create", 5), true],
    ["a server that fails may have stored it", newInternalError(new Error("etcd")), true],
    ["a conflict stored nothing", newConflict(place, "a", { detail: "" }), false],
    ["a refusal stored nothing", newForbidden(place, "a", { detail: "" }), false],
    ["too many requests stored nothing", newTooManyRequests("busy", { retryAfterSeconds: 1 }), false],
    ["what was never sent stored nothing", new KubeloopError("no", { reason: "Undeclared" }), false],
  ] as const) {
    test(name, () => expect(isAnswerLost(error)).toBe(expected));
  }
});

describe("what must be seen after", () => {
  const nothing = cacheOf([]);
  const holding = cacheOf([pod("a")]);
  const { name: _, uid: __, resourceVersion: ___, ...bare } = pod("a").metadata;
  const generated = create(pods, {
    ...pod("a"),
    metadata: { ...bare, generateName: "web-", ownerReferences: [owner] },
  });
  const named = create(pods, pod("a"));
  for (const [name, action, result, cache, expected] of [
    ["a create: the version it got", named, done(pod("a", { resourceVersion: "9" })), nothing, [written("9")]],
    [
      "a create under a name of the server's: that name",
      generated,
      done(pod("a", { resourceVersion: "9" })),
      nothing,
      [written("9")],
    ],
    [
      "a patch: the version it left",
      patch(pods, "shop/a", { type: "merge", body: {} }),
      done(pod("a", { resourceVersion: "9" })),
      holding,
      [written("9")],
    ],
    [
      "a delete: that it is gone",
      remove(pods, "shop/a"),
      done({ kind: "Status", details: { uid: "uid-a" } }),
      holding,
      [removed()],
    ],
    [
      "a delete that takes its time: the same, and as of when",
      remove(pods, "shop/a"),
      done(pod("a", { resourceVersion: "9", deletionTimestamp: "2030-01-01T00:00:00Z" })),
      holding,
      [removed({ version: "9" })],
    ],
    [
      "a delete of what the cache had not seen: as of when",
      remove(pods, "shop/a"),
      done(pod("a", { resourceVersion: "9" })),
      nothing,
      [removed({ version: "9", wasCached: false })],
    ],
    [
      "an eviction: that it is gone",
      createSubresource(pods, "shop/a", "eviction", { body: {} }),
      done({ kind: "Status" }),
      holding,
      [removed()],
    ],
    [
      "an answer without a version: what is there",
      createSubresource(pods, "shop/a", "binding", { body: {} }),
      done({ kind: "Status" }),
      holding,
      [{ kind: "lost", resource: pods, key: "shop/a" }],
    ],
    [
      "a delete of what is gone already: that the cache lets go",
      remove(pods, "shop/a"),
      failed(newNotFound(place, "a")),
      holding,
      [removed()],
    ],
    [
      "a patch of what is gone: the same",
      patch(pods, "shop/a", { type: "merge", body: {} }),
      failed(newNotFound(place, "a")),
      holding,
      [removed()],
    ],
    [
      "a create of what is there already: what is there",
      named,
      failed(newAlreadyExists(place, "a")),
      nothing,
      [{ kind: "lost", resource: pods, key: "shop/a" }],
    ],
    [
      "a conflict: nothing, nothing was written",
      patch(pods, "shop/a", { type: "merge", body: {} }),
      failed(newConflict(place, "a", { detail: "" })),
      holding,
      [],
    ],
    ["a refusal: nothing", named, failed(newForbidden(place, "a", { detail: "" })), nothing, []],
    [
      "a lost create: whatever is there under its name",
      named,
      failed(lostAnswer),
      nothing,
      [{ kind: "lost", resource: pods, key: "shop/a" }],
    ],
    [
      "a lost create under a name of the server's: whatever its owner has",
      generated,
      failed(lostAnswer),
      nothing,
      [{ kind: "lost", resource: pods, key: undefined, namespace: "shop", ownerUid: "owner", generateName: "web-" }],
    ],
    [
      "a delete of many: that what the cache has of them is gone",
      removeCollection(pods, { namespace: "shop" }),
      done(undefined),
      holding,
      [removed()],
    ],
    [
      "a delete of many elsewhere: nothing",
      removeCollection(pods, { namespace: "other" }),
      done(undefined),
      holding,
      [],
    ],
    ["what was skipped: nothing", named, { status: "skipped" }, nothing, []],
    [
      "an event: nothing",
      recordEvent(pod("a"), { type: "Normal", reason: "R", message: "" }),
      done(undefined),
      nothing,
      [],
    ],
  ] as [string, Action, ActionResult, ScopedCache, Expected[]][]) {
    test(name, () => expect(expectedAfter(action, result, cache)).toEqual(expected));
  }
});

describe("seen or not", () => {
  for (const [name, expected, cache, isSeen] of [
    ["a write, at its version", written("5"), cacheOf([pod("a")]), true],
    ["a write, at a later version", written("4"), cacheOf([pod("a")]), true],
    ["a write, not yet", written("6"), cacheOf([pod("a")]), false],
    ["versions are numbers", written("10"), cacheOf([pod("a", { resourceVersion: "9" })], "9"), false],
    ["a write outside of the selector, once the cache has passed it", written("6"), cacheOf([], "7"), true],
    ["a write into an empty cache, not yet", written("6"), cacheOf([], ""), false],
    [
      "one made anew counts: it is later",
      written("6"),
      cacheOf([pod("a", { uid: "new", resourceVersion: "8" })]),
      true,
    ],
    ["versions that are none hold nothing up", written("abc"), cacheOf([]), true],
    [
      "a cache with versions that are none holds nothing up",
      written("6"),
      cacheOf([pod("a", { resourceVersion: "x" })]),
      true,
    ],
    ["a removal, gone", removed(), cacheOf([]), true],
    ["a removal, still there", removed(), cacheOf([pod("a")]), false],
    ["a removal, terminating", removed(), cacheOf([pod("a", { deletionTimestamp: "2030-01-01T00:00:00Z" })]), true],
    ["a removal, made anew", removed(), cacheOf([pod("a", { uid: "new" })]), true],
    [
      "a removal of what the cache never had: not by its absence",
      removed({ wasCached: false, version: "6" }),
      cacheOf([]),
      false,
    ],
    ["but by having passed it", removed({ wasCached: false, version: "6" }), cacheOf([], "6"), true],
    ["what was lost, never", { kind: "lost", resource: pods, key: "shop/a" }, cacheOf([pod("a")], "9"), false],
  ] as [string, Expected, ScopedCache, boolean][]) {
    test(name, () => expect(isSighted(expected, cache)).toBe(isSeen));
  }
});

function readerOf(
  objects: readonly KubernetesObject[],
): Pick<LiveReader, "get" | "list"> & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async get(_resource, key) {
      asked.push(`get ${key}`);
      return objects.find((object) => keyOf(object) === key);
    },
    async list(_resource, { namespace, labelSelector, fieldSelector }) {
      asked.push(`list ${namespace} ${labelSelector ?? ""} ${fieldSelector ?? ""}`.trimEnd());
      const name = /metadata.name=([^,]*)/.exec(fieldSelector ?? "")?.[1];
      const [label = "", value] = labelSelector?.split("=") ?? [];
      const items = objects.filter(
        ({ metadata }) =>
          (name === undefined || metadata.name === name) &&
          (labelSelector === undefined || metadata.labels?.[label] === value),
      );
      return { items, resourceVersion: "99" };
    },
  };
}

describe("settled by a live read", () => {
  const lost: Expected = { kind: "lost", resource: pods, key: "shop/a" };
  const lostGenerated: Expected = {
    kind: "lost",
    resource: pods,
    key: undefined,
    namespace: "shop",
    ownerUid: "owner",
    generateName: "web-",
  };
  const child = pod("web-1", { ownerReferences: [owner], resourceVersion: "8", generateName: "web-" });
  for (const [name, expected, live, cache, settled] of [
    ["lost, and there: it must be seen", lost, [pod("a", { resourceVersion: "8" })], cacheOf([]), [written("8")]],
    ["lost, and not there: nothing to wait for", lost, [], cacheOf([]), []],
    ["lost, not there, but in the cache: it must go", lost, [], cacheOf([pod("a")]), [removed()]],
    [
      "late, and there: goes on waiting",
      written("6"),
      [pod("a", { resourceVersion: "8" })],
      cacheOf([]),
      [written("6")],
    ],
    ["late, and gone: nothing to wait for", written("6"), [], cacheOf([]), []],
    ["late, gone, but in the cache: it must go", written("6"), [], cacheOf([pod("a")]), [removed()]],
    ["a late removal, gone: goes on waiting", removed(), [], cacheOf([pod("a")]), [removed()]],
    [
      "a removal that did not happen: it must be seen as it is",
      removed(),
      [pod("a", { resourceVersion: "8" })],
      cacheOf([pod("a")]),
      [written("8")],
    ],
    [
      "a removal under way: goes on waiting",
      removed(),
      [pod("a", { deletionTimestamp: "2030-01-01T00:00:00Z" })],
      cacheOf([pod("a")]),
      [removed()],
    ],
    [
      "a name of the server's: all its owner has, and nobody else's",
      lostGenerated,
      [child, pod("other"), pod("web-2", { ownerReferences: [{ ...owner, uid: "another" }], generateName: "web-" })],
      cacheOf([]),
      [{ kind: "written", resource: pods, key: "shop/web-1", version: "8" }],
    ],
    [
      "a name of the server's: its owner's, however their names were chosen",
      lostGenerated,
      [child, pod("adopted", { ownerReferences: [owner], resourceVersion: "9" })],
      cacheOf([]),
      [
        { kind: "written", resource: pods, key: "shop/web-1", version: "8" },
        { kind: "written", resource: pods, key: "shop/adopted", version: "9" },
      ],
    ],
    [
      "a name of the server's without an owner: what begins so",
      { ...lostGenerated, ownerUid: undefined },
      [child, pod("other")],
      cacheOf([]),
      [{ kind: "written", resource: pods, key: "shop/web-1", version: "8" }],
    ],
    [
      "outside of the watched labels: nothing to wait for",
      written("6"),
      [pod("a")],
      cacheOf([], "5", { labelSelector: "app=web" }),
      [],
    ],
    [
      "inside of them: goes on waiting",
      written("6"),
      [pod("a", { labels: { app: "web" } })],
      cacheOf([], "5", { labelSelector: "app=web" }),
      [written("6")],
    ],
    [
      "outside of the watched namespace: nothing to wait for",
      written("6"),
      [pod("a")],
      cacheOf([], "5", { namespace: "other" }),
      [],
    ],
  ] as [string, Expected, KubernetesObject[], ScopedCache, Expected[]][]) {
    test(name, async () => expect(await settleWrite(expected, cache, readerOf(live), never)).toEqual(settled));
  }
});

describe("a gate", () => {
  function newGate(live: readonly KubernetesObject[] = []) {
    const clock = new FakeClock();
    let objects: readonly KubernetesObject[] = [];
    let version = "5";
    let isFollowing = true;
    const cache: ScopedCache = {
      scope: {},
      isFollowing: () => isFollowing,
      getByKey: (key) => objects.find((object) => keyOf(object) === key),
      list: () => objects,
      get resourceVersion() {
        return version;
      },
    };
    const reader = readerOf(live);
    const gate = new ReadYourWrites({ cachesOf: ({ plural }) => (plural === "pods" ? [cache] : []), reader, clock });
    const show = (shown: readonly KubernetesObject[], at: string) => {
      objects = shown;
      version = at;
    };
    const stop = () => {
      isFollowing = false;
    };
    return { clock, gate, reader, show, stop };
  }
  const created = () => [create(pods, pod("a")), done(pod("a", { resourceVersion: "9" }))] as const;

  test("a key that wrote nothing is ready", async () => {
    expect(await newGate().gate.check("k", never)).toEqual({ isReady: true });
  });

  test("a key waits until the cache shows its write; others do not", async () => {
    const { gate, show } = newGate();
    gate.note("k", ...created());
    expect(gate.waitingFor(pods, "shop/a")).toEqual([]);
    expect((await gate.check("k", never)).isReady).toBe(false);
    expect((await gate.check("other", never)).isReady).toBe(true);
    expect(gate.waitingFor(pods, "shop/a")).toEqual(["k"]);
    show([pod("a", { resourceVersion: "9" })], "9");
    expect((await gate.check("k", never)).isReady).toBe(true);
    expect(gate.waitingFor(pods, "shop/a")).toEqual([]);
    expect(gate.size).toBe(0);
  });

  test("made and removed in one go, it must have come and gone", async () => {
    const { gate, show } = newGate();
    gate.note("k", ...created());
    gate.note("k", remove(pods, "shop/a"), done({ kind: "Status", details: { uid: "uid-a" } }));
    expect((await gate.check("k", never)).isReady).toBe(false);
    show([pod("a", { resourceVersion: "9" })], "9");
    expect((await gate.check("k", never)).isReady).toBe(false);
    show([], "10");
    expect((await gate.check("k", never)).isReady).toBe(true);
  });

  for (const [fact, scope, metadata, cached, isReady] of [
    ["what is in another namespace is not waited for", { namespace: "other" }, {}, [], true],
    ["what is in the watched one is", { namespace: "shop" }, {}, [], false],
    ["what a selector leaves out is not waited for", { labelSelector: "app=web" }, {}, [], true],
    ["what it selects is", { labelSelector: "app=web" }, { labels: { app: "web" } }, [], false],
    ["what leaves the selection is", { labelSelector: "app=web" }, {}, [pod("a")], false],
    ["what has another name is not waited for", { fieldSelector: "metadata.name=b" }, {}, [], true],
    ["what has the name is", { fieldSelector: "metadata.name=a" }, {}, [], false],
    ["what other fields select may come", { fieldSelector: "spec.nodeName=n" }, {}, [], false],
  ] as const) {
    test(fact, async () => {
      const cache = cacheOf(cached, "5", scope);
      const reader = { get: async () => undefined, list: async () => ({ items: [], resourceVersion: "9" }) };
      const gate = new ReadYourWrites({ cachesOf: () => [cache], reader, clock: new FakeClock() });
      gate.note(
        "k",
        patch(pods, "shop/a", { type: "merge", body: {} }),
        done(pod("a", { resourceVersion: "9", ...metadata })),
      );
      expect((await gate.check("k", never)).isReady).toBe(isReady);
    });
  }

  test("a write that was only tried out is not waited for", async () => {
    const { gate } = newGate();
    gate.note("k", create(pods, pod("a"), { options: { dryRun: true } }), done(pod("a", { resourceVersion: "9" })));
    gate.note("k", remove(pods, "shop/a", { dryRun: true }), done(pod("a", { resourceVersion: "9" })));
    expect((await gate.check("k", never)).isReady).toBe(true);
  });

  test("what is not cached is not waited for", async () => {
    const { gate } = newGate();
    gate.note("k", create({ ...pods, plural: "others" }, pod("a")), done(pod("a", { resourceVersion: "9" })));
    expect((await gate.check("k", never)).isReady).toBe(true);
  });

  test("the server is not asked before the time is up, and then more and more seldom", async () => {
    const { gate, reader, clock } = newGate([pod("a", { resourceVersion: "9" })]);
    gate.note("k", ...created());
    const askedAt: number[] = [];
    for (let seconds = 0; seconds < 120; seconds++) {
      const before = reader.asked.length;
      await gate.check("k", never);
      if (reader.asked.length > before) askedAt.push(seconds);
      await clock.advance(1000);
    }
    expect(askedAt).toEqual([10, 30, 70]);
  });

  test("a lost answer is settled at once", async () => {
    const { gate, reader } = newGate();
    gate.note("k", create(pods, pod("a")), failed(lostAnswer));
    expect((await gate.check("k", never)).isReady).toBe(true);
    expect(reader.asked).toEqual(["get shop/a"]);
  });

  test("a server that cannot be asked leaves the key closed", async () => {
    const { gate } = newGate();
    const broken = { get: () => Promise.reject(new Error("down")), list: () => Promise.reject(new Error("down")) };
    const closed = new ReadYourWrites({ cachesOf: () => [cacheOf([])], reader: broken, clock: new FakeClock() });
    closed.note("k", create(pods, pod("a")), failed(lostAnswer));
    await expect(closed.check("k", never)).rejects.toThrow("down");
    await expect(closed.check("k", never)).rejects.toThrow("down");
    expect(gate.size).toBe(0);
  });

  test("a cache that no longer follows is not waited for", async () => {
    const { gate, stop } = newGate();
    gate.note("k", ...created());
    stop();
    expect((await gate.check("k", never)).isReady).toBe(true);
  });

  test("knows the echo of its own writes", () => {
    const { gate } = newGate();
    gate.note("k", ...created());
    const change = (resourceVersion: string) =>
      ({ type: "add", resource: pods, object: pod("a", { resourceVersion }), isInitial: false }) as const;
    expect(gate.isEcho("k", change("9"))).toBe(true);
    expect(gate.isEcho("k", change("10"))).toBe(false);
    expect(gate.isEcho("other", change("9"))).toBe(false);
  });
});
