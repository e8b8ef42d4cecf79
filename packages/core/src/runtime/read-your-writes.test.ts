import { describe, expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import { type KubernetesObject, newNotFound } from "../api/index.ts";
import { FakeClock } from "../base/index.ts";
import { type Change, create, patch, remove } from "../contract/index.ts";
import {
  cacheOf,
  deletionTimestamp,
  done,
  failed,
  generated,
  lostAnswer,
  never,
  owner,
  pod,
  readerOf,
  TestCache,
} from "./own-writes.fixture.ts";
import { ReadYourWrites } from "./read-your-writes.ts";

describe("a gate", () => {
  function newGate(live: readonly KubernetesObject[] = []) {
    const clock = new FakeClock();
    const cache = new TestCache();
    const reader = readerOf(live);
    const skipped: string[] = [];
    const gate = new ReadYourWrites({
      cachesOf: ({ plural }) => (plural === "pods" ? [cache] : []),
      reader,
      clock,
      onSkip: ({ plural }) => skipped.push(plural),
    });
    /** As a driver does when a watch event has come. */
    const show = (object: KubernetesObject) => {
      cache.set(object);
      return gate.noteChange(pods, `shop/${object.metadata.name}`);
    };
    const hide = (name: string, version: string) => {
      cache.delete(`shop/${name}`, version);
      return gate.noteChange(pods, `shop/${name}`);
    };
    return { clock, gate, reader, cache, skipped, show, hide };
  }
  const created = () => [create(pods, pod("a")), done(pod("a", { resourceVersion: "9" }))] as const;

  test("a key that wrote nothing is ready", async () => {
    expect(await newGate().gate.check("k", never)).toEqual({ isReady: true });
  });

  test("a key waits until the cache shows its write; others do not", async () => {
    const { gate, cache } = newGate();
    gate.note("k", ...created());
    expect((await gate.check("k", never)).isReady).toBe(false);
    expect((await gate.check("other", never)).isReady).toBe(true);
    cache.set(pod("a", { resourceVersion: "9" }));
    expect((await gate.check("k", never)).isReady).toBe(true);
    expect([gate.size, gate.links]).toEqual([0, 0]);
  });

  test("says for which cache it puts a key off", async () => {
    const { gate, cache, skipped } = newGate();
    gate.note("k", ...created());
    await gate.check("k", never);
    cache.set(pod("a", { resourceVersion: "9" }));
    await gate.check("k", never);
    expect(skipped).toEqual(["pods"]);
  });

  test("a change tells who was put off and has nothing left to wait for", async () => {
    const { gate, show } = newGate();
    for (const name of ["a", "b"]) {
      gate.note("k", create(pods, pod(name)), done(pod(name, { resourceVersion: name === "a" ? "9" : "10" })));
    }
    await gate.check("k", never);
    expect(show(pod("a", { resourceVersion: "9" }))).toEqual([]);
    expect(show(pod("b", { resourceVersion: "10" }))).toEqual(["k"]);
  });

  test("who was not put off only wrote, and is forgotten", () => {
    const { gate, show } = newGate();
    gate.note("k", ...created());
    expect([gate.size, gate.links]).toEqual([1, 1]);
    expect(show(pod("a", { resourceVersion: "9" }))).toEqual([]);
    expect([gate.size, gate.links]).toEqual([0, 0]);
  });

  test("what a watch shows before the answer comes is never waited for", () => {
    const { gate, cache } = newGate();
    cache.set(pod("a", { resourceVersion: "9" }));
    gate.note("k", ...created());
    expect([gate.size, gate.links]).toEqual([0, 0]);
  });

  test("what the cache passes without showing it is forgotten with the next change", () => {
    const { gate, show } = newGate();
    gate.note("k", ...created());
    show(pod("b", { resourceVersion: "8" }));
    expect(gate.size).toBe(1);
    show(pod("c", { resourceVersion: "10" }));
    expect([gate.size, gate.links]).toEqual([0, 0]);
  });

  test("whatever other caches are still waited for", () => {
    const caches = new Map(["pods", "b", "c", "d"].map((plural) => [plural, new TestCache()]));
    const cachesOf = ({ plural }: { readonly plural: string }) => [caches.get(plural) ?? new TestCache()];
    const gate = new ReadYourWrites({ cachesOf, reader: readerOf([]), clock: new FakeClock() });
    for (const plural of ["b", "c", "d", "pods"]) {
      gate.note(plural, create({ ...pods, plural }, pod("a")), done(pod("a", { resourceVersion: "9" })));
    }
    caches.get("pods")?.set(pod("c", { resourceVersion: "10" }));
    gate.noteChange(pods, "shop/c");
    expect([gate.size, gate.links]).toEqual([3, 3]);
  });

  test("answers may come in another order than the writes", () => {
    const { gate, show } = newGate();
    gate.note("later", create(pods, pod("b")), done(pod("b", { resourceVersion: "10" })));
    gate.note("k", ...created());
    show(pod("a", { resourceVersion: "9" }));
    expect(gate.size).toBe(1);
    show(pod("b", { resourceVersion: "10" }));
    expect(gate.size).toBe(0);
  });

  test("a write into a cache that is no longer followed is forgotten as other caches change", () => {
    const stopped = new TestCache();
    const other = new TestCache();
    const cachesOf = ({ plural }: { readonly plural: string }) => (plural === "pods" ? [stopped] : [other]);
    const gate = new ReadYourWrites({ cachesOf, reader: readerOf([]), clock: new FakeClock() });
    gate.note("k", ...created());
    gate.note("k", create(pods, pod("b")), failed(lostAnswer));
    gate.note("k", remove(pods, "shop/c"), done(pod("c", { resourceVersion: "9" })));
    stopped.isStopped = true;
    gate.noteChange({ ...pods, plural: "others" }, "shop/x");
    expect([gate.size, gate.links]).toEqual([0, 0]);
  });

  for (const order of ["in the order they were created", "in the opposite order"]) {
    for (const told of ["told of each", "told of none"]) {
      test(`five thousand objects that appear ${order} cost few reads each, ${told}`, async () => {
        const { gate, cache } = newGate();
        const objects = Array.from({ length: 5000 }, (_, i) => pod(`p${i}`, { resourceVersion: String(1000 + i) }));
        for (const object of objects) gate.note("k", create(pods, object), done(object));
        cache.reads = 0;
        for (const object of order.endsWith("created") ? objects : objects.toReversed()) {
          cache.set(object);
          // As if the cache's own version told nothing: each object has to be looked at.
          cache.resourceVersion = "5";
          if (told === "told of each") gate.noteChange(pods, `shop/${object.metadata.name}`);
          await gate.check("k", never);
        }
        expect([gate.size, gate.links]).toEqual([0, 0]);
        expect(cache.reads).toBeLessThan(8 * objects.length);
      });
    }
  }

  test("five hundred keys that wrote to one object cost few reads each", () => {
    const { gate, cache, show } = newGate();
    const n = 500;
    for (let i = 0; i < n; i++) {
      gate.note(
        `k${i}`,
        patch(pods, "shop/a", { type: "merge", body: {} }),
        done(pod("a", { resourceVersion: String(1000 + i) })),
      );
    }
    cache.reads = 0;
    for (let i = 0; i < n; i++) show(pod("a", { resourceVersion: String(1000 + i) }));
    expect(gate.size).toBe(0);
    expect(cache.reads).toBeLessThan(8 * n);
  });

  test("made and removed in one go, it must have come and gone", async () => {
    const { gate, show, hide } = newGate();
    gate.note("k", ...created());
    gate.note("k", remove(pods, "shop/a"), done({ kind: "Status", details: { uid: "uid-a" } }));
    expect((await gate.check("k", never)).isReady).toBe(false);
    show(pod("a", { resourceVersion: "9" }));
    expect((await gate.check("k", never)).isReady).toBe(false);
    hide("a", "10");
    expect((await gate.check("k", never)).isReady).toBe(true);
  });

  test("what is gone on the server is waited for until it is gone from the cache, terminating or not", async () => {
    const { gate, cache, hide } = newGate();
    cache.set(pod("a", { deletionTimestamp, finalizers: ["x/y"] }));
    const gone = newNotFound({ group: "", resource: "pods" }, "a");
    gate.note("k", patch(pods, "shop/a", { type: "merge", body: {} }), failed(gone));
    expect((await gate.check("k", never)).isReady).toBe(false);
    expect(hide("a", "10")).toEqual(["k"]);
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
    expect(gate.size).toBe(0);
  });

  test("what a list finds of lost creates must be seen", async () => {
    const child = pod("web-1", { ownerReferences: [owner], resourceVersion: "9" });
    const { gate, reader, show } = newGate([child]);
    for (let i = 0; i < 64; i++) gate.note("k", generated(), failed(lostAnswer));
    expect((await gate.check("k", never)).isReady).toBe(false);
    expect(reader.asked).toEqual(["list shop"]);
    expect([gate.size, gate.links]).toEqual([1, 1]);
    expect(show(child)).toEqual(["k"]);
    expect((await gate.check("k", never)).isReady).toBe(true);
    expect(reader.asked).toEqual(["list shop"]);
  });

  test("one key's read settles what others lost before; they need none", async () => {
    const { gate, reader } = newGate();
    for (const key of ["a", "b", "c"]) gate.note(key, generated(), failed(lostAnswer));
    await gate.check("a", never);
    expect(gate.size).toBe(0);
    await gate.check("b", never);
    gate.note("c", generated(), failed(lostAnswer));
    await gate.check("c", never);
    expect(reader.asked).toEqual(["list shop", "list shop"]);
  });

  test("two hundred writes that are late take one list each time", async () => {
    const objects = Array.from({ length: 200 }, (_, i) => pod(`p${i}`, { resourceVersion: String(1000 + i) }));
    const { gate, reader, clock } = newGate(objects);
    for (const object of objects) gate.note("k", create(pods, object), done(object));
    for (let seconds = 0; seconds < 60; seconds++) {
      expect((await gate.check("k", never)).isReady).toBe(false);
      await clock.advance(1000);
    }
    expect(reader.asked).toEqual(["list shop", "list shop"]);
  });

  test("a server that cannot be asked leaves the key closed, and is not asked again at once", async () => {
    const clock = new FakeClock();
    let asked = 0;
    const down = () => {
      asked++;
      return Promise.reject(new Error("down"));
    };
    const gate = new ReadYourWrites({ cachesOf: () => [cacheOf([])], reader: { get: down, list: down }, clock });
    gate.note("k", create(pods, pod("a")), failed(lostAnswer));
    await expect(gate.check("k", never)).rejects.toThrow("down");
    expect(await gate.check("k", never)).toEqual({ isReady: false, waitMs: 200 });
    expect(asked).toBe(1);
    await clock.advance(200);
    await expect(gate.check("k", never)).rejects.toThrow("down");
    expect([asked, gate.size]).toEqual([2, 1]);
  });

  test("a cache that no longer follows is not waited for", async () => {
    const { gate, cache } = newGate();
    gate.note("k", ...created());
    cache.isStopped = true;
    expect((await gate.check("k", never)).isReady).toBe(true);
  });

  const echo = (resourceVersion: string): Change => ({
    ...{ type: "add", resource: pods, object: pod("a", { resourceVersion }), isInitial: false },
  });

  test("knows the echo of its own writes, before and after it was seen", async () => {
    const { gate, show, clock } = newGate();
    gate.note("k", ...created());
    for (const isSeen of [false, true]) {
      if (isSeen) show(pod("a", { resourceVersion: "9" }));
      expect(gate.isEcho("k", echo("9"))).toBe(true);
      expect(gate.isEcho("k", echo("10"))).toBe(false);
      expect(gate.isEcho("other", echo("9"))).toBe(false);
    }
    expect(gate.echoes).toBe(1);
    await clock.advance(30_000);
    show(pod("b", { resourceVersion: "11" }));
    expect(gate.echoes).toBe(0);
  });

  test("knows it also where the watch was quicker than the answer", () => {
    const { gate, show } = newGate();
    show(pod("a", { resourceVersion: "9" }));
    gate.note("k", ...created());
    expect(gate.isEcho("k", echo("9"))).toBe(true);
  });

  test("the end of what it marked is news", () => {
    const { gate, cache, show, hide } = newGate();
    cache.set(pod("a"));
    const marked = pod("a", { resourceVersion: "9", deletionTimestamp, finalizers: ["x/y"] });
    gate.note("k", remove(pods, "shop/a"), done(marked));
    show(marked);
    expect(gate.isEcho("k", { type: "update", resource: pods, before: pod("a"), object: marked })).toBe(true);
    hide("a", "10");
    expect(gate.isEcho("k", { type: "delete", resource: pods, object: marked, cause: "change" })).toBe(false);
  });
});
