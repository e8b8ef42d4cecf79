// The view by itself; in a driver it is tested in testing/front/own-writes.test.ts.
import { describe, expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import type { KubernetesObject } from "../api/index.ts";
import { create, patch, remove, removeCollection } from "../contract/index.ts";
import { deletionTimestamp, done, failed, generated, lostAnswer, pod, TestCache } from "./own-writes.fixture.ts";
import { OwnWritesView, type WrittenCaches } from "./own-writes-view.ts";
import { StaleReadError } from "./stale-read-error.ts";

function newView() {
  const cache = new TestCache();
  const caches: WrittenCaches = {
    served: undefined,
    cachesOf: () => [cache],
    get: <T extends KubernetesObject>(_resource: unknown, key: string) => cache.getByKey(key) as T | undefined,
    list: <T extends KubernetesObject>() => cache.list() as unknown as readonly T[],
    byIndex: () => [],
  };
  return { cache, view: new OwnWritesView(caches) };
}

const gone = done({ kind: "Status", details: { uid: "uid-a" } });

describe("own writes laid over a cache", () => {
  test("what was made and removed before the cache has it does not come back with the watch", () => {
    const { cache, view } = newView();
    view.note(create(pods, pod("a")), done(pod("a", { resourceVersion: "9" })));
    view.note(remove(pods, "shop/a"), gone);
    expect(view.get(pods, "shop/a")).toBeUndefined();
    cache.set(pod("a", { resourceVersion: "9" }));
    expect([view.get(pods, "shop/a"), view.list(pods)]).toEqual([undefined, []]);
    cache.delete("shop/a", "10");
    expect(view.get(pods, "shop/a")).toBeUndefined();
  });

  test("what lost its last finalizer is gone", () => {
    const { cache, view } = newView();
    const marked = pod("a", { deletionTimestamp, finalizers: ["x/y"] });
    cache.set(marked);
    view.note(patch(pods, "shop/a", { type: "merge", body: {} }), done(pod("a", { deletionTimestamp })));
    expect([view.get(pods, "shop/a"), view.list(pods)]).toEqual([undefined, []]);
  });

  test("of two writes that nobody knows, neither hides the other", () => {
    const { cache, view } = newView();
    cache.set(pod("a"));
    view.note(generated(), failed(lostAnswer));
    view.note(removeCollection(pods, { namespace: "shop" }), done(undefined));
    cache.delete("shop/a", "10");
    expect(() => view.list(pods)).toThrow(StaleReadError);
  });

  test("a read costs the same, however much was written", () => {
    const { cache, view } = newView();
    for (let i = 0; i < 1000; i++) view.note(create(pods, pod(`p${i}`)), done(pod(`p${i}`, { resourceVersion: "9" })));
    cache.reads = 0;
    for (let i = 0; i < 1000; i++) expect(view.get(pods, `shop/p${i}`)).toBeDefined();
    expect(cache.reads).toBeLessThan(4000);
  });
});
