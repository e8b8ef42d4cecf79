import { describe, expect, test } from "vitest";
import { namesOf, type Pod, usedBy, usersOf } from "./objects.fixture.ts";
import { IndexError } from "./store-errors.ts";
import { ThreadSafeStore } from "./thread-safe-store.ts";

// A pod's node stands where the fixture has users.
const byNode = { node: usersOf };
const on = (name: string, node: string, resourceVersion = "1"): Pod => usedBy(name, node, { resourceVersion });
const newStore = () => new ThreadSafeStore<Pod>({ indexers: byNode });

describe("a ThreadSafeStore", () => {
  for (const write of ["add", "update"] as const) {
    test(`${write} puts an object under the key it is told, and in the indexes`, () => {
      const store = newStore();
      store[write]("any", on("a", "n1"));
      store[write]("any", on("b", "n2"));
      expect([store.listKeys(), namesOf(store.list()), store.get("any")?.metadata.name]).toEqual([["any"], ["b"], "b"]);
      expect([store.indexKeys("node", "n1"), store.indexKeys("node", "n2")]).toEqual([[], ["any"]]);
    });
  }

  test("delete takes an object out of all indexes, and leaves no empty value behind", () => {
    const store = newStore();
    store.add("a", on("a", "n1"));
    store.delete("a");
    store.delete("unknown");
    expect([store.size, store.listIndexFuncValues("node")]).toEqual([0, []]);
  });

  test("an index value that others share stays when one of them is deleted", () => {
    const store = newStore();
    store.add("a", on("a", "n1"));
    store.add("b", on("b", "n1"));
    store.delete("a");
    expect([store.indexKeys("node", "n1"), store.listIndexFuncValues("node")]).toEqual([["b"], ["n1"]]);
  });

  test("replace leaves exactly the new objects, in the indexes too", () => {
    const store = newStore();
    store.add("old", on("old", "n1"));
    const given = new Map([
      ["a", on("a", "n2")],
      ["b", on("b", "n2")],
    ]);
    store.replace(given, "9");
    given.delete("a");
    expect([store.listKeys(), store.indexKeys("node", "n1"), store.indexKeys("node", "n2")]).toEqual([
      ["a", "b"],
      [],
      ["a", "b"],
    ]);
    store.add("c", on("c", "n2"));
    expect(store.byIndex("node", "n2")).toHaveLength(3);
  });

  test("a replace that an index function throws at changes nothing", () => {
    const store = new ThreadSafeStore<Pod>({
      indexers: {
        node: (each) => {
          if (each.metadata.name === "bad") throw new Error("no node");
          return ["n1"];
        },
      },
    });
    store.add("a", on("a", "n1", "3"));
    const replace = () => store.replace(new Map([["bad", on("bad", "n1")]]), "9");
    expect(replace).toThrow(IndexError);
    expect([store.listKeys(), store.indexKeys("node", "n1"), store.resourceVersion]).toEqual([["a"], ["a"], "3"]);
  });

  test("an index that was added later is there after a replace", () => {
    const store = new ThreadSafeStore<Pod>();
    store.addIndexers(byNode);
    store.replace(new Map([["a", on("a", "n1")]]), "1");
    expect(store.indexKeys("node", "n1")).toEqual(["a"]);
  });

  test("a resync changes nothing", () => {
    const store = newStore();
    store.add("a", on("a", "n1", "3"));
    store.resync();
    expect([store.listKeys(), store.resourceVersion]).toEqual([["a"], "3"]);
  });

  test("a transaction does all its writes in their order", () => {
    const store = newStore();
    store.add("gone", on("gone", "n1", "1"));
    store.transaction([
      { type: "Add", key: "a", object: on("a", "n1", "2") },
      { type: "Update", key: "a", object: on("a", "n2", "3") },
      { type: "Delete", key: "gone", object: on("gone", "n1", "4") },
    ]);
    expect([store.listKeys(), store.indexKeys("node", "n2"), store.resourceVersion]).toEqual([["a"], ["a"], "4"]);
  });
});

describe("the version of a ThreadSafeStore", () => {
  const facts: readonly (readonly [fact: string, write: (store: ThreadSafeStore<Pod>) => void, version: string])[] = [
    ["is empty before the first write", () => {}, ""],
    ["follows add", (store) => store.add("a", on("a", "n1", "5")), "5"],
    ["follows update", (store) => store.update("a", on("a", "n1", "6")), "6"],
    ["follows deleteWithObject", (store) => store.deleteWithObject("a", on("a", "n1", "7")), "7"],
    ["follows a bookmark", (store) => store.bookmark("8"), "8"],
    ["is what replace is given", (store) => store.replace(new Map([["a", on("a", "n1", "5")]]), "4"), "4"],
    [
      "stays at a delete, which has no object",
      (store) => {
        store.add("a", on("a", "n1", "5"));
        store.delete("a");
      },
      "5",
    ],
  ];
  for (const [fact, write, version] of facts) {
    test(fact, () => {
      const store = newStore();
      write(store);
      expect(store.resourceVersion).toBe(version);
    });
  }
});
