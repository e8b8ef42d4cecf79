import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KeyedHeap } from "./keyed-heap.ts";

interface Item {
  readonly key: string;
  readonly rank: number;
}

const makeHeap = () => new KeyedHeap<string, Item>({ keyOf: (item) => item.key, compare: (a, b) => a.rank - b.rank });

const drain = (heap: KeyedHeap<string, Item>) => {
  const out: number[] = [];
  for (let item = heap.pop(); item !== undefined; item = heap.pop()) out.push(item.rank);
  return out;
};

describe("KeyedHeap", () => {
  test("empty, it gives nothing", () => {
    const heap = makeHeap();
    expect([heap.size, heap.peek(), heap.pop(), heap.get("a"), heap.remove("a"), heap.has("a")]).toEqual([
      0,
      undefined,
      undefined,
      undefined,
      undefined,
      false,
    ]);
  });

  test("the same key replaces, and moves up or down", () => {
    const heap = makeHeap();
    for (const [key, rank] of [
      ["a", 1],
      ["b", 2],
      ["c", 3],
    ] as const)
      heap.set({ key, rank });
    heap.set({ key: "a", rank: 9 });
    heap.set({ key: "c", rank: 0 });
    expect(heap.size).toBe(3);
    expect(heap.get("a")).toEqual({ key: "a", rank: 9 });
    expect(drain(heap)).toEqual([0, 2, 9]);
  });

  test("an item that takes a removed one's place may have to rise", () => {
    const heap = makeHeap();
    // The last leaf (5) is smaller than the parent (50) of the one that is removed.
    for (const rank of [1, 50, 2, 60, 70, 3, 5]) heap.set({ key: `r${rank}`, rank });
    heap.remove("r60");
    expect(drain(heap)).toEqual([1, 2, 3, 5, 50, 70]);
  });

  test("clear forgets keys too", () => {
    const heap = makeHeap();
    heap.set({ key: "a", rank: 1 });
    heap.clear();
    expect([heap.size, heap.has("a")]).toEqual([0, false]);
  });

  test("behaves as a sorted map does, whatever is done to it", () => {
    // Enough keys for a heap of several levels, and long runs, so that items sink and rise more than one of them.
    const key = fc.integer({ min: 0, max: 40 }).map((n) => `k${n}`);
    const step = fc.oneof(
      fc.record({ do: fc.constant("set" as const), key, rank: fc.nat(1000) }),
      fc.record({ do: fc.constant("remove" as const), key }),
      fc.record({ do: fc.constant("pop" as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 50, maxLength: 400, size: "max" }), (steps) => {
        const heap = makeHeap();
        const model = new Map<string, number>();
        for (const it of steps) {
          if (it.do === "set") {
            heap.set({ key: it.key, rank: it.rank });
            model.set(it.key, it.rank);
          } else if (it.do === "remove") {
            expect(heap.remove(it.key)?.rank).toBe(model.get(it.key));
            model.delete(it.key);
          } else {
            const top = heap.pop();
            expect(top?.rank).toBe(model.size === 0 ? undefined : Math.min(...model.values()));
            if (top !== undefined) {
              expect(model.get(top.key)).toBe(top.rank);
              model.delete(top.key);
            }
          }
          expect(heap.size).toBe(model.size);
          for (const [name, rank] of model) expect(heap.get(name)?.rank).toBe(rank);
        }
        expect([...heap.values()].map((item) => item.key).sort()).toEqual([...model.keys()].sort());
        expect(drain(heap)).toEqual([...model.values()].sort((a, b) => a - b));
      }),
    );
  });
});
