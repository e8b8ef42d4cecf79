import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { PriorityOrder, type PriorityOrderOptions } from "./priority-order.ts";

type Add = readonly [key: string, priority: number, atMs: number];

/** Adds all of them, then takes until nothing is left, at `nowMs`; each is released as soon as the next is taken. */
function orderOf(adds: readonly Add[], nowMs: number, options: PriorityOrderOptions<string> = {}): readonly string[] {
  const order = new PriorityOrder<string>(options);
  const known = new Set<string>();
  for (const [key, priority, atMs] of adds) {
    if (known.has(key)) order.raise(key, priority);
    else order.push(key, priority, atMs);
    known.add(key);
  }
  const taken: string[] = [];
  for (let key = order.pop(nowMs); key !== undefined; key = order.pop(nowMs)) {
    taken.push(key);
    order.release(key);
  }
  return taken;
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function heapAfterCollection(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const byNamespace = (key: string) => key.slice(0, key.indexOf("/"));

describe("the order", () => {
  test.each<[string, readonly Add[], number, PriorityOrderOptions<string>, readonly string[]]>([
    [
      "is first in, first out within a level",
      [
        ["a", 0, 0],
        ["b", 0, 1],
        ["c", 0, 2],
      ],
      3,
      {},
      ["a", "b", "c"],
    ],
    [
      "puts the higher priority first",
      [
        ["low", -100, 0],
        ["high", 5, 1],
        ["mid", 0, 2],
      ],
      3,
      {},
      ["high", "mid", "low"],
    ],
    [
      "keeps the highest priority a key was added with",
      [
        ["a", 0, 0],
        ["b", 1, 0],
        ["a", 2, 0],
      ],
      1,
      {},
      ["a", "b"],
    ],
    [
      "never lowers a priority",
      [
        ["a", 2, 0],
        ["b", 1, 0],
        ["a", 0, 0],
      ],
      1,
      {},
      ["a", "b"],
    ],
    [
      "puts what has waited too long before everything younger",
      [
        ["old", -100, 0],
        ["new", 5, 50_000],
      ],
      60_001,
      {},
      ["old", "new"],
    ],
    [
      "leaves ageing until the time has passed",
      [
        ["old", -100, 0],
        ["new", 5, 50_000],
      ],
      60_000,
      {},
      ["new", "old"],
    ],
    [
      "takes the oldest first among those that waited too long, raised ones too",
      [
        ["a", -1, 0],
        ["b", 5, 1],
        ["c", 0, 2],
        ["c", 9, 3],
      ],
      1000,
      { agingMs: 10 },
      ["a", "b", "c"],
    ],
    [
      "lets groups take turns within a level",
      [
        ["x/1", 0, 0],
        ["x/2", 0, 0],
        ["x/3", 0, 0],
        ["y/1", 0, 0],
        ["z/1", 0, 0],
      ],
      1,
      { groupOf: byNamespace },
      ["x/1", "y/1", "z/1", "x/2", "x/3"],
    ],
    [
      "does not let turns outweigh priority",
      [
        ["x/1", 1, 0],
        ["x/2", 1, 0],
        ["y/1", 0, 0],
      ],
      1,
      { groupOf: byNamespace },
      ["x/1", "x/2", "y/1"],
    ],
  ])("%s", (_, adds, nowMs, options, expected) => {
    expect(orderOf(adds, nowMs, options)).toEqual(expected);
  });

  test("holds back a group that is at its cap, and only that one", () => {
    const order = new PriorityOrder<string>({ groupOf: byNamespace, maxPerGroup: 1 });
    for (const key of ["x/1", "x/2", "y/1"]) order.push(key, 0, 0);
    expect([order.pop(0), order.pop(0), order.pop(0)]).toEqual(["x/1", "y/1", undefined]);
    order.release("x/1");
    expect([order.pop(0), order.pop(0)]).toEqual(["x/2", undefined]);
  });

  test("gives a group its turn first when it has room again, and once", () => {
    const order = new PriorityOrder<string>({ groupOf: byNamespace, maxPerGroup: 1 });
    for (const key of ["x/1", "x/2", "x/3", "y/1", "y/2", "z/1"]) order.push(key, 0, 0);
    expect([order.pop(0), order.pop(0)]).toEqual(["x/1", "y/1"]);
    // x and y are at their cap when their turn comes again.
    expect(order.pop(0)).toBe("z/1");
    expect(order.pop(0)).toBeUndefined();
    order.push("w/1", 0, 0);
    order.release("y/1");
    order.release("x/1");
    expect([order.pop(0), order.pop(0), order.pop(0), order.pop(0)]).toEqual(["y/2", "x/2", "w/1", undefined]);
    order.release("x/2");
    expect([order.pop(0), order.pop(0), order.size]).toEqual(["x/3", undefined, 0]);
  });

  test("does not look at all other groups while one is at its cap", () => {
    const order = new PriorityOrder<string>({ groupOf: byNamespace, maxPerGroup: 1 });
    order.push("busy/1", 0, 0);
    order.pop(0);
    order.push("busy/2", 0, 0);
    const count = 100_000;
    for (let i = 0; i < count; i++) order.push(`group-${i}/1`, 0, 0);
    let taken = 0;
    // Passing over them each time would take minutes: the test's own time limit is the bound.
    for (let key = order.pop(0); key !== undefined; key = order.pop(0)) {
      taken++;
      order.release(key);
    }
    expect([taken, order.size]).toEqual([count, 1]);
  });

  test("lets an aged key of another group pass one whose group is at its cap", () => {
    const order = new PriorityOrder<string>({ groupOf: byNamespace, maxPerGroup: 1, agingMs: 10 });
    order.push("x/1", 0, 0);
    expect(order.pop(0)).toBe("x/1");
    order.push("x/2", -5, 0);
    order.push("y/1", -5, 1);
    order.push("z/1", 5, 90);
    expect([order.pop(100), order.pop(100), order.pop(100)]).toEqual(["y/1", "z/1", undefined]);
    order.release("x/1");
    order.push("w/1", 9, 100);
    expect([order.pop(100), order.pop(100)]).toEqual(["x/2", "w/1"]);
  });

  test("does not pile up what has left behind a key that cannot go", () => {
    const order = new PriorityOrder<string>({ groupOf: byNamespace, maxPerGroup: 1 });
    order.push("x/1", 0, 0);
    order.pop(0);
    order.push("x/2", 0, 0);
    const before = heapAfterCollection();
    for (let i = 0; i < 300_000; i++) {
      order.push(`y/${i}`, 0, 1);
      order.raise(`y/${i}`, 1);
      const key = order.pop(1);
      if (key !== undefined) order.release(key);
    }
    expect(order.size).toBe(1);
    // Every record kept would be more than 30 MB.
    expect(heapAfterCollection() - before).toBeLessThan(3e6);
  });
});
