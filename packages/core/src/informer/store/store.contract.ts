// What every store does, whatever else it is. Run against each of them.
import { describe, expect, test } from "vitest";
import { type Pod, pod } from "./objects.fixture.ts";
import type { Store } from "./store.ts";

export function storeSuite(name: string, newStore: () => Store<Pod>): void {
  const valuesOf = (store: Store<Pod>) =>
    store
      .list()
      .map(({ metadata }) => metadata.labels?.["value"])
      .sort();
  const valued = (key: string, value: string) => pod(key, { labels: { value } });

  describe(`${name} is a store`, () => {
    test("finds what was added, by an object with its key and by the key", () => {
      const store = newStore();
      const foo = valued("foo", "bar");
      store.add(foo);
      expect([store.get(pod("foo")), store.getByKey("foo"), store.size]).toEqual([foo, foo, 1]);
    });

    test("has only the last of what was written under a key", () => {
      const store = newStore();
      store.add(valued("foo", "bar"));
      store.update(valued("foo", "baz"));
      expect([valuesOf(store), store.size]).toEqual([["baz"], 1]);
    });

    test("does not find what was deleted, nor minds deleting what it never had", () => {
      const store = newStore();
      store.add(valued("foo", "bar"));
      store.delete(pod("foo"));
      store.delete(pod("nobody"));
      expect([store.get(pod("foo")), store.list(), store.listKeys(), store.size]).toEqual([undefined, [], [], 0]);
    });

    test("lists objects and keys", () => {
      const store = newStore();
      for (const [key, value] of ["ab", "cd", "ee"]) store.add(valued(key as string, value as string));
      expect([valuesOf(store), store.listKeys().sort()]).toEqual([
        ["b", "d", "e"],
        ["a", "c", "e"],
      ]);
    });

    test("hands out lists that are the caller's own", () => {
      const store = newStore();
      store.add(valued("foo", "bar"));
      store.list().length = 0;
      store.listKeys().length = 0;
      expect([store.list().length, store.listKeys().length]).toEqual([1, 1]);
    });

    test("holds exactly what it was replaced with", () => {
      const store = newStore();
      store.add(valued("gone", "gone"));
      store.add(valued("foo", "old"));
      store.replace([valued("foo", "foo"), valued("bar", "bar")], "0");
      expect([valuesOf(store), store.listKeys().sort()]).toEqual([
        ["bar", "foo"],
        ["bar", "foo"],
      ]);
    });

    test("refuses an object without a name, and says which", () => {
      const store = newStore();
      const nameless = { apiVersion: "v1", kind: "Pod", metadata: {} } as unknown as Pod;
      for (const write of [() => store.add(nameless), () => store.update(nameless), () => store.delete(nameless)]) {
        expect(write).toThrow(expect.objectContaining({ name: "KeyError", object: nameless }));
      }
      expect(store.size).toBe(0);
    });

    test("knows the version its content has reached", () => {
      const store = newStore();
      const versions = [store.resourceVersion];
      const note = (write: () => void) => {
        write();
        versions.push(store.resourceVersion);
      };
      note(() => store.add(pod("a", { resourceVersion: "10" })));
      note(() => store.update(pod("a", { resourceVersion: "20" })));
      note(() => store.delete(pod("a", { resourceVersion: "30" })));
      note(() => store.bookmark("40"));
      note(() => store.replace([pod("a", { resourceVersion: "7" })], "50"));
      note(() => store.resync());
      expect(versions).toEqual(["", "10", "20", "30", "40", "50", "50"]);
    });
  });
}
