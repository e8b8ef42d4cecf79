import { describe, expect, test } from "vitest";
import { objectKeyOf } from "../../api/index.ts";
import { FakeClock, type Log, noLog } from "../../base/index.ts";
import { DeletedFinalStateUnknown } from "../tombstone.ts";
import { IndexedStore } from "./indexed-store.ts";
import { MutationCache, type MutationCacheOptions } from "./mutation-cache.ts";
import { broken, namesOf, type Pod, pod, usedBy, usersOf } from "./objects.fixture.ts";

const version = (resourceVersion: string, uid = "uid-1") => pod("pod", { uid, resourceVersion });

function overlay(options: Partial<MutationCacheOptions> = {}) {
  const clock = new FakeClock();
  const store = new IndexedStore<Pod>({ indexers: { byUser: usersOf } });
  const cache = new MutationCache<Pod>(store, { clock, ...options });
  const seenVersion = () => cache.getByKey("pod")?.metadata.resourceVersion;
  return { clock, store, cache, seenVersion };
}

describe("of a write and what the cache has", () => {
  test.each([
    ["the write is read while the cache is older", "1", "2", "2"],
    ["the write is read although its version is longer", "9", "10", "10"],
    ["the cache is read when it has caught up", "2", "2", "2"],
    ["the cache is read when it is newer", "3", "2", "3"],
    ["the cache is read when the write has no version", "3", "", "3"],
    ["the cache is read when its own version cannot be compared", "abc", "2", "abc"],
  ])("%s", (_, stored, written, expected) => {
    const { store, cache, seenVersion } = overlay();
    store.add(version(stored));
    cache.mutation(version(written));
    expect(seenVersion()).toBe(expected);
  });

  test("the write is forgotten once the cache has caught up", () => {
    const { store, cache } = overlay();
    store.add(version("2"));
    cache.mutation(version("2"));
    const before = cache.size;
    cache.getByKey("pod");
    expect([before, cache.size]).toEqual([1, 0]);
  });

  test("the newer of two writes is read, in whatever order they were answered", () => {
    const { store, cache, seenVersion } = overlay();
    store.add(version("1"));
    cache.mutation(version("3"));
    cache.mutation(version("2"));
    expect(seenVersion()).toBe("3");
  });

  test("a write whose version cannot be compared is not remembered, and the log is told", () => {
    const warnings: string[] = [];
    const log: Log = { ...noLog, warn: (message) => warnings.push(message) };
    const { cache } = overlay({ log });
    cache.mutation(version("abc"));
    expect([cache.size, warnings]).toEqual([0, ["write is not kept because its resource version cannot be compared"]]);
  });
});

describe("when the informer tells of an object", () => {
  test.each([
    ["as new as the write, the write is forgotten", "2", "1"],
    ["newer than the write, the write is forgotten", "3", "1"],
    ["older than the write, the write stays", "1", "2"],
  ])("%s", (_, told, expected) => {
    const { store, cache, seenVersion } = overlay();
    cache.mutation(version("2"));
    cache.onAddOrUpdate(version(told));
    store.add(version("1"));
    expect(seenVersion()).toBe(expected);
  });
});

describe("when the informer tells of a deletion", () => {
  test.each([
    ["of the object that was written, seen at an older version, it is gone", "1", "uid-1", undefined],
    ["at a newer version, whatever was written is gone", "3", "uid-2", undefined],
    ["of another object of that name at an older version, the write stays", "1", "uid-other", "3"],
  ])("%s", (_, deletedVersion, uid, expected) => {
    const { store, cache, seenVersion } = overlay({ includeAdds: true });
    store.add(version("2"));
    cache.mutation(version("3"));
    const deleted = version(deletedVersion, uid);
    store.delete(deleted);
    cache.onDelete(deleted);
    expect(seenVersion()).toBe(expected);
  });

  test("a late answer to a write of that object does not revive it", () => {
    const { store, cache, seenVersion } = overlay({ includeAdds: true });
    store.add(version("1"));
    const updated = version("2");
    store.update(updated);
    store.delete(updated);
    cache.onAddOrUpdate(updated);
    cache.onDelete(updated);
    cache.mutation(updated);
    expect([seenVersion(), cache.size]).toEqual([undefined, 1]);
    cache.mutation(version("3"));
    expect(seenVersion()).toBeUndefined();
  });

  test("a late answer to a write does not hide the object that took its name", () => {
    const { store, cache } = overlay({ includeAdds: true });
    store.add(version("1"));
    const updated = version("2");
    const successor = version("3", "uid-2");
    store.update(updated);
    store.delete(updated);
    store.add(successor);
    cache.onAddOrUpdate(updated);
    cache.onDelete(updated);
    cache.onAddOrUpdate(successor);
    cache.mutation(updated);
    expect([cache.getByKey("pod"), cache.size]).toEqual([successor, 0]);
  });

  test("a write of the object that takes its name is read", () => {
    const { cache, seenVersion } = overlay({ includeAdds: true });
    cache.onDelete(version("2"));
    cache.mutation(version("3", "uid-2"));
    expect(seenVersion()).toBe("3");
  });

  test("a write seen only in the overlay vanishes from the indexes, too", () => {
    const { cache } = overlay({ includeAdds: true });
    cache.mutation(usedBy("pod", "bert", { uid: "uid-1", resourceVersion: "2" }));
    const before = namesOf(cache.byIndex("byUser", "bert"));
    cache.onDelete(version("1"));
    expect([before, cache.byIndex("byUser", "bert")]).toEqual([["pod"], []]);
  });

  test("by a tombstone with an object, that object is gone", () => {
    const { cache, seenVersion } = overlay({ includeAdds: true });
    cache.mutation(version("3"));
    cache.onDelete(new DeletedFinalStateUnknown(objectKeyOf("", "pod"), version("1")));
    expect(seenVersion()).toBeUndefined();
  });

  test("by a tombstone without one, nobody can tell what is gone", () => {
    const { cache, seenVersion } = overlay({ includeAdds: true });
    cache.mutation(version("3"));
    cache.onDelete(new DeletedFinalStateUnknown<Pod>(objectKeyOf("", "pod"), undefined));
    expect(seenVersion()).toBe("3");
  });

  test("before the cache has lost it, it is gone already", () => {
    const { store, cache, seenVersion } = overlay();
    store.add(version("1"));
    cache.onDelete(version("2"));
    expect(seenVersion()).toBeUndefined();
  });
});

describe("an object that only the overlay has", () => {
  test.each([
    ["is not there", false, [undefined, []]],
    ["is there when adds are included", true, ["2", ["pod"]]],
  ])("%s", (_, includeAdds, expected) => {
    const { cache, seenVersion } = overlay({ includeAdds });
    cache.mutation(usedBy("pod", "bert", { resourceVersion: "2" }));
    expect([seenVersion(), namesOf(cache.byIndex("byUser", "bert"))]).toEqual(expected);
  });
});

describe("an index seen through the overlay", () => {
  test("has the newest states", () => {
    const { store, cache } = overlay();
    store.add(usedBy("a", "bert", { resourceVersion: "1" }));
    store.add(usedBy("b", "bert", { resourceVersion: "2" }));
    const newer = usedBy("a", "bert", { resourceVersion: "3" });
    cache.mutation(newer);
    expect([namesOf(cache.byIndex("byUser", "bert")), cache.byIndex("byUser", "bert").includes(newer)]).toEqual([
      ["a", "b"],
      true,
    ]);
  });

  test("has what a write put in and lacks what it took out", () => {
    const { store, cache } = overlay();
    store.add(usedBy("a", "bert", { resourceVersion: "1" }));
    cache.mutation(usedBy("a", "elmo", { resourceVersion: "3" }));
    expect(["bert", "elmo"].map((user) => namesOf(cache.byIndex("byUser", user)))).toEqual([[], ["a"]]);
  });

  test("is the store's own answer while nothing is remembered", () => {
    const { store, cache } = overlay();
    store.add(usedBy("a", "bert"));
    expect(cache.byIndex("byUser", "bert")).toBe(store.byIndex("byUser", "bert"));
  });

  test("lacks a write it cannot place, and the log is told", () => {
    const warnings: unknown[] = [];
    const log: Log = { ...noLog, warn: (message, fields) => warnings.push([message, fields?.["index"]]) };
    const { cache } = overlay({ includeAdds: true, log });
    cache.mutation(broken("a", { resourceVersion: "3" }));
    expect([cache.byIndex("byUser", "bert"), warnings]).toEqual([
      [],
      [["index function failed for a written object", "byUser"]],
    ]);
  });

  test("nobody added is an error", () => {
    expect(() => overlay().cache.byIndex("nope", "x")).toThrow("index nope does not exist");
  });
});

describe("a write is forgotten", () => {
  test("after five minutes", async () => {
    const { clock, store, cache, seenVersion } = overlay();
    store.add(version("1"));
    cache.mutation(version("2"));
    await clock.advance(5 * 60_000);
    const before = seenVersion();
    await clock.advance(1);
    expect([before, seenVersion(), cache.size]).toEqual(["2", "1", 0]);
  });

  test("when a hundred others came, and nobody asked for it meanwhile", () => {
    const { cache } = overlay({ includeAdds: true });
    const names = Array.from({ length: 101 }, (_, at) => `pod-${at}`);
    for (const name of names) {
      cache.mutation(pod(name, { resourceVersion: "2" }));
      cache.getByKey("pod-0");
    }
    expect([cache.size, names.filter((name) => cache.getByKey(name) === undefined)]).toEqual([100, ["pod-1"]]);
  });

  test("as told otherwise", async () => {
    const { clock, cache, seenVersion } = overlay({ includeAdds: true, ttlMs: 10, capacity: 1 });
    cache.mutation(version("2"));
    cache.mutation(pod("other", { resourceVersion: "2" }));
    const displaced = seenVersion();
    await clock.advance(11);
    expect([displaced, cache.getByKey("other")]).toEqual([undefined, undefined]);
  });
});
