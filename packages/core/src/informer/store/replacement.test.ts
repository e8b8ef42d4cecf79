import { describe, expect, test } from "vitest";
import { type Deferred, deferred } from "../../base/index.ts";
import { IndexedStore } from "./indexed-store.ts";
import { broken, type Pod, pod, usedBy, usersOf } from "./objects.fixture.ts";
import type { Pause } from "./replacement.ts";
import type { TransactionError } from "./store-errors.ts";

const neverAborted = new AbortController().signal;
const newUserStore = (...pods: readonly Pod[]) => {
  const store = new IndexedStore<Pod>({ indexers: { byUser: usersOf }, freeze: true });
  for (const each of pods) store.add(each);
  return store;
};
const keysOf = (store: IndexedStore<Pod>, user: string) => store.indexKeys("byUser", user);
const manyPods = (count: number, users: string) => Array.from({ length: count }, (_, at) => usedBy(`pod-${at}`, users));

/** Pauses every time it is asked to, until told to go on. */
class Pauses {
  readonly waiting: Deferred<void>[] = [];
  readonly pause: Pause = () => {
    const next = deferred();
    this.waiting.push(next);
    return next.promise;
  };

  async goOn(): Promise<void> {
    this.waiting.shift()?.resolve();
    await new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(resolve)));
  }
}

describe("replacing a content", () => {
  test("makes all indexes anew", () => {
    const store = newUserStore(usedBy("one", "ernie,bert"), usedBy("two", "bert"));
    store.replace([usedBy("two", "elmo"), usedBy("tre", "elmo")], "5");
    expect([store.listIndexFuncValues("byUser"), keysOf(store, "elmo")]).toEqual([["elmo"], ["tre", "two"]]);
  });

  test("keeps the last of objects with the same key", () => {
    const store = newUserStore();
    store.replace([usedBy("one", "bert"), usedBy("one", "elmo")], "5");
    expect([store.size, store.listIndexFuncValues("byUser")]).toEqual([1, ["elmo"]]);
  });

  test("leaves the old content to whoever holds it, for telling the difference", () => {
    const store = newUserStore(usedBy("one", "bert"));
    const before = store.objectsByKey;
    store.add(usedBy("two", "bert"));
    store.replace([usedBy("tre", "bert")], "5");
    store.add(usedBy("fou", "bert"));
    expect([[...before.keys()], [...store.objectsByKey.keys()]]).toEqual([
      ["one", "two"],
      ["tre", "fou"],
    ]);
  });

  test("goes on past objects that fail, keeps what was there of them, and tells of them in one error", () => {
    const store = newUserStore(usedBy("known", "bert"), usedBy("gone", "bert"));
    let thrown: unknown;
    try {
      store.replace([broken("known"), usedBy("good", "elmo"), broken("unknown"), { metadata: {} } as Pod], "5");
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      name: "TransactionError",
      successfulIndices: [1],
      totalTransactions: 4,
      errors: [{ key: "known" }, { key: "unknown" }, { name: "KeyError" }],
    } satisfies Partial<Record<keyof TransactionError, unknown>>);
    expect([store.listKeys().sort(), keysOf(store, "bert"), keysOf(store, "elmo"), store.resourceVersion]).toEqual([
      ["good", "known"],
      ["known"],
      ["good"],
      "5",
    ]);
  });

  test("prefers an object of the list to an older one, if another of the same key fails", () => {
    const store = newUserStore(usedBy("one", "ernie"));
    expect(() => store.replace([usedBy("one", "bert"), broken("one")], "5")).toThrow("1 of 2 writes failed");
    expect([keysOf(store, "ernie"), keysOf(store, "bert")]).toEqual([[], ["one"]]);
  });
});

describe("replacing a content in slices", () => {
  test("shows the old content until all of the new one is there", async () => {
    const store = newUserStore(usedBy("old", "bert"));
    const pauses = new Pauses();
    const replacing = store.replaceInSlices(manyPods(100, "elmo"), "5", pauses, neverAborted);
    const seen: unknown[] = [];
    while (pauses.waiting.length > 0) {
      seen.push([store.size, keysOf(store, "bert"), keysOf(store, "elmo").length, store.resourceVersion]);
      await pauses.goOn();
    }
    await replacing;
    const old = [1, ["old"], 0, ""];
    expect(seen).toEqual([old, old, old]);
    expect([store.size, keysOf(store, "bert"), keysOf(store, "elmo").length, store.resourceVersion]).toEqual([
      100,
      [],
      100,
      "5",
    ]);
  });

  test("is done at once when nobody wants a pause", async () => {
    const store = newUserStore();
    const replacing = store.replaceInSlices(manyPods(100, "elmo"), "5", { pause: () => undefined }, neverAborted);
    expect(store.size).toBe(100);
    await replacing;
  });

  test("places all in an index that was added meanwhile, and transforms nothing twice", async () => {
    let transformed = 0;
    const transform = (each: Pod) => {
      transformed++;
      return each;
    };
    const store = new IndexedStore<Pod>({ transform });
    store.add(usedBy("old", "bert"));
    const pauses = new Pauses();
    const replacing = store.replaceInSlices(manyPods(100, "elmo"), "5", pauses, neverAborted);
    store.addIndexers({ byUser: usersOf });
    expect(keysOf(store, "bert")).toEqual(["old"]);
    while (pauses.waiting.length > 0) await pauses.goOn();
    await replacing;
    expect([keysOf(store, "bert"), keysOf(store, "elmo").length, transformed]).toEqual([[], 100, 101]);
  });

  test("leaves out what an index added meanwhile cannot place, and keeps what was there of it", async () => {
    const store = new IndexedStore<Pod>();
    store.add(usedBy("pod-3", "bert"));
    const pauses = new Pauses();
    const objects = manyPods(64, "elmo").with(3, broken("pod-3")).with(4, broken("pod-4"));
    const replacing = store.replaceInSlices(objects, "5", pauses, neverAborted);
    const failed = expect(replacing).rejects.toMatchObject({ errors: [{ key: "pod-3" }, { key: "pod-4" }] });
    store.addIndexers({ byUser: usersOf });
    while (pauses.waiting.length > 0) await pauses.goOn();
    await failed;
    expect([keysOf(store, "bert"), store.size]).toEqual([["pod-3"], 63]);
  });

  test("tells of an object that fails once, although all are placed again", async () => {
    const store = new IndexedStore<Pod>();
    const pauses = new Pauses();
    const replacing = store.replaceInSlices(manyPods(64, "elmo").with(0, pod("")), "5", pauses, neverAborted);
    const failed = expect(replacing).rejects.toMatchObject({ errors: [{ name: "KeyError" }], totalTransactions: 64 });
    store.addIndexers({ byUser: usersOf });
    while (pauses.waiting.length > 0) await pauses.goOn();
    await failed;
    expect(keysOf(store, "elmo")).toHaveLength(63);
  });

  test("replaces what was written meanwhile, too", async () => {
    const store = newUserStore();
    const pauses = new Pauses();
    const replacing = store.replaceInSlices(manyPods(40, "elmo"), "5", pauses, neverAborted);
    store.add(usedBy("late", "bert"));
    await pauses.goOn();
    await replacing;
    expect([store.getByKey("late"), store.size]).toEqual([undefined, 40]);
  });

  test("changes nothing when aborted", async () => {
    const store = newUserStore(usedBy("old", "bert"));
    const stop = new AbortController();
    const pauses = new Pauses();
    const replacing = store.replaceInSlices(manyPods(40, "elmo"), "5", pauses, stop.signal);
    stop.abort(new Error("enough"));
    await pauses.goOn();
    await expect(replacing).rejects.toThrow("enough");
    expect([store.listKeys(), store.resourceVersion]).toEqual([["old"], ""]);
  });

  test("takes a list that has been transformed as it is", async () => {
    const transform = () => pod("never");
    const store = new IndexedStore<Pod>({ transform });
    const options = { pause: () => undefined, isTransformed: true };
    await store.replaceInSlices([pod("one")], "5", options, neverAborted);
    expect(store.getByKey("one")).toEqual(pod("one"));
  });
});
