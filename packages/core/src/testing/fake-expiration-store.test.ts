import { describe, expect, test } from "vitest";
import { FakeClock } from "../base/index.ts";
import { ttlPolicy } from "../informer/index.ts";
import { fakeExpirationPolicy, newFakeExpirationStore } from "./fake-expiration-store.ts";

interface Item {
  readonly id: string;
  readonly value: string;
}

const keyOf = ({ id }: Item) => id;
const item = (id: string, value = "bar"): Item => ({ id, value });

function openStore(neverExpire: Set<string> = new Set()) {
  const deleted: string[] = [];
  const store = newFakeExpirationStore<Item>(keyOf, {
    isExpired: fakeExpirationPolicy({ neverExpire, keyOf }),
    clock: new FakeClock(),
    onDeleted: (key) => deleted.push(key),
  });
  return { store, deleted, neverExpire };
}

describe("a fake expiration store", () => {
  test("drops what has expired when it is read, and tells its key", () => {
    const { store, deleted } = openStore();
    store.add(item("foo"));
    expect([store.get(item("foo")), deleted]).toEqual([undefined, ["foo"]]);
    expect([store.getByKey("foo"), deleted]).toEqual([undefined, ["foo"]]);
  });

  test("keeps what never expires", () => {
    const { store, deleted } = openStore(new Set(["foo"]));
    store.add(item("foo"));
    expect([store.get(item("foo")), deleted]).toEqual([item("foo"), []]);
  });

  test("has what is added again after it has expired", () => {
    const { store, deleted, neverExpire } = openStore();
    store.add(item("foo"));
    store.getByKey("foo");
    store.add(item("foo", "second"));
    neverExpire.add("foo");
    expect([store.getByKey("foo"), deleted]).toEqual([item("foo", "second"), ["foo"]]);
  });

  test("lists what has not expired, and drops the rest", () => {
    const { store, deleted } = openStore(new Set(["foo1"]));
    store.replace([item("foo"), item("foo1"), item("foo2")], "");
    expect([store.list(), deleted]).toEqual([[item("foo1")], ["foo", "foo2"]]);
  });

  test("does not tell of what a caller deletes", () => {
    const { store, deleted } = openStore();
    store.add(item("foo"));
    store.delete(item("foo"));
    expect([store.list(), deleted]).toEqual([[], []]);
  });

  test("takes any policy, such as a time to live on its clock", async () => {
    const clock = new FakeClock();
    const deleted: string[] = [];
    const store = newFakeExpirationStore<Item>(keyOf, {
      isExpired: ttlPolicy(1000, clock),
      clock,
      onDeleted: (key) => deleted.push(key),
    });
    store.add(item("foo"));
    await clock.advance(1000);
    const before = store.getByKey("foo");
    await clock.advance(1);
    expect([before, store.getByKey("foo"), deleted]).toEqual([item("foo"), undefined, ["foo"]]);
  });
});
