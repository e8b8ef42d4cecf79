import { describe, expect, test } from "vitest";
import { RequeueError } from "../requeue-error.ts";
import { DeltaFIFO, type DeltaFIFOOptions } from "./delta-fifo.ts";
import type { ObjectDelta } from "./deltas.ts";
import {
  countTransform,
  drain,
  type Item,
  item,
  items,
  keyOfItem,
  knownItems,
  print,
  printBatch,
  printObject,
  takeOne,
} from "./items.fixture.ts";
import { tombstone } from "./known-objects.ts";
import { describeQueue } from "./queue.contract.ts";

type Options = Omit<DeltaFIFOOptions<Item>, "keyOf">;
type Actions = (queue: DeltaFIFO<Item>) => void;

const open = (options: Options = {}) => new DeltaFIFO<Item>({ keyOf: keyOfItem, ...options });
const openKnowing = (...known: readonly Item[]) => open({ knownObjects: knownItems(...known) });
const running = () => new AbortController().signal;
const printAll = (deltas: readonly ObjectDelta<Item>[] | undefined) => deltas?.map(print);

describeQueue("a DeltaFIFO", { open: (options) => open({ knownObjects: knownItems(), ...options }) });
describeQueue("a DeltaFIFO that knows nothing", {
  open: ({ knownObjects: _, ...options }) => open(options),
});

describe("for each object", () => {
  const rows: readonly (readonly [
    name: string,
    known: readonly Item[] | undefined,
    actions: Actions,
    expected: readonly (readonly string[])[],
  ])[] = [
    [
      "all that happened is taken together",
      undefined,
      (queue) => {
        queue.add(item("a", 10));
        queue.update(item("a", 12));
        queue.delete(item("a", 15));
      },
      [["Added a=10", "Updated a=12", "Deleted a=15"]],
    ],
    [
      "a place in the line is kept by whoever came first",
      undefined,
      (queue) => {
        queue.add(item("a", 10));
        queue.add(item("b", 1));
        queue.add(item("a", 11));
        queue.add(item("c", 30));
      },
      [["Added a=10", "Added a=11"], ["Added b=1"], ["Added c=30"]],
    ],
    [
      "the deletion of what is neither queued nor known is dropped",
      undefined,
      (queue) => {
        queue.add(item("a", 10));
        queue.update(item("b", 15));
        queue.add(item("c", 17));
        queue.delete(item("c", 18));
        queue.delete(item("d", 20));
      },
      [["Added a=10"], ["Updated b=15"], ["Added c=17", "Deleted c=18"]],
    ],
    [
      "the deletion of what is known is queued",
      items(["a", 5], ["b", 6], ["c", 7]),
      (queue) => {
        queue.add(item("a", 10));
        queue.update(item("b", 15));
        queue.delete(item("c", 20));
      },
      [["Added a=10"], ["Updated b=15"], ["Deleted c=20"]],
    ],
    [
      "the deletion of what is queued and not known is queued",
      [],
      (queue) => {
        queue.add(item("a", 5));
        queue.delete(item("a", 6));
      },
      [["Added a=5", "Deleted a=6"]],
    ],
    [
      "two deletions in a row are the first",
      undefined,
      (queue) => {
        queue.add(item("a", 1));
        queue.delete(item("a", 2));
        queue.delete(item("a", 3));
      },
      [["Added a=1", "Deleted a=2"]],
    ],
    [
      "a deletion behind a tombstone takes its place: it knows more",
      undefined,
      (queue) => {
        queue.add(item("a", 1));
        queue.replace([], "2");
        queue.delete(item("a", 3));
      },
      [["Added a=1", "Deleted a=3"]],
    ],
    [
      "two deletions with a return between them are both told",
      undefined,
      (queue) => {
        queue.add(item("a", 1));
        queue.delete(item("a", 2));
        queue.add(item("a", 3));
        queue.delete(item("a", 4));
      },
      [["Added a=1", "Deleted a=2", "Added a=3", "Deleted a=4"]],
    ],
    [
      "a list comes behind what happened before",
      undefined,
      (queue) => {
        queue.add(item("a", 10));
        queue.replace(items(["a", 15]), "0");
      },
      [["Added a=10", "Replaced a=15"]],
    ],
    ["a resync tells of what is known", items(["a", 5]), (queue) => queue.resync(), [["Sync a=5"]]],
    ["a resync tells of nothing where nothing is known", undefined, (queue) => queue.resync(), []],
    [
      "a resync does not bring back what is being deleted",
      items(["a", 5]),
      (queue) => {
        queue.delete(item("a", 10));
        queue.resync();
      },
      [["Deleted a=10"]],
    ],
    [
      "a resync does not bring back what is being updated",
      items(["a", 5]),
      (queue) => {
        queue.update(item("a", 6));
        queue.resync();
      },
      [["Updated a=6"]],
    ],
  ];
  for (const [name, known, actions, expected] of rows) {
    test(name, () => {
      const queue = known === undefined ? open() : openKnowing(...known);
      actions(queue);
      expect(drain(queue)).toEqual(expected);
      expect(queue.size).toBe(0);
    });
  }

  test("a second change does not jump the line", () => {
    const queue = open();
    queue.add(item("a", 10));
    queue.add(item("b", 1));
    queue.add(item("a", 13));
    queue.add(item("c", 30));
    expect(takeOne(queue)).toEqual(["Added a=10", "Added a=13"]);
    queue.add(item("a", 14));
    expect(drain(queue)).toEqual([["Added b=1"], ["Added c=30"], ["Added a=14"]]);
  });
});

describe("a list", () => {
  const five = items(["a", 5], ["b", 6], ["c", 7]);
  const onlyQueued: readonly (readonly [name: string, actions: Actions, expected: readonly string[]])[] = [
    [
      "buries what is queued and not on it",
      (queue) => {
        queue.add(item("a", 2));
        queue.replace([], "0");
      },
      ["Added a=2", "Deleted ?a=2"],
    ],
    [
      "buries once what an earlier one had",
      (queue) => {
        queue.add(item("a", 2));
        queue.replace(items(["a", 2]), "0");
        queue.replace([], "0");
      },
      ["Added a=2", "Replaced a=2", "Deleted ?a=2"],
    ],
    [
      "does not bury what is marked as deleted",
      (queue) => {
        queue.add(item("a", 2));
        queue.delete(item("a", 2));
        queue.replace([], "0");
      },
      ["Added a=2", "Deleted a=2"],
    ],
    [
      "buries once what several had",
      (queue) => {
        queue.add(item("a", 2));
        queue.replace(items(["a", 2]), "0");
        queue.replace(items(["a", 2]), "0");
        queue.replace([], "0");
      },
      ["Added a=2", "Replaced a=2", "Replaced a=2", "Deleted ?a=2"],
    ],
    [
      "buries once what another lacks, too",
      (queue) => {
        queue.add(item("a", 2));
        queue.replace([], "0");
        queue.replace([], "1");
      },
      ["Added a=2", "Deleted ?a=2"],
    ],
    [
      "buries what came back after its deletion",
      (queue) => {
        queue.add(item("a", 2));
        queue.delete(item("a", 2));
        queue.add(item("a", 3));
        queue.replace([], "0");
      },
      ["Added a=2", "Deleted a=2", "Added a=3", "Deleted ?a=3"],
    ],
  ];
  for (const [name, actions, expected] of onlyQueued) {
    test(name, () => {
      for (const queue of [openKnowing(), open()]) {
        actions(queue);
        expect(drain(queue)).toEqual([expected]);
      }
    });
  }

  const rows: readonly (readonly [
    name: string,
    options: Options,
    actions: Actions,
    expected: readonly (readonly string[])[],
  ])[] = [
    [
      "tells of an object also behind its deletion",
      { knownObjects: knownItems(item("a", 1)) },
      (queue) => {
        queue.delete(item("a", 1));
        queue.replace(items(["a", 2]), "");
      },
      [["Deleted a=1", "Replaced a=2"]],
    ],
    [
      "tells of its objects first and then buries what is known and not on it",
      { knownObjects: knownItems(...five) },
      (queue) => {
        queue.delete(item("c", 10));
        queue.replace(items(["a", 6]), "0");
      },
      [["Deleted c=10"], ["Replaced a=6"], ["Deleted ?b=6"]],
    ],
    [
      "buries what is queued as it is queued, not as it is known",
      { knownObjects: knownItems(...five) },
      (queue) => {
        queue.add(item("c", 10));
        queue.replace(items(["a", 5]), "0");
      },
      [["Added c=10", "Deleted ?c=10"], ["Replaced a=5"], ["Deleted ?b=6"]],
    ],
    [
      "buries what was deleted and came back as it came back",
      { knownObjects: knownItems(...five) },
      (queue) => {
        queue.delete(item("b", 6));
        queue.add(item("b", 100));
        queue.replace(items(["a", 5]), "0");
      },
      [["Deleted b=6", "Added b=100", "Deleted ?b=100"], ["Replaced a=5"], ["Deleted ?c=7"]],
    ],
    [
      "buries what only an earlier one had as that one had it",
      { knownObjects: knownItems(...five) },
      (queue) => {
        queue.replace(items(["b", 100], ["a", 5]), "0");
        queue.replace(items(["a", 5]), "0");
      },
      [["Replaced b=100", "Deleted ?b=100"], ["Replaced a=5", "Replaced a=5"], ["Deleted ?c=7"]],
    ],
    [
      "buries what is queued where nothing is known",
      {},
      (queue) => {
        queue.add(item("c", 10));
        queue.replace(items(["a", 5]), "0");
      },
      [["Added c=10", "Deleted ?c=10"], ["Replaced a=5"]],
    ],
    [
      "is called Replaced",
      { knownObjects: knownItems(item("a", 5)) },
      (queue) => queue.replace(items(["a", 5]), "0"),
      [["Replaced a=5"]],
    ],
    [
      "is called Sync where that is expected",
      { knownObjects: knownItems(item("a", 5)), replacedAs: "Sync" },
      (queue) => {
        queue.delete(item("a", 5));
        queue.replace(items(["a", 5]), "0");
      },
      [["Deleted a=5", "Sync a=5"]],
    ],
    [
      "buries what is known by its key alone",
      { knownObjects: { listKeys: () => ["a"], getByKey: () => undefined } },
      (queue) => queue.replace([], "0"),
      [["Deleted ?a=unknown"]],
    ],
  ];
  for (const [name, options, actions, expected] of rows) {
    test(name, () => {
      const queue = open(options);
      actions(queue);
      expect(drain(queue)).toEqual(expected);
    });
  }

  test("called Sync goes through the transform like any other", () => {
    const queue = open({ replacedAs: "Sync", transform: countTransform });
    queue.replace(items(["a", 1]), "1");
    expect(queue.getByKey("a")).toEqual([{ type: "Sync", object: countTransform(item("a", 1)) }]);
  });

  test("with a broken object is refused whole", () => {
    const queue = open();
    expect(() => queue.replace([item("a", 1), item("", 1)], "0")).toThrow(
      expect.objectContaining({ reason: "InvalidKey" }),
    );
    expect([queue.size, queue.hasSynced()]).toEqual([0, false]);
  });

  test("leaves tombstones that went through the transform once, and deletions as they were", () => {
    const queue = open({ transform: countTransform });
    queue.add(item("a", 10));
    queue.add(item("b", 11));
    queue.update(item("a", 12));
    queue.delete(item("a", 15));
    queue.replace([], "");
    queue.add(item("b", 16));
    queue.replace([], "");
    expect(queue.listKeys()).toEqual(["a", "b"]);
    const newest = [queue.take(), queue.take()].map((batch) => batch?.deltas.at(-1)?.object);
    expect(newest).toEqual([countTransform(item("a", 15)), tombstone("b", countTransform(item("b", 16)))]);
  });
});

describe("has synced, object by object:", () => {
  test("tombstones of the first list are part of it", () => {
    const queue = openKnowing(...items(["a", 5], ["b", 6], ["c", 7]));
    queue.replace(items(["a", 5]), "0");
    const seen: string[] = [];
    while (queue.size > 0) {
      expect(queue.hasSynced()).toBe(false);
      const batch = queue.take();
      expect(batch?.isInInitialList).toBe(true);
      seen.push(...printBatch(batch));
      if (batch !== undefined) queue.done(batch);
    }
    expect(seen).toEqual(["Replaced a=5", "Deleted ?b=6", "Deleted ?c=7"]);
    expect(queue.hasSynced()).toBe(true);
  });

  test("each object of the first list counts", () => {
    const queue = open();
    queue.replace(items(["a", 1], ["b", 2]), "0");
    takeOne(queue);
    expect(queue.hasSynced()).toBe(false);
    takeOne(queue);
    expect(queue.hasSynced()).toBe(true);
  });

  test("an object that is listed twice counts once", () => {
    const queue = open();
    queue.replace(items(["a", 1], ["a", 2]), "0");
    expect(takeOne(queue)).toEqual(["Replaced a=1", "Replaced a=2"]);
    expect(queue.hasSynced()).toBe(true);
  });

  test("what comes after the first list is not part of it", () => {
    const queue = open();
    queue.replace(items(["a", 1]), "0");
    queue.add(item("b", 2));
    expect([queue.take(), queue.take()].map((batch) => batch?.isInInitialList)).toEqual([true, false]);
  });
});

describe("what is queued can be looked at:", () => {
  test("the newest of each object, the keys in line, all deltas of one", () => {
    const queue = open();
    queue.add(item("a", 10));
    queue.add(item("b", 1));
    queue.update(item("a", 12));
    queue.delete(item("a", 15));
    expect(queue.list().map(printObject)).toEqual(["a=15", "b=1"]);
    expect(queue.listKeys()).toEqual(["a", "b"]);
    expect(printAll(queue.get(item("a", 0)))).toEqual(["Added a=10", "Updated a=12", "Deleted a=15"]);
    expect(printAll(queue.getByKey("b"))).toEqual(["Added b=1"]);
    takeOne(queue);
    expect([queue.get(item("a", 0)), queue.listKeys()]).toEqual([undefined, ["b"]]);
  });

  test("what was given does not change with the queue", () => {
    const queue = open();
    queue.add(item("a", 1));
    const given = queue.getByKey("a");
    queue.update(item("a", 2));
    expect(printAll(given)).toEqual(["Added a=1"]);
  });

  test("the key of whatever it holds is told", () => {
    const queue = open();
    expect(queue.keyOf(item("A", 1))).toBe("A");
    expect(queue.keyOf(tombstone<Item>("B", undefined))).toBe("B");
    expect(queue.keyOf([{ type: "Added", object: item("C", 1) }])).toBe("C");
    expect(queue.keyOf([{ type: "Deleted", object: tombstone<Item>("D", undefined) }])).toBe("D");
    expect(() => queue.keyOf([])).toThrow(expect.objectContaining({ reason: "InvalidKey" }));
  });
});

describe("an item that could not be worked on", () => {
  const requeue = (cause?: Error) => () => {
    throw new RequeueError(cause);
  };

  test("goes back, until it is worked on", async () => {
    const queue = open();
    queue.add(item("a", 10));
    queue.add(item("b", 1));
    expect(await queue.pop(requeue(), running())).toBeUndefined();
    expect(printAll(queue.getByKey("a"))).toEqual(["Added a=10"]);
    expect(queue.listKeys()).toEqual(["b", "a"]);
    takeOne(queue);
    const cause = new Error("not today");
    await expect(queue.pop(requeue(cause), running())).rejects.toBe(cause);
    expect(queue.listKeys()).toEqual(["a"]);
    await queue.pop(() => {}, running());
    expect(queue.size).toBe(0);
  });

  test("does not go back when it failed for another reason", async () => {
    const queue = open();
    queue.add(item("a", 10));
    await expect(queue.pop(() => Promise.reject(new Error("broken")), running())).rejects.toThrow("broken");
    expect(queue.size).toBe(0);
  });

  test("does not go back when something newer is queued", async () => {
    const queue = open();
    queue.add(item("a", 10));
    const work = () => {
      queue.update(item("a", 11));
      throw new RequeueError();
    };
    expect(await queue.pop(work, running())).toBeUndefined();
    expect(printAll(queue.getByKey("a"))).toEqual(["Updated a=11"]);
    expect(drain(queue)).toEqual([["Updated a=11"]]);
    expect(queue.take()).toBeUndefined();
  });

  test("does not go back into a closed queue, which would never end", async () => {
    const queue = open();
    queue.add(item("a", 10));
    queue.close();
    expect(await queue.pop(requeue(), running())).toBeUndefined();
    expect(queue.size).toBe(0);
  });

  test("of the first list is waited for once more, also behind what came later", async () => {
    const queue = open();
    queue.replace(items(["a", 1], ["b", 1]), "1");
    queue.add(item("c", 1));
    expect(await queue.pop(requeue(), running())).toBeUndefined();
    takeOne(queue);
    takeOne(queue);
    expect(queue.hasSynced()).toBe(false);
    expect(queue.take()?.isInInitialList).toBe(true);
  });

  test("can be put back by its deltas", () => {
    const queue = open();
    queue.addIfNotPresent([{ type: "Added", object: item("a", 1) }]);
    queue.addIfNotPresent([{ type: "Added", object: item("a", 2) }]);
    expect(queue.hasSynced()).toBe(true);
    expect(drain(queue)).toEqual([["Added a=1"]]);
    queue.close();
    queue.addIfNotPresent([{ type: "Added", object: item("a", 3) }]);
    expect(queue.size).toBe(0);
  });
});

describe("what is in hand counts as known:", () => {
  const rows: readonly (readonly [
    name: string,
    before: Actions,
    meanwhile: Actions,
    expected: readonly (readonly string[])[],
  ])[] = [
    [
      "its deletion is queued",
      (queue) => queue.add(item("a", 1)),
      (queue) => queue.delete(item("a", 2)),
      [["Deleted a=2"]],
    ],
    [
      "a list without it buries it",
      (queue) => queue.add(item("a", 1)),
      (queue) => queue.replace([], "2"),
      [["Deleted ?a=1"], ["Deleted ?k=1"]],
    ],
    [
      "what is being deleted is not deleted again",
      (queue) => queue.delete(item("k", 2)),
      (queue) => queue.delete(item("k", 2)),
      [],
    ],
    [
      "what is being deleted is not buried",
      (queue) => queue.delete(item("k", 2)),
      (queue) => queue.replace([], "2"),
      [],
    ],
    [
      "what is being deleted is not brought back by a resync",
      (queue) => queue.delete(item("k", 2)),
      (queue) => queue.resync(),
      [],
    ],
  ];
  for (const [name, before, meanwhile, expected] of rows) {
    test(name, () => {
      const queue = openKnowing(item("k", 1));
      before(queue);
      queue.take();
      meanwhile(queue);
      expect(drain(queue)).toEqual(expected);
    });
  }
});

describe("a compressor", () => {
  const newestOnly = (deltas: readonly ObjectDelta<Item>[]) => deltas.slice(-1);
  /** An object that came and went was never there. */
  const forgetful = (deltas: readonly ObjectDelta<Item>[]) =>
    deltas[0]?.type === "Added" && deltas.at(-1)?.type === "Deleted" ? [] : deltas;

  test("may leave less", () => {
    const queue = open({ compress: newestOnly });
    queue.add(item("a", 1));
    queue.update(item("a", 2));
    queue.add(item("b", 1));
    queue.update(item("a", 3));
    expect(drain(queue)).toEqual([["Updated a=3"], ["Added b=1"]]);
  });

  test("may leave nothing: then the object is not queued, and comes at the end when it returns", async () => {
    const queue = open({ compress: forgetful });
    queue.add(item("a", 1));
    queue.add(item("b", 1));
    queue.delete(item("a", 2));
    expect([queue.size, queue.listKeys(), queue.getByKey("a")]).toEqual([1, ["b"], undefined]);
    queue.add(item("a", 3));
    expect(drain(queue)).toEqual([["Added b=1"], ["Added a=3"]]);
    queue.add(item("a", 4));
    queue.delete(item("a", 5));
    expect(queue.take()).toBeUndefined();
    queue.close();
    expect(await queue.ready(running())).toBe(false);
  });

  test("may leave nothing of the first list", () => {
    const compress = (deltas: readonly ObjectDelta<Item>[]) => (deltas.at(-1)?.type === "Deleted" ? [] : deltas);
    const queue = open({ compress });
    queue.replace(items(["a", 1], ["b", 1]), "1");
    queue.delete(item("a", 2));
    expect(queue.hasSynced()).toBe(false);
    expect(drain(queue)).toEqual([["Replaced b=1"]]);
    expect(queue.hasSynced()).toBe(true);
  });
});
