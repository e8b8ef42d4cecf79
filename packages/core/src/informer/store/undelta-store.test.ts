import { describe, expect, test } from "vitest";
import { metaNamespaceKeyFunc as keyOf } from "./key-functions.ts";
import { type Pod, pod } from "./objects.fixture.ts";
import { storeSuite } from "./store.contract.ts";
import { newUndeltaStore, UndeltaStore } from "./undelta-store.ts";

storeSuite("an UndeltaStore", () => newUndeltaStore<Pod>(() => {}, keyOf));

describe("an UndeltaStore", () => {
  const state = (value: string) => pod("a", { labels: { value } });
  const recording = () => {
    const pushed: (readonly Pod[])[] = [];
    return { pushed, store: newUndeltaStore<Pod>((objects) => pushed.push(objects), keyOf) };
  };

  test("pushes all it has on every add and update", () => {
    const { pushed, store } = recording();
    store.add(state("2"));
    store.update(state("1"));
    expect(pushed).toEqual([[state("2")], [state("1")]]);
  });

  test("pushes what is left on a delete", () => {
    const { pushed, store } = recording();
    store.add(state("2"));
    store.delete(state(""));
    expect(pushed).toEqual([[state("2")], []]);
  });

  test("pushes nothing for being read, resynced or bookmarked", () => {
    const { pushed, store } = recording();
    store.list();
    store.get(state(""));
    store.getByKey("a");
    store.listKeys();
    store.resync();
    store.bookmark("5");
    expect(pushed).toEqual([]);
  });

  test("pushes a new list once", () => {
    const { pushed, store } = recording();
    store.replace([state("1")], "0");
    expect(pushed).toEqual([[state("1")]]);
  });

  test("pushes nothing for a write that failed", () => {
    const { pushed, store } = recording();
    expect(() => store.add(pod(""))).toThrow("it has no name");
    expect(pushed).toEqual([]);
  });

  test("pushes what came of a list some of which failed, and tells of it", () => {
    const { pushed, store } = recording();
    expect(() => store.replace([state("1"), pod("")], "0")).toThrow("1 of 2 writes failed");
    expect(pushed).toEqual([[state("1")]]);
  });

  test("hands resyncs on to the store beneath it", () => {
    let resyncs = 0;
    const beneath = Object.assign(
      newUndeltaStore<Pod>(() => {}, keyOf),
      { resync: () => resyncs++ },
    );
    new UndeltaStore<Pod>(() => {}, beneath).resync();
    expect(resyncs).toBe(1);
  });
});
