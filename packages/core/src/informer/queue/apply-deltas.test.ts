import { describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../base/index.ts";
import type { EventDetails, Notification } from "../handler/handlers.ts";
import { IndexedStore } from "../store/indexed-store.ts";
import { isFinalStateUnknown } from "../tombstone.ts";
import { applyDeltas, applyDeltasInSlices } from "./apply-deltas.ts";
import type { ApplyTarget, CacheStore } from "./apply-target.ts";
import type { Delta } from "./deltas.ts";
import { InOrderQueue } from "./in-order-queue.ts";
import { type Item, item, items, keyOfItem, printObject } from "./items.fixture.ts";
import { tombstone } from "./known-objects.ts";
import type { BatchQueue } from "./queue.ts";

interface Recorded {
  readonly store: IndexedStore<Item>;
  readonly target: ApplyTarget<Item>;
  /** "add a=1 change", and behind a semicolon what the store had of it at that moment. */
  readonly told: string[];
  readonly notifications: Notification<Item>[];
  readonly errors: string[];
}

/** A store that has these, and cannot index what has a negative value. */
function recorded(...known: readonly Item[]): Recorded {
  const notNegative = (object: Item) => {
    if (object.value < 0) throw new Error("negative");
    return [String(object.value)];
  };
  const store = new IndexedStore<Item>({ keyOf: keyOfItem, indexers: { notNegative }, freeze: true });
  store.replace(known, "1");
  const told: string[] = [];
  const notifications: Notification<Item>[] = [];
  const errors: string[] = [];
  const notify = (notification: Notification<Item>) => {
    notifications.push(notification);
    told.push(`${printNotification(notification)}; ${stored(store, notification)}`);
  };
  return {
    store,
    target: { store, notify, onError: (error) => errors.push(error.message) },
    told,
    notifications,
    errors,
  };
}

/** No more than a store must be able to do. */
function plainStore(store: IndexedStore<Item>, replace: CacheStore<Item>["replace"] = store.replace.bind(store)) {
  const plain: CacheStore<Item> = {
    get size() {
      return store.size;
    },
    resourceVersion: "",
    get: (object) => store.get(object),
    getByKey: (key) => store.getByKey(key),
    list: () => store.list(),
    listKeys: () => store.listKeys(),
    add: (object) => store.add(object),
    update: (object) => store.update(object),
    delete: (object) => store.delete(object),
    replace,
    resync() {},
    bookmark: (version) => store.bookmark(version),
  };
  return plain;
}

function printNotification(notification: Notification<Item>): string {
  const { cause } = notification.details;
  switch (notification.type) {
    case "add":
      return `add ${printObject(notification.object)} ${cause}`;
    case "update":
      return `update ${printObject(notification.before)} to ${notification.after.value} ${cause}`;
    case "delete":
      return `delete ${printObject(notification.gone)} ${cause}`;
  }
}

function stored(store: CacheStore<Item>, notification: Notification<Item>): string {
  const object =
    notification.type === "delete"
      ? notification.gone
      : notification.type === "add"
        ? notification.object
        : notification.after;
  const key = isFinalStateUnknown(object) ? object.key : keyOfItem(object);
  return `has ${store.getByKey(key)?.value ?? "none"}`;
}

function changes(...deltas: readonly Delta<Item>[]) {
  return { deltas, isInInitialList: false };
}

describe("a delta of one object", () => {
  const rows: readonly (readonly [name: string, delta: Delta<Item>, told: string])[] = [
    ["Added adds what is not known", { type: "Added", object: item("b", 2) }, "add b=2 change; has 2"],
    ["Updated adds what is not known", { type: "Updated", object: item("b", 2) }, "add b=2 change; has 2"],
    ["Replaced adds what is not known", { type: "Replaced", object: item("b", 2) }, "add b=2 relist; has 2"],
    ["Sync adds what is not known", { type: "Sync", object: item("b", 2) }, "add b=2 resync; has 2"],
    ["Added updates what is known", { type: "Added", object: item("a", 2) }, "update a=1 to 2 change; has 2"],
    ["Updated updates what is known", { type: "Updated", object: item("a", 2) }, "update a=1 to 2 change; has 2"],
    ["Replaced updates what is known", { type: "Replaced", object: item("a", 2) }, "update a=1 to 2 relist; has 2"],
    ["Sync updates what is known", { type: "Sync", object: item("a", 1) }, "update a=1 to 1 resync; has 1"],
    ["Deleted deletes what is known", { type: "Deleted", object: item("a", 2) }, "delete a=2 change; has none"],
    ["Deleted is told of what is not known", { type: "Deleted", object: item("b", 2) }, "delete b=2 change; has none"],
    [
      "a tombstone deletes what is known",
      { type: "Deleted", object: tombstone("a", item("a", 0)) },
      "delete ?a=0 relist; has none",
    ],
    [
      "a tombstone without its object deletes what is known",
      { type: "Deleted", object: tombstone<Item>("a", undefined) },
      "delete ?a=unknown relist; has none",
    ],
    [
      "a tombstone is told of what is not known",
      { type: "Deleted", object: tombstone("b", item("b", 0)) },
      "delete ?b=0 relist; has none",
    ],
  ];
  for (const [name, delta, expected] of rows) {
    test(name, () => {
      const { target, told, errors } = recorded(item("a", 1));
      applyDeltas(changes(delta), target);
      expect([told, errors]).toEqual([[expected], []]);
    });
  }

  test("that brings another object of the name is an update", () => {
    const { target, notifications } = recorded();
    const first: Item = { metadata: { name: "a", uid: "1" }, value: 1 };
    const second: Item = { metadata: { name: "a", uid: "2" }, value: 2 };
    applyDeltas(changes({ type: "Added", object: first }, { type: "Added", object: second }), target);
    expect(notifications.at(-1)).toMatchObject({ type: "update", before: first, after: second });
  });

  test("of the first list is initial, and says so", () => {
    const { target, notifications } = recorded(item("c", 1));
    const deltas: Delta<Item>[] = [
      { type: "Replaced", object: item("a", 1) },
      { type: "Deleted", object: tombstone("c", item("c", 1)) },
    ];
    applyDeltas({ deltas, isInInitialList: true }, target);
    expect(notifications.map(({ details }) => details)).toEqual(
      Array(2).fill({ cause: "initial", isInInitialList: true }),
    );
    applyDeltas(changes({ type: "Added", object: item("d", 1) }), target);
    expect(notifications.at(-1)?.details).toEqual({ cause: "change", isInInitialList: false });
  });
});

describe("what the store refuses", () => {
  const rows: readonly (readonly [name: string, values: string, told: readonly string[], errors: number])[] = [
    ["is nothing, and all is told", "a=1", ["add a=1 change; has 1"], 0],
    ["is not told", "a=-1", [], 1],
    ["at the end holds up nothing before it", "a=1 b=-1", ["add a=1 change; has 1"], 1],
    ["in the middle holds up nothing after it", "a=1 b=-1 c=1", ["add a=1 change; has 1", "add c=1 change; has 1"], 1],
  ];
  for (const [name, values, expected, count] of rows) {
    test(name, () => {
      const { target, told, errors } = recorded();
      const deltas = values.split(" ").map((each): Delta<Item> => {
        const [key = "", value] = each.split("=");
        return { type: "Added", object: item(key, Number(value)) };
      });
      applyDeltas(changes(...deltas), target);
      expect(told).toEqual(expected);
      expect(errors).toEqual(Array(count).fill(expect.stringContaining("negative")));
    });
  }

  test("stays in the store as it was", () => {
    const { store, target, told } = recorded(item("a", 1));
    applyDeltas(changes({ type: "Updated", object: item("a", -1) }), target);
    expect([store.getByKey("a")?.value, told]).toEqual([1, []]);
  });

  test("for want of a key is reported", () => {
    const { target, told, errors } = recorded();
    applyDeltas(changes({ type: "Added", object: item("", 1) }, { type: "Deleted", object: item("", 1) }), target);
    expect([told.length, errors.length]).toEqual([0, 2]);
  });
});

describe("a whole list", () => {
  const relist = (...named: Parameters<typeof items>): Delta<Item> => ({
    type: "ReplacedAll",
    objects: items(...named),
    resourceVersion: "9",
  });

  test("is in the store before anyone is told of any of it", () => {
    const { store, target } = recorded(item("a", 1), item("b", 1));
    const seen: string[][] = [];
    const notify = () => seen.push(store.list().map(printObject).sort());
    applyDeltas(changes(relist(["c", 2], ["a", 2])), { ...target, notify });
    expect(seen).toEqual(Array(3).fill(["a=2", "c=2"]));
    expect(store.resourceVersion).toBe("9");
  });

  test("is told as deletions, and then as it is ordered", () => {
    const { target, told } = recorded(item("a", 1), item("b", 1), item("c", 1));
    applyDeltas(changes(relist(["d", 2], ["b", 2])), target);
    expect(told).toEqual([
      "delete ?a=1 relist; has none",
      "delete ?c=1 relist; has none",
      "add d=2 relist; has 2",
      "update b=1 to 2 relist; has 2",
    ]);
  });

  test("that is the first is initial", () => {
    const { target, notifications } = recorded();
    applyDeltas({ deltas: [relist(["a", 1], ["b", 1])], isInInitialList: true }, target);
    expect(notifications.map(({ details }) => details)).toEqual(
      Array(2).fill({ cause: "initial", isInInitialList: true }),
    );
  });

  test.each([
    [
      "whole where the cache was empty and took all of it",
      [],
      [
        ["a", 1],
        ["b", 1],
      ],
      "a=1 b=1 initial",
    ],
    [
      "one by one where the cache had something",
      [item("a", 1)],
      [
        ["a", 1],
        ["b", 1],
      ],
      undefined,
    ],
    [
      "one by one where the cache refused something",
      [],
      [
        ["a", -1],
        ["b", 1],
      ],
      undefined,
    ],
    [
      "one by one where a name is on it twice",
      [],
      [
        ["a", 1],
        ["a", 2],
      ],
      undefined,
    ],
  ] as const)("is told %s", (_, known, listed, whole) => {
    const { store, target, told } = recorded(...known);
    const wholes: string[] = [];
    const notifyOfAll = (objects: readonly Item[], { cause }: EventDetails) => {
      wholes.push(`${objects.map(printObject).join(" ")} ${cause}`);
      expect(store.size).toBe(objects.length);
    };
    applyDeltas({ deltas: [relist(...listed)], isInInitialList: true }, { ...target, notifyOfAll });
    expect(wholes).toEqual(whole === undefined ? [] : [whole]);
    expect(told.length > 0).toBe(whole === undefined);
  });

  test("with objects that the store refuses is told without them, and deletes none of them", () => {
    const { store, target, told, errors } = recorded(item("a", 1), item("b", 1));
    applyDeltas(changes(relist(["a", -1], ["", 2], ["c", 3], ["d", -1])), target);
    expect(told).toEqual(["delete ?b=1 relist; has none", "add c=3 relist; has 3"]);
    expect(errors.length).toBe(3);
    expect(store.list().map(printObject).sort()).toEqual(["a=1", "c=3"]);
  });

  test("that the store refuses altogether is not told", () => {
    const { store, target, told, errors } = recorded(item("a", 1));
    const closed = plainStore(store, () => {
      throw new Error("out of order");
    });
    applyDeltas(changes(relist(["b", 2])), { ...target, store: closed });
    expect([told, errors]).toEqual([[], ["out of order"]]);
  });

  test("is told to a resync once more, as it is", () => {
    const { store, target, told } = recorded(item("a", 1), item("b", 2));
    applyDeltas(changes({ type: "SyncAll" }), target);
    expect(told.sort()).toEqual(["update a=1 to 1 resync; has 1", "update b=2 to 2 resync; has 2"]);
    expect(store.resourceVersion).toBe("1");
  });

  test("has not changed up to a bookmark, and nobody is told", () => {
    const { store, target, told } = recorded(item("a", 1));
    applyDeltas(changes({ type: "Bookmark", resourceVersion: "7" }), target);
    expect([store.resourceVersion, told]).toEqual(["7", []]);
  });
});

/** Takes and applies all there is. */
function settle<T>(queue: BatchQueue<T>, target: ApplyTarget<T>): void {
  for (let batch = queue.take(); batch !== undefined; batch = queue.take()) {
    applyDeltas(batch, target);
    queue.done(batch);
  }
}

describe("a list reaches handlers and store alike, atomic or not:", () => {
  const rows: readonly (readonly [
    name: string,
    before: readonly Item[],
    list: readonly Item[],
    told: readonly string[],
  ])[] = [
    ["what is new is added", [], items(["a", 1]), ["add a=1 relist; has 1"]],
    [
      "what is gone is deleted",
      items(["a", 1], ["c", 2]),
      [],
      ["delete ?a=1 relist; has none", "delete ?c=2 relist; has none"],
    ],
    [
      "deletions come first, then the list in its order",
      items(["a", 1], ["b", 2], ["c", 3]),
      items(["a", 4], ["b", 5], ["d", 6]),
      [
        "delete ?c=3 relist; has none",
        "update a=1 to 4 relist; has 4",
        "update b=2 to 5 relist; has 5",
        "add d=6 relist; has 6",
      ],
    ],
  ];
  for (const isAtomic of [true, false]) {
    for (const [name, before, list, expected] of rows) {
      test(`${name}, ${isAtomic ? "atomic" : "not atomic"}`, () => {
        const { store, target, told } = recorded();
        const queue = new InOrderQueue<Item>({
          keyOf: keyOfItem,
          isAtomic,
          ...(isAtomic ? {} : { knownObjects: store }),
        });
        for (const object of before) queue.add(object);
        settle(queue, target);
        if (before.length === 0) queue.replace([], "0");
        settle(queue, target);
        told.length = 0;
        queue.replace(list, "9");
        settle(queue, target);
        expect(told).toEqual(expected);
        expect(store.list().map(printObject).sort()).toEqual(list.map(printObject).sort());
      });
    }
  }
});

describe("the store's version follows", () => {
  test("the list, each change and each deletion", () => {
    const { store, target, notifications } = recorded();
    const queue = new InOrderQueue<Item>({ keyOf: keyOfItem });
    const versions: string[] = [];
    for (const write of [
      () => queue.replace(items(["a", 1]), "2"),
      () => queue.update(item("a", 3)),
      () => queue.bookmark("4"),
      () => queue.delete(item("a", 5)),
    ]) {
      write();
      settle(queue, target);
      versions.push(store.resourceVersion);
    }
    expect(versions).toEqual(["2", "3", "4", "5"]);
    expect(notifications.map(({ type, details }) => [type, details.isInInitialList])).toEqual([
      ["add", true],
      ["update", false],
      ["delete", false],
    ]);
  });

  test("only lists where the transform leaves no metadata", () => {
    type Kept = Item | string;
    const keyOf = () => "the only one";
    const store = new IndexedStore<Kept>({ keyOf });
    const told: string[] = [];
    const target: ApplyTarget<Kept> = {
      store,
      notify: ({ type }) => told.push(type),
      onError: (error) => told.push(error.message),
    };
    const queue = new InOrderQueue<Kept>({
      keyOf,
      transform: (object) => (typeof object === "string" ? "transformed twice" : object.metadata.name),
    });
    const versions: string[] = [];
    for (const write of [
      () => queue.replace([item("a", 1)], "1"),
      () => queue.update(item("a", 2)),
      () => queue.replace([item("a", 3)], "3"),
    ]) {
      write();
      settle(queue, target);
      versions.push(store.resourceVersion);
    }
    expect(versions).toEqual(["1", "1", "3"]);
    expect([told, store.list()]).toEqual([["add", "update", "update"], ["a"]]);
  });
});

describe("in slices", () => {
  /** Every look at it costs a millisecond, so that a slice is soon used up. */
  function busyClock(onTurn: () => unknown = () => {}): { clock: Clock; turns: () => number } {
    let nowMs = 0;
    let turns = 0;
    const clock: Clock = {
      ...systemClock,
      monotonic: () => ++nowMs,
      yield: async () => {
        turns++;
        onTurn();
      },
    };
    return { clock, turns: () => turns };
  }
  const many = (count: number, value: number) => Array.from({ length: count }, (_, i) => item(`a${i}`, value));
  const running = () => new AbortController().signal;
  const long: Delta<Item> = { type: "ReplacedAll", objects: many(1000, 2), resourceVersion: "2" };

  test("what is short is done at once", () => {
    const { target, told } = recorded();
    const { clock } = busyClock();
    const short = changes({ type: "ReplacedAll", objects: many(256, 1), resourceVersion: "2" });
    expect(applyDeltasInSlices(short, target, { clock }, running())).toBeUndefined();
    expect(applyDeltasInSlices(changes({ type: "SyncAll" }), target, { clock }, running())).toBeUndefined();
    expect(
      applyDeltasInSlices(changes({ type: "Added", object: item("b", 1) }), target, { clock }, running()),
    ).toBeUndefined();
    expect(told.length).toBe(256 + 256 + 1);
  });

  test("a long list comes out as it does at once", async () => {
    const before = [...many(500, 1), ...items(["b", 1], ["c", 1])];
    const [atOnce, sliced] = [recorded(...before), recorded(...before)];
    applyDeltas(changes(long), atOnce.target);
    const { clock, turns } = busyClock();
    await applyDeltasInSlices(changes(long), sliced.target, { clock }, running());
    expect(sliced.told).toEqual(atOnce.told);
    expect(sliced.told.slice(0, 3)).toEqual([
      "delete ?b=1 relist; has none",
      "delete ?c=1 relist; has none",
      "update a0=1 to 2 relist; has 2",
    ]);
    expect(turns()).toBeGreaterThan(10);
  });

  test("readers see the old list or all of the new one, and the new one before anyone is told", async () => {
    const { store, target, told } = recorded(...many(300, 1));
    const seen = new Set<string>();
    const { clock } = busyClock(() => {
      const values = new Set(store.list().map(({ value }) => value));
      seen.add(`${store.size} of ${[...values]}, ${told.length > 0 ? "told" : "untold"}`);
    });
    await applyDeltasInSlices(changes(long), target, { clock }, running());
    expect([...seen]).toEqual(["300 of 1, untold", "1000 of 2, untold", "1000 of 2, told"]);
  });

  test("a long resync is told of everything", async () => {
    const { target, told } = recorded(...many(300, 1));
    const { clock, turns } = busyClock();
    await applyDeltasInSlices(changes({ type: "SyncAll" }), target, { clock }, running());
    expect([told.length, told[0]]).toEqual([300, "update a0=1 to 1 resync; has 1"]);
    expect(turns()).toBeGreaterThan(1);
  });

  test("a store that cannot place a list in slices does it at once", async () => {
    const { store, target, told } = recorded(...items(["b", 1]));
    const { clock } = busyClock();
    await applyDeltasInSlices(changes(long), { ...target, store: plainStore(store) }, { clock }, running());
    expect([told.length, told[0]]).toEqual([1001, "delete ?b=1 relist; has none"]);
  });

  test("a store that can is told when to pause", async () => {
    const { store, target, told } = recorded();
    let pauses = 0;
    const replaceInSlices: CacheStore<Item>["replaceInSlices"] = async (objects, version, { pause }) => {
      for (let i = 0; i < 100; i++) {
        const waiting = pause();
        if (waiting !== undefined) pauses++;
        await waiting;
      }
      store.replace(objects, version);
    };
    const { clock } = busyClock();
    const slicing = { ...target, store: { ...plainStore(store), replaceInSlices } };
    await applyDeltasInSlices(changes(long), slicing, { clock }, running());
    expect(told.length).toBe(1000);
    expect(pauses).toBeGreaterThan(10);
    expect(pauses).toBeLessThan(60);
  });

  test("of two of one name the last is told, once", async () => {
    const { target, told, errors } = recorded(...items(["a1", 1]));
    const { clock } = busyClock();
    const twice: Delta<Item> = { ...long, objects: [...many(300, 2), item("a1", 3), item("b", 1), item("b", 4)] };
    await applyDeltasInSlices(changes(twice), target, { clock }, running());
    expect([told.length, new Set(told).size, errors]).toEqual([301, 301, []]);
    expect(told.slice(-2)).toEqual(["update a1=1 to 3 relist; has 3", "add b=4 relist; has 4"]);
    const mixed: Delta<Item> = { ...long, objects: items(["a1", 5], ["a1", 6], ["b", -1], ["a2", 5]) };
    told.length = 0;
    applyDeltas(changes(mixed), target);
    expect(told.filter((line) => !line.startsWith("delete"))).toEqual([
      "update a1=3 to 6 relist; has 6",
      "update a2=2 to 5 relist; has 5",
    ]);
    expect(errors.length).toBe(1);
  });

  test("objects that the store refuses are reported, the others told", async () => {
    const { target, told, errors } = recorded();
    const objects = [...many(300, 1), item("b", -1), item("c", 1)];
    const { clock } = busyClock();
    await applyDeltasInSlices(
      changes({ type: "ReplacedAll", objects, resourceVersion: "2" }),
      target,
      { clock },
      running(),
    );
    expect([told.length, told.at(-1), errors.length]).toEqual([301, "add c=1 relist; has 1", 1]);
  });

  test("an abort ends it: with the old list and nobody told, or with the new one", async () => {
    for (const [isTold, size] of [
      [false, 300],
      [true, 1000],
    ] as const) {
      const { store, target, told, errors } = recorded(...many(300, 1));
      const controller = new AbortController();
      const { clock } = busyClock(() => told.length > 0 === isTold && controller.abort("enough"));
      await expect(applyDeltasInSlices(changes(long), target, { clock }, controller.signal)).rejects.toBe("enough");
      expect([store.size, told.length > 0, told.length < 1000, errors]).toEqual([size, isTold, true, []]);
    }
  });
});
