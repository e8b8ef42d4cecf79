import { expect, test } from "vitest";
import { FakeCustomStore } from "./fake-custom-store.ts";

test("does nothing and holds nothing unless told otherwise", () => {
  const store = new FakeCustomStore<string>();
  store.add("a");
  store.update("a");
  store.delete("a");
  store.replace(["a"], "7");
  store.resync();
  store.bookmark("8");
  expect([
    store.size,
    store.list(),
    store.listKeys(),
    store.get("a"),
    store.getByKey("a"),
    store.resourceVersion,
  ]).toEqual([0, [], [], undefined, undefined, ""]);
});

test("passes each call on to what was given for it", () => {
  const calls: unknown[][] = [];
  const note =
    <R>(name: string, answer: R) =>
    (...given: unknown[]): R => {
      calls.push([name, ...given]);
      return answer;
    };
  const store = new FakeCustomStore<string>({
    size: 3,
    resourceVersion: "9",
    add: note("add", undefined),
    update: note("update", undefined),
    delete: note("delete", undefined),
    replace: note("replace", undefined),
    resync: note("resync", undefined),
    bookmark: note("bookmark", undefined),
    list: note("list", ["x"]),
    listKeys: note("listKeys", ["k"]),
    get: note("get", "y"),
    getByKey: note("getByKey", "z"),
  });
  store.add("a");
  store.update("b");
  store.delete("c");
  store.replace(["d"], "7");
  store.resync();
  store.bookmark("8");
  expect([
    store.list(),
    store.listKeys(),
    store.get("e"),
    store.getByKey("f"),
    store.size,
    store.resourceVersion,
  ]).toEqual([["x"], ["k"], "y", "z", 3, "9"]);
  expect(calls).toEqual([
    ["add", "a"],
    ["update", "b"],
    ["delete", "c"],
    ["replace", ["d"], "7"],
    ["resync"],
    ["bookmark", "8"],
    ["list"],
    ["listKeys"],
    ["get", "e"],
    ["getByKey", "f"],
  ]);
});
