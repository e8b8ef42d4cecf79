import { describe, expect, test } from "vitest";
import type { Log } from "../../base/index.ts";
import { noLog } from "../../base/index.ts";
import { InOrderQueue, type InOrderQueueOptions } from "./in-order-queue.ts";
import {
  countTransform,
  drain,
  type Item,
  item,
  items,
  keyOfItem,
  knownItems,
  printBatch,
  takeOne,
} from "./items.fixture.ts";
import { tombstone } from "./known-objects.ts";
import { describeQueue } from "./queue.contract.ts";

type Options = Omit<InOrderQueueOptions<Item>, "keyOf">;
type Actions = (queue: InOrderQueue<Item>) => void;

const open = (options: Options = {}) => new InOrderQueue<Item>({ keyOf: keyOfItem, ...options });
/** Not atomic, one delta at a time: what client-go's Pop gives. */
const openEach = (known: readonly Item[] = [], options: Options = {}) =>
  open({ isAtomic: false, knownObjects: knownItems(...known), maxBatch: 1, ...options });
const each = (queue: InOrderQueue<Item>) => drain(queue).flat();

describeQueue("an atomic in-order queue", { open: (options) => open(options), isAtomic: true });
describeQueue("an in-order queue that is not atomic", {
  open: ({ knownObjects = knownItems(), ...options }) => open({ ...options, isAtomic: false, knownObjects }),
});

describe("in order", () => {
  const rows: readonly (readonly [name: string, actions: Actions, expected: readonly string[]])[] = [
    [
      "every change of an object comes, none is merged",
      (queue) => {
        queue.add(item("a", 10));
        queue.update(item("a", 12));
        queue.delete(item("a", 15));
      },
      ["Added a=10", "Updated a=12", "Deleted a=15"],
    ],
    [
      "changes of several objects come as they happened, and nobody jumps the line",
      (queue) => {
        queue.add(item("a", 10));
        queue.add(item("b", 1));
        queue.add(item("a", 11));
        queue.add(item("a", 13));
        queue.add(item("c", 30));
        queue.add(item("a", 14));
      },
      ["Added a=10", "Added b=1", "Added a=11", "Added a=13", "Added c=30", "Added a=14"],
    ],
    [
      "the deletion of what nobody knows is queued like any other",
      (queue) => {
        queue.add(item("a", 17));
        queue.delete(item("a", 18));
        queue.delete(item("b", 20));
      },
      ["Added a=17", "Deleted a=18", "Deleted b=20"],
    ],
  ];
  for (const [name, actions, expected] of rows) {
    test(name, () => {
      const queue = openEach();
      actions(queue);
      expect(each(queue)).toEqual(expected);
      expect(queue.size).toBe(0);
    });
  }

  test("what is added meanwhile comes after what waits", () => {
    const queue = openEach();
    queue.add(item("a", 1));
    queue.add(item("b", 2));
    expect(takeOne(queue)).toEqual(["Added a=1"]);
    queue.add(item("a", 3));
    expect(each(queue)).toEqual(["Added b=2", "Added a=3"]);
  });
});

describe("a batch", () => {
  const initial =
    (...named: Parameters<typeof items>) =>
    (queue: InOrderQueue<Item>) =>
      queue.replace(items(...named), "123");
  const rows: readonly (readonly [
    name: string,
    maxBatch: number,
    actions: readonly Actions[],
    expected: readonly (readonly string[])[],
  ])[] = [
    [
      "holds different objects",
      99,
      [initial(["a", 1], ["b", 1], ["c", 1])],
      [["Replaced a=1", "Replaced b=1", "Replaced c=1"]],
    ],
    [
      "ends with the initial list",
      99,
      [initial(["a", 1], ["b", 1]), (queue) => queue.update(item("c", 2)), (queue) => queue.update(item("d", 2))],
      [
        ["Replaced a=1", "Replaced b=1"],
        ["Updated c=2", "Updated d=2"],
      ],
    ],
    [
      "of one object holds one delta",
      99,
      [initial(["a", 1]), (queue) => queue.update(item("a", 2)), (queue) => queue.update(item("a", 3))],
      [["Replaced a=1"], ["Updated a=2"], ["Updated a=3"]],
    ],
    [
      "ends before an object that is the last of it",
      99,
      [
        initial(),
        (queue) => queue.update(item("a", 1)),
        (queue) => queue.update(item("b", 1)),
        (queue) => queue.update(item("b", 2)),
        (queue) => queue.update(item("c", 2)),
      ],
      [
        ["Updated a=1", "Updated b=1"],
        ["Updated b=2", "Updated c=2"],
      ],
    ],
    [
      "ends before an object from the middle of it",
      99,
      [
        initial(),
        (queue) => queue.update(item("a", 1)),
        (queue) => queue.update(item("b", 1)),
        (queue) => queue.update(item("c", 1)),
        (queue) => queue.update(item("b", 2)),
      ],
      [["Updated a=1", "Updated b=1", "Updated c=1"], ["Updated b=2"]],
    ],
    [
      "of the initial list is as long as it may be",
      2,
      [initial(["a", 1], ["b", 1], ["c", 1])],
      [["Replaced a=1", "Replaced b=1"], ["Replaced c=1"]],
    ],
    [
      "of changes is as long as it may be",
      2,
      [
        initial(),
        (queue) => queue.update(item("a", 1)),
        (queue) => queue.update(item("b", 1)),
        (queue) => queue.update(item("c", 1)),
      ],
      [["Updated a=1", "Updated b=1"], ["Updated c=1"]],
    ],
    [
      "that is not full is not filled across the end of the initial list",
      2,
      [initial(["a", 1], ["b", 1], ["c", 1]), (queue) => queue.update(item("d", 2))],
      [["Replaced a=1", "Replaced b=1"], ["Replaced c=1"], ["Updated d=2"]],
    ],
  ];
  for (const [name, maxBatch, actions, expected] of rows) {
    test(name, () => {
      const queue = openEach([], { maxBatch });
      for (const act of actions) act(queue);
      expect(drain(queue)).toEqual(expected);
    });
  }

  test("is in the initial list as long as it is, and no longer", () => {
    const queue = openEach([], { maxBatch: 2 });
    queue.replace(items(["a", 1], ["b", 1], ["c", 1]), "1");
    queue.update(item("d", 2));
    const batches = [queue.take(), queue.take(), queue.take()];
    expect(batches.map((batch) => batch?.isInInitialList)).toEqual([true, true, false]);
  });

  test("holds up to 1000 deltas unless told otherwise", () => {
    const queue = open();
    for (let i = 0; i < 2500; i++) queue.add(item(`a${i}`, i));
    expect(drain(queue).map((batch) => batch.length)).toEqual([1000, 1000, 500]);
  });

  const alone: readonly (readonly [name: string, act: Actions, printed: string])[] = [
    ["a list", (queue) => queue.replace(items(["c", 3]), "5"), "ReplacedAll@5 c=3"],
    ["a resync", (queue) => queue.resync(), "SyncAll"],
    ["a bookmark", (queue) => queue.bookmark("5"), "Bookmark@5"],
  ];
  for (const [name, act, printed] of alone) {
    test(`holds ${name} alone`, () => {
      const errors: string[] = [];
      const queue = open({ log: { ...noLog, error: (message) => errors.push(message) } });
      queue.add(item("a", 1));
      queue.add(item("b", 1));
      act(queue);
      act(queue);
      queue.add(item("d", 1));
      expect(drain(queue)).toEqual([["Added a=1", "Added b=1"], [printed], [printed], ["Added d=1"]]);
      expect(errors).toEqual([]);
    });
  }

  describe("is closed by what the transform left without a key", () => {
    // The last of all is reported by whoever takes it: it closes nothing.
    const broken: readonly (readonly [
      name: string,
      names: string,
      expected: readonly (readonly string[])[],
      reports: number,
    ])[] = [
      ["at its beginning", "X", [["Added =1"]], 0],
      ["at its end", "a b X", [["Added a=1", "Added b=1", "Added =1"]], 1],
      ["twice", "a b X Y", [["Added a=1", "Added b=1", "Added =1"], ["Added =1"]], 1],
      ["at its beginning and its end", "X a Y", [["Added =1"], ["Added a=1", "Added =1"]], 2],
    ];
    for (const [name, names, expected, reports] of broken) {
      test(name, () => {
        const errors: string[] = [];
        const log: Log = { ...noLog, error: (message) => errors.push(message) };
        const queue = open({ log, transform: (object) => (/[XY]/.test(object.metadata.name) ? item("", 1) : object) });
        for (const each of names.split(" ")) queue.add(item(each, 1));
        expect(drain(queue)).toEqual(expected);
        expect(errors).toEqual(Array(reports).fill("object has no key after the transform, so it ends its batch"));
      });
    }
  });
});

describe("an atomic queue", () => {
  const rows: readonly (readonly [name: string, actions: Actions, expected: readonly string[]])[] = [
    ["queues an empty list", (queue) => queue.replace([], "123"), ["ReplacedAll@123"]],
    [
      "leaves what is queued before a list as it is",
      (queue) => {
        queue.add(item("a", 2));
        queue.replace([], "123");
      },
      ["Added a=2", "ReplacedAll@123"],
    ],
    [
      "queues one list after the other",
      (queue) => {
        queue.add(item("a", 2));
        queue.replace(items(["a", 2]), "10");
        queue.replace(items(["a", 2]), "20");
        queue.replace([], "56");
      },
      ["Added a=2", "ReplacedAll@10 a=2", "ReplacedAll@20 a=2", "ReplacedAll@56"],
    ],
    [
      "queues a bookmark beside a list, not in it",
      (queue) => {
        queue.bookmark("123");
        queue.replace([], "1234");
      },
      ["Bookmark@123", "ReplacedAll@1234"],
    ],
    ["queues a resync as one", (queue) => queue.resync(), ["SyncAll"]],
    [
      "queues a resync behind what waits",
      (queue) => {
        queue.add(item("a", 2));
        queue.resync();
      },
      ["Added a=2", "SyncAll"],
    ],
  ];
  for (const [name, actions, expected] of rows) {
    test(name, () => {
      const queue = open();
      actions(queue);
      expect(each(queue)).toEqual(expected);
    });
  }

  test("takes over a list without a copy", () => {
    const queue = open({ transform: countTransform });
    const objects = items(["a", 1]);
    queue.replace(objects, "1", { isTransformed: true });
    expect(queue.take()?.deltas).toEqual([{ type: "ReplacedAll", objects, resourceVersion: "1" }]);
    const plain = open();
    plain.replace(objects, "1");
    expect(plain.take()?.deltas[0]).toHaveProperty("objects", objects);
  });

  test("has synced when its first list is done, an empty one too", () => {
    const queue = open();
    queue.bookmark("1");
    queue.replace([], "2");
    expect(queue.hasSynced()).toBe(false);
    expect(takeOne(queue)).toEqual(["Bookmark@1"]);
    expect(queue.hasSynced()).toBe(false);
    const list = queue.take();
    expect(list?.isInInitialList).toBe(true);
    expect(queue.hasSynced()).toBe(false);
    if (list !== undefined) queue.done(list);
    expect(queue.hasSynced()).toBe(true);
  });

  test("does not count a bookmark that was in hand when the first list came", () => {
    const queue = open();
    queue.bookmark("1");
    const bookmark = queue.take();
    queue.replace([], "2");
    if (bookmark !== undefined) queue.done(bookmark);
    expect(queue.hasSynced()).toBe(false);
    takeOne(queue);
    expect(queue.hasSynced()).toBe(true);
  });
});

describe("a queue that is not atomic", () => {
  const five = items(["a", 5], ["b", 6], ["c", 7]);
  const rows: readonly (readonly [
    name: string,
    known: readonly Item[],
    actions: Actions,
    expected: readonly string[],
  ])[] = [
    [
      "buries what is queued and not listed",
      [],
      (queue) => {
        queue.add(item("a", 2));
        queue.replace([], "0");
      },
      ["Added a=2", "Deleted ?a=2"],
    ],
    [
      "does not bury what is marked as deleted",
      [],
      (queue) => {
        queue.add(item("a", 2));
        queue.delete(item("a", 2));
        queue.replace([], "0");
      },
      ["Added a=2", "Deleted a=2"],
    ],
    [
      "buries once what several lists had",
      [],
      (queue) => {
        queue.add(item("a", 2));
        queue.replace(items(["a", 2]), "0");
        queue.replace(items(["a", 2]), "0");
        queue.replace([], "0");
      },
      ["Added a=2", "Replaced a=2", "Replaced a=2", "Deleted ?a=2"],
    ],
    [
      "buries once what several lists lack",
      [],
      (queue) => {
        queue.add(item("a", 2));
        queue.replace([], "0");
        queue.replace([], "1");
      },
      ["Added a=2", "Deleted ?a=2"],
    ],
    [
      "buries what came back after its deletion",
      [],
      (queue) => {
        queue.add(item("a", 2));
        queue.delete(item("a", 2));
        queue.add(item("a", 3));
        queue.replace([], "0");
      },
      ["Added a=2", "Deleted a=2", "Added a=3", "Deleted ?a=3"],
    ],
    [
      "leaves bookmarks out",
      [],
      (queue) => {
        queue.bookmark("123");
        queue.replace([], "0");
      },
      [],
    ],
    [
      "tells of a listed object also behind its deletion",
      [item("a", 1)],
      (queue) => {
        queue.delete(item("a", 1));
        queue.replace(items(["a", 2]), "");
      },
      ["Deleted a=1", "Replaced a=2"],
    ],
    [
      "tells of every state before a list",
      [],
      (queue) => {
        queue.add(item("a", 10));
        queue.replace(items(["a", 15]), "0");
      },
      ["Added a=10", "Replaced a=15"],
    ],
    [
      "buries what is known and neither queued nor listed, before it tells of the list",
      five,
      (queue) => {
        queue.delete(item("c", 10));
        queue.replace(items(["a", 6]), "0");
      },
      ["Deleted c=10", "Deleted ?b=6", "Replaced a=6"],
    ],
    [
      "buries what is queued as it is queued, not as it is known",
      five,
      (queue) => {
        queue.add(item("c", 10));
        queue.replace(items(["a", 5]), "0");
      },
      ["Added c=10", "Deleted ?c=10", "Deleted ?b=6", "Replaced a=5"],
    ],
    [
      "buries what was deleted and came back as it came back",
      five,
      (queue) => {
        queue.delete(item("b", 6));
        queue.add(item("b", 100));
        queue.replace(items(["a", 5]), "0");
      },
      ["Deleted b=6", "Added b=100", "Deleted ?b=100", "Deleted ?c=7", "Replaced a=5"],
    ],
    [
      "buries what only an earlier list had as that list had it",
      five,
      (queue) => {
        queue.replace(items(["b", 100], ["a", 5]), "0");
        queue.replace(items(["a", 5]), "0");
      },
      ["Deleted ?c=7", "Replaced b=100", "Replaced a=5", "Deleted ?b=100", "Replaced a=5"],
    ],
    ["tells of what is known again at a resync", [item("a", 5)], (queue) => queue.resync(), ["Sync a=5"]],
    [
      "does not bring back what is being deleted at a resync",
      [item("a", 5)],
      (queue) => {
        queue.delete(item("a", 10));
        queue.resync();
      },
      ["Deleted a=10"],
    ],
    [
      "does not bring back what is being updated at a resync",
      [item("a", 5)],
      (queue) => {
        queue.update(item("a", 6));
        queue.resync();
      },
      ["Updated a=6"],
    ],
  ];
  for (const [name, known, actions, expected] of rows) {
    test(name, () => {
      const queue = openEach(known);
      actions(queue);
      expect(each(queue)).toEqual(expected);
    });
  }

  test("buries what is known by its key alone", () => {
    const queue = open({ isAtomic: false, knownObjects: { listKeys: () => ["a"], getByKey: () => undefined } });
    queue.replace([], "0");
    expect(each(queue)).toEqual(["Deleted ?a=unknown"]);
    queue.resync();
    expect(queue.size).toBe(0);
  });

  test("transforms what enters and nothing that comes from inside", () => {
    const queue = openEach([item("c", 7)], { transform: countTransform });
    queue.add(item("a", 10));
    queue.add(item("b", 11));
    queue.update(item("a", 12));
    queue.delete(item("a", 15));
    queue.replace([], "");
    queue.add(item("b", 16));
    queue.resync();
    queue.replace([], "");
    const deltas = [];
    for (let batch = queue.take(); batch !== undefined; batch = queue.take()) deltas.push(...batch.deltas);
    const once = (name: string, value: number) => countTransform(item(name, value));
    expect(deltas).toEqual([
      { type: "Added", object: once("a", 10) },
      { type: "Added", object: once("b", 11) },
      { type: "Updated", object: once("a", 12) },
      { type: "Deleted", object: once("a", 15) },
      { type: "Deleted", object: tombstone("b", once("b", 11)) },
      { type: "Deleted", object: tombstone("c", item("c", 7)) },
      { type: "Added", object: once("b", 16) },
      { type: "Deleted", object: tombstone("b", once("b", 16)) },
    ]);
  });

  test("counts tombstones of the first list as part of it", () => {
    const queue = openEach(five);
    queue.replace(items(["a", 5]), "0");
    const seen: string[] = [];
    while (queue.size > 0) {
      expect(queue.hasSynced()).toBe(false);
      const batch = queue.take();
      expect(batch?.isInInitialList).toBe(true);
      seen.push(...printBatch(batch));
      if (batch !== undefined) queue.done(batch);
    }
    expect(seen).toEqual(["Deleted ?b=6", "Deleted ?c=7", "Replaced a=5"]);
    expect(queue.hasSynced()).toBe(true);
  });

  test("has synced when each object of the first list is done", () => {
    const queue = openEach();
    queue.replace(items(["a", 1], ["b", 2]), "0");
    takeOne(queue);
    expect(queue.hasSynced()).toBe(false);
    takeOne(queue);
    expect(queue.hasSynced()).toBe(true);
  });

  test("has synced when each of a list that names an object twice is done", () => {
    const queue = openEach();
    queue.replace(items(["a", 1], ["a", 2]), "0");
    takeOne(queue);
    expect(queue.hasSynced()).toBe(false);
    takeOne(queue);
    expect(queue.hasSynced()).toBe(true);
  });

  test("buries what is in hand and not yet known", () => {
    const queue = openEach();
    queue.add(item("a", 1));
    const inHand = queue.take();
    queue.replace([], "0");
    expect(printBatch(inHand)).toEqual(["Added a=1"]);
    expect(each(queue)).toEqual(["Deleted ?a=1"]);
  });

  test("does not bring back at a resync what is being changed in hand", () => {
    const queue = openEach([item("a", 1), item("b", 1)]);
    queue.delete(item("a", 2));
    const inHand = queue.take();
    queue.resync();
    expect(each(queue)).toEqual(["Sync b=1"]);
    if (inHand !== undefined) queue.done(inHand);
    queue.resync();
    expect(each(queue)).toEqual(["Sync a=1", "Sync b=1"]);
  });

  test("queues nothing of a list with a broken object", () => {
    const queue = openEach(five);
    expect(() => queue.replace([item("z", 1), item("", 1)], "0")).toThrow(
      expect.objectContaining({ reason: "InvalidKey" }),
    );
    expect([queue.size, queue.hasSynced()]).toEqual([0, false]);
  });
});

describe("the constructor refuses", () => {
  const rows: readonly (readonly [name: string, options: Options, fault: RegExp])[] = [
    ["known objects when atomic", { knownObjects: knownItems() }, /does not use knownObjects/],
    ["no known objects when not atomic", { isAtomic: false }, /needs knownObjects/],
    ["batches of nothing", { maxBatch: 0 }, /maxBatch/],
    ["batches of a fraction", { maxBatch: 1.5 }, /maxBatch/],
  ];
  for (const [name, options, fault] of rows) {
    test(name, () => {
      expect(() => open(options)).toThrow(
        expect.objectContaining({ reason: "Invalid", message: expect.stringMatching(fault) }),
      );
    });
  }
});

test("the key of whatever a queue holds is told", () => {
  const queue = open();
  expect(queue.keyOf(item("A", 1))).toBe("A");
  expect(queue.keyOf(tombstone<Item>("B", undefined))).toBe("B");
  expect(queue.keyOf([{ type: "Added", object: item("C", 1) }])).toBe("C");
  expect(queue.keyOf([{ type: "Deleted", object: tombstone<Item>("D", undefined) }])).toBe("D");
  expect(() => queue.keyOf([])).toThrow(expect.objectContaining({ reason: "InvalidKey" }));
});
