import { describe, expect, test } from "vitest";
import { FakeClock } from "../../base/index.ts";
import { ExpirationCache, newTtlStore, ttlPolicy } from "./expiration-cache.ts";
import { metaNamespaceKeyFunc as keyOf } from "./key-functions.ts";
import { namesOf, type Pod, pod } from "./objects.fixture.ts";
import { storeSuite } from "./store.contract.ts";

storeSuite("an ExpirationCache", () => newTtlStore<Pod>(keyOf, { ttlMs: 1000, clock: new FakeClock() }));

describe("a time to live", () => {
  test.each([
    ["of 30 s keeps what is new", 30_000, 0, false],
    ["of 30 s keeps what is exactly as old", 30_000, 30_000, false],
    ["of 30 s ends for what is older", 30_000, 30_001, true],
    ["of zero never ends", 0, 30_001, false],
    ["below zero never ends", -1, 30_001, false],
  ])("%s", (_, ttlMs, ageMs, expected) => {
    const isExpired = ttlPolicy(ttlMs, { monotonic: () => 100_000 });
    expect(isExpired({ object: undefined, writtenMs: 100_000 - ageMs })).toBe(expected);
  });
});

describe("an expired object", () => {
  const withTtl = () => {
    const clock = new FakeClock();
    return { clock, store: newTtlStore<Pod>(keyOf, { ttlMs: 1000, clock }) };
  };

  test("is not there any more", async () => {
    const { clock, store } = withTtl();
    store.add(pod("foo"));
    await clock.advance(1000);
    const before = store.get(pod("foo"));
    await clock.advance(1);
    expect([before, store.get(pod("foo")), store.getByKey("foo")]).toEqual([pod("foo"), undefined, undefined]);
  });

  test("is dropped when read, not only hidden", () => {
    let isOld = true;
    const store = new ExpirationCache<Pod>({ keyOf, clock: new FakeClock(), isExpired: () => isOld });
    store.add(pod("foo"));
    store.getByKey("foo");
    isOld = false;
    expect(store.getByKey("foo")).toBeUndefined();
  });

  test("comes back when it is written again", async () => {
    const { clock, store } = withTtl();
    store.add(pod("foo"));
    await clock.advance(2000);
    const expired = store.getByKey("foo");
    store.add(pod("foo", { uid: "second" }));
    expect([expired, store.getByKey("foo")]).toEqual([undefined, pod("foo", { uid: "second" })]);
  });

  test("was not one if it has been updated in time", async () => {
    const { clock, store } = withTtl();
    store.add(pod("foo"));
    await clock.advance(900);
    store.update(pod("foo"));
    await clock.advance(900);
    expect(store.getByKey("foo")).toEqual(pod("foo"));
  });

  test("is in no list and no count", () => {
    const isExpired = ({ object }: { readonly object: Pod }) => object.metadata.name !== "foo1";
    const store = new ExpirationCache<Pod>({ keyOf, clock: new FakeClock(), isExpired });
    const fill = () => store.replace([pod("foo"), pod("foo1"), pod("foo2")], "1");
    fill();
    expect(namesOf(store.list())).toEqual(["foo1"]);
    fill();
    expect(store.listKeys()).toEqual(["foo1"]);
    fill();
    expect(store.size).toBe(1);
  });

  test("leaves a whole list that came at once together", async () => {
    const { clock, store } = withTtl();
    store.replace([pod("a"), pod("b")], "1");
    await clock.advance(1001);
    expect([store.list(), store.resourceVersion]).toEqual([[], "1"]);
  });
});

test("a list with an object that has no key changes nothing", () => {
  const store = newTtlStore<Pod>(keyOf, { ttlMs: 1000, clock: new FakeClock() });
  store.add(pod("a"));
  expect(() => store.replace([pod("b"), pod("")], "9")).toThrow("it has no name");
  expect([store.listKeys(), store.resourceVersion]).toEqual([["a"], ""]);
});
