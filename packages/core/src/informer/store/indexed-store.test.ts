import { describe, expect, test } from "vitest";
import { objectKeyOf } from "../../api/index.ts";
import { DeletedFinalStateUnknown } from "../tombstone.ts";
import { IndexedStore, newIndexer, newStore, type Transaction } from "./indexed-store.ts";
import { metaNamespaceKeyFunc } from "./key-functions.ts";
import { broken, namesOf, type Pod, pod, usedBy, usersOf } from "./objects.fixture.ts";
import { storeSuite } from "./store.contract.ts";

const byUser = { byUser: usersOf };
const newUserStore = (...pods: readonly Pod[]) => {
  const store = new IndexedStore({ indexers: byUser, freeze: true });
  for (const each of pods) store.add(each);
  return store;
};
/** All that an index says, by value. */
const contentOf = (store: IndexedStore<Pod>, index = "byUser") =>
  Object.fromEntries(
    store
      .listIndexFuncValues(index)
      .toSorted()
      .map((value) => [value, store.indexKeys(index, value)]),
  );

storeSuite("an IndexedStore", () => new IndexedStore<Pod>({ freeze: true }));
storeSuite("an IndexedStore with a transform", () => new IndexedStore<Pod>({ transform: (each) => ({ ...each }) }));
storeSuite("what newStore makes", () => newStore<Pod>(metaNamespaceKeyFunc));
storeSuite("what newIndexer makes", () => newIndexer<Pod>(metaNamespaceKeyFunc, byUser));

describe("an index", () => {
  test("finds an object under each of its values, and nothing under others", () => {
    const store = newUserStore(usedBy("one", "ernie,bert"), usedBy("two", "bert,oscar"), usedBy("tre", "ernie,elmo"));
    expect(["ernie", "bert", "elmo", "oscar", "nobody"].map((user) => namesOf(store.byIndex("byUser", user)))).toEqual([
      ["one", "tre"],
      ["one", "two"],
      ["tre"],
      ["two"],
      [],
    ]);
  });

  test("gives the values that have objects, each once", () => {
    const store = newUserStore(usedBy("one", "bar"), usedBy("two", "bar"), usedBy("tre", "biz"));
    expect(store.listIndexFuncValues("byUser").toSorted()).toEqual(["bar", "biz"]);
  });

  test("follows updates and deletes", () => {
    const store = newUserStore(usedBy("one", "ernie,bert"), usedBy("two", "bert,oscar"), usedBy("tre", "ernie,elmo"));
    store.delete(pod("tre"));
    store.update(usedBy("two", "oscar"));
    expect(contentOf(store)).toEqual({ bert: ["one"], ernie: ["one"], oscar: ["two"] });
  });

  test("keeps up with sets of values that grow and shrink", () => {
    const store = newUserStore();
    const steps: [() => void, Record<string, string[]>][] = [
      [() => store.add(usedBy("key1", "foo")), { foo: ["key1"] }],
      [() => store.add(usedBy("key2", "bar")), { bar: ["key2"], foo: ["key1"] }],
      [() => store.update(usedBy("key2", "foo,bar")), { bar: ["key2"], foo: ["key1", "key2"] }],
      [() => store.update(usedBy("key1", "foo,bar")), { bar: ["key1", "key2"], foo: ["key1", "key2"] }],
      [
        () => store.add(usedBy("key3", "foo,bar,baz")),
        { bar: ["key1", "key2", "key3"], baz: ["key3"], foo: ["key1", "key2", "key3"] },
      ],
      [
        () => store.update(usedBy("key1", "foo")),
        { bar: ["key2", "key3"], baz: ["key3"], foo: ["key1", "key2", "key3"] },
      ],
      [() => store.update(usedBy("key2", "bar")), { bar: ["key2", "key3"], baz: ["key3"], foo: ["key1", "key3"] }],
      [() => store.delete(pod("key1")), { bar: ["key2", "key3"], baz: ["key3"], foo: ["key3"] }],
      [() => store.delete(pod("key3")), { bar: ["key2"] }],
      [() => store.update(pod("key2")), {}],
      [() => store.update(usedBy("key2", "foo")), { foo: ["key2"] }],
    ];
    for (const [write, expected] of steps) {
      write();
      expect(contentOf(store)).toEqual(expected);
    }
  });

  test("forgets a value when its last object goes, and not before", () => {
    const store = newUserStore(usedBy("retain", "both"), usedBy("delete", "both"), usedBy("alone", "single"));
    store.delete(pod("delete"));
    store.deleteByKey("alone");
    expect(store.listIndexFuncValues("byUser")).toEqual(["both"]);
  });

  test("counts a value given twice once", () => {
    const store = newUserStore(usedBy("one", "bert,bert"));
    expect([store.indexKeys("byUser", "bert"), namesOf(store.index("byUser", usedBy("x", "bert,bert")))]).toEqual([
      ["one"],
      ["one"],
    ]);
  });

  test("gives the objects that share a value with another, each once", () => {
    const store = newUserStore(usedBy("one", "ernie,bert"), usedBy("two", "bert,oscar"), usedBy("tre", "elmo"));
    expect(
      ["ernie,bert,oscar", "elmo", "nobody", "elmo,nobody"].map((users) =>
        namesOf(store.index("byUser", usedBy("x", users))),
      ),
    ).toEqual([["one", "two"], ["tre"], [], ["tre"]]);
  });

  test("gives keys in their order", () => {
    const store = newUserStore(usedBy("c", "bert"), usedBy("a", "bert"), usedBy("b", "bert"));
    expect(store.indexKeys("byUser", "bert")).toEqual(["a", "b", "c"]);
  });

  test("shows a new state of an object whose values did not change", () => {
    const store = newUserStore(usedBy("one", "bert"), usedBy("two", "ernie,elmo"));
    store.byIndex("byUser", "bert");
    store.byIndex("byUser", "elmo");
    const [one, two] = [usedBy("one", "bert", { resourceVersion: "2" }), usedBy("two", "ernie,elmo", { uid: "2" })];
    store.update(one);
    store.update(two);
    expect([store.byIndex("byUser", "bert"), store.byIndex("byUser", "elmo")]).toEqual([[one], [two]]);
  });

  test("leaves an answer alone that somebody holds, whatever is written", () => {
    const store = newUserStore(usedBy("one", "bert"), usedBy("two", "bert"));
    const held = store.byIndex("byUser", "bert");
    store.add(usedBy("tre", "bert"));
    store.delete(pod("one"));
    store.replace([], "9");
    expect(namesOf(held)).toEqual(["one", "two"]);
  });

  test("gives the same array to all until something changes", () => {
    const store = newUserStore(usedBy("one", "bert"), usedBy("two", "elmo"));
    const held = store.byIndex("byUser", "bert");
    store.add(usedBy("other", "elmo"));
    expect(store.byIndex("byUser", "bert")).toBe(held);
  });

  test("leaves nothing behind of an object that somebody changed", () => {
    const store = new IndexedStore({ indexers: byUser });
    const one = { ...usedBy("one", "ernie,bert") };
    store.add(one);
    Object.assign(one.metadata.annotations ?? {}, { users: "oscar" });
    store.delete(pod("one"));
    expect(contentOf(store)).toEqual({});
  });

  test("leaves nothing behind when the function's own array changes later", () => {
    const values = ["ernie", "bert"];
    const store = new IndexedStore<Pod>({ indexers: { byUser: () => values } });
    store.add(pod("one"));
    values.pop();
    store.delete(pod("one"));
    expect(contentOf(store)).toEqual({});
  });

  test("nobody added is an error, whatever is asked", () => {
    const store = newUserStore();
    for (const ask of [
      () => store.byIndex("nope", "x"),
      () => store.index("nope", pod("x")),
      () => store.indexKeys("nope", "x"),
      () => store.listIndexFuncValues("nope"),
    ]) {
      expect(ask).toThrow(expect.objectContaining({ message: "index nope does not exist", reason: "NotFound" }));
    }
  });
});

interface Pair {
  readonly key: string;
  readonly value: string;
}

test("an exchange writes an object and gives what was there, index and all", () => {
  const store = new IndexedStore<Pair>({
    keyOf: ({ key }) => key,
    indexers: { value: ({ value }) => [value] },
  });
  const [first, second] = ["1", "2"].map((value) => ({ key: "a", value })) as [Pair, Pair];
  expect(store.exchange(first)).toBeUndefined();
  expect(store.exchange(second)).toBe(first);
  expect([store.byIndex("value", "1"), store.byIndex("value", "2")]).toEqual([[], [second]]);
});

describe("adding indexes", () => {
  const byLength = { byLength: ({ metadata }: Pod) => [String(metadata.name.length)] };

  test("to a store with content finds it", () => {
    const store = newUserStore(usedBy("one", "bert"), usedBy("three", "bert"));
    store.addIndexers(byLength);
    store.add(usedBy("two", "bert"));
    expect([contentOf(store, "byLength"), Object.keys(store.getIndexers())]).toEqual([
      { 3: ["one", "two"], 5: ["three"] },
      ["byUser", "byLength"],
    ]);
  });

  test("under a name that is taken is refused, and adds none of the others either", () => {
    const store = newUserStore();
    expect(() => store.addIndexers({ ...byLength, ...byUser })).toThrow("index byUser exists already");
    expect(Object.keys(store.getIndexers())).toEqual(["byUser"]);
  });

  test("that cannot place an object of the store is refused, and changes nothing", () => {
    const store = new IndexedStore<Pod>();
    store.add(broken("bad", { namespace: "shop" }));
    const failure = { name: "IndexError", index: "byUser", key: "shop/bad", reason: "IndexFailed" };
    expect(() => store.addIndexers({ ...byLength, ...byUser })).toThrow(expect.objectContaining(failure));
    expect([store.getIndexers(), store.size]).toEqual([{}, 1]);
  });
});

describe("an index function that throws", () => {
  test("refuses the object, and names index, key and cause", () => {
    const store = newUserStore();
    expect(() => store.add(broken("bad"))).toThrow(
      expect.objectContaining({
        name: "IndexError",
        message: "index function byUser failed for bad: who are they",
        index: "byUser",
        key: "bad",
        cause: new Error("who are they"),
      }),
    );
    expect([store.size, store.resourceVersion]).toEqual([0, ""]);
  });

  test("leaves the object and its entries as they were, in the indexes asked before it, too", () => {
    const store = new IndexedStore<Pod>({ indexers: { byUid: ({ metadata }) => [metadata.uid ?? ""], ...byUser } });
    const before = usedBy("one", "bert", { uid: "old", resourceVersion: "1" });
    store.add(before);
    expect(() => store.update(broken("one", { uid: "new", resourceVersion: "2" }))).toThrow("failed for one");
    expect([store.getByKey("one"), contentOf(store), contentOf(store, "byUid"), store.resourceVersion]).toEqual([
      before,
      { bert: ["one"] },
      { old: ["one"] },
      "1",
    ]);
  });

  test("does not hinder a delete", () => {
    let isWorking = true;
    const indexers = {
      byName: ({ metadata }: Pod) => {
        if (!isWorking) throw new Error("no more");
        return [metadata.name];
      },
    };
    const store = new IndexedStore({ indexers });
    store.add(pod("one"));
    isWorking = false;
    store.delete(pod("one"));
    expect([store.size, store.listIndexFuncValues("byName")]).toEqual([0, []]);
  });

  test("on a question is told to the one who asks", () => {
    expect(() => newUserStore().index("byUser", broken("bad"))).toThrow(
      "index function byUser failed for the object asked about: who are they",
    );
  });
});

describe("several writes at once", () => {
  const transactions: readonly Transaction<Pod>[] = [
    { type: "Add", object: usedBy("new", "bert", { resourceVersion: "11" }) },
    { type: "Update", object: broken("kept", { resourceVersion: "12" }) },
    { type: "Delete", object: pod("old", { resourceVersion: "13" }) },
    { type: "Add", object: { metadata: {} } as Pod },
    { type: "Update", object: usedBy("new", "elmo", { resourceVersion: "15" }) },
    { type: "Delete", object: new DeletedFinalStateUnknown<Pod>(objectKeyOf("", "lost"), undefined) },
  ];

  test("are done in their order", () => {
    const store = newUserStore(usedBy("old", "oscar"), usedBy("lost", "oscar"));
    store.transaction(transactions.filter((_, at) => at !== 1 && at !== 3));
    expect([contentOf(store), store.listKeys(), store.resourceVersion]).toEqual([{ elmo: ["new"] }, ["new"], "15"]);
  });

  test("that fail are skipped and told together, the others done", () => {
    const store = newUserStore(usedBy("old", "oscar"), usedBy("kept", "ernie"), usedBy("lost", "oscar"));
    let thrown: unknown;
    try {
      store.transaction(transactions);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      name: "TransactionError",
      reason: "TransactionFailed",
      message:
        "2 of 6 writes failed: index function byUser failed for kept: who are they; no key for the object: it has no name",
      successfulIndices: [0, 2, 4, 5],
      totalTransactions: 6,
      errors: [{ name: "IndexError", key: "kept" }, { name: "KeyError" }],
    });
    expect(contentOf(store)).toEqual({ elmo: ["new"], ernie: ["kept"] });
  });

  test.each([
    ["all succeed", ["a", "b"], undefined],
    ["all fail", ["", ""], []],
    ["some fail", ["a", "", "b", ""], [0, 2]],
  ])("tell which succeeded when %s", (_, names, expected) => {
    const store = new IndexedStore<Pod>();
    let indices: readonly number[] | undefined;
    try {
      store.transaction(names.map((name) => ({ type: "Add", object: pod(name) })));
    } catch (error) {
      indices = (error as { successfulIndices: readonly number[] }).successfulIndices;
    }
    expect(indices).toEqual(expected);
  });

  test("of nothing are nothing", () => {
    const store = newUserStore(usedBy("one", "bert", { resourceVersion: "3" }));
    store.transaction([]);
    expect([store.size, store.resourceVersion]).toEqual([1, "3"]);
  });

  test("that fail in great numbers are told by the first three", () => {
    const bad = ["a", "b", "c", "d", "e"].map((name) => ({ type: "Add" as const, object: broken(name) }));
    expect(() => newUserStore().transaction(bad)).toThrow(/5 of 5 writes failed: .* a: .* b: .* c: .*; and 2 more$/);
  });
});

describe("a transform", () => {
  const mark = (each: Pod) => pod(each.metadata.name, { labels: { seen: String(++calls) } });
  let calls = 0;

  test("is asked once for each object that is written, and not for those deleted", () => {
    calls = 0;
    const store = new IndexedStore<Pod>({ transform: mark });
    store.add(pod("a"));
    store.update(pod("a"));
    store.transaction([{ type: "Add", object: pod("b") }]);
    store.delete(pod("a"));
    store.replace([pod("c"), pod("d")], "1");
    expect([calls, store.getByKey("d")?.metadata.labels]).toEqual([5, { seen: "5" }]);
  });

  test("is not asked for a list that has been through it", () => {
    const store = new IndexedStore<Pod>({ transform: mark });
    store.replace([pod("c")], "1", { isTransformed: true });
    expect(store.getByKey("c")).toEqual(pod("c"));
  });

  test("that throws refuses the object, and no other", () => {
    const transform = (each: Pod) => {
      if (each.metadata.name === "bad") throw new Error("cannot");
      return each;
    };
    const store = new IndexedStore<Pod>({ transform });
    expect(() => store.add(pod("bad"))).toThrow(
      expect.objectContaining({ name: "TransformError", key: "bad", message: "cannot transform bad: cannot" }),
    );
    expect(() => store.replace([pod("bad"), pod("good")], "1")).toThrow("1 of 2 writes failed");
    expect(store.listKeys()).toEqual(["good"]);
  });

  test("is told, for whoever applies it on the way", () => {
    expect([new IndexedStore<Pod>({ transform: mark }).transform, new IndexedStore<Pod>().transform]).toEqual([
      mark,
      undefined,
    ]);
  });
});

describe("freezing", () => {
  const isSealed = (store: IndexedStore<Pod>) => [
    Object.isFrozen(store.getByKey("a")?.metadata.annotations),
    Object.isFrozen(store.byIndex("byUser", "bert")),
  ];

  test("makes written objects immutable all the way down, and what indexes hand out", () => {
    const store = newUserStore(usedBy("a", "bert"));
    const added = isSealed(store);
    store.replace([usedBy("a", "bert")], "1");
    expect([added, isSealed(store)]).toEqual([
      [true, true],
      [true, true],
    ]);
  });

  test("does not happen unless asked for", () => {
    const store = new IndexedStore({ indexers: byUser });
    store.add(usedBy("a", "bert"));
    expect(isSealed(store)).toEqual([false, false]);
  });
});
