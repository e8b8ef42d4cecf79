import { describe, expect, test } from "vitest";
import { Heap } from "./heap.ts";
import { QueueClosedError } from "./queue-closed-error.ts";
import { KeyError } from "./store-errors.ts";

interface Item {
  readonly name: string;
  readonly rank: number;
}

const neverAborted = new AbortController().signal;
const item = (name: string, rank: number): Item => ({ name, rank });
const newHeap = (...items: readonly Item[]) => {
  const heap = new Heap<Item>({ keyOf: ({ name }) => name, compare: (a, b) => a.rank - b.rank });
  heap.bulkAdd(items);
  return heap;
};
const four = [item("foo", 10), item("bar", 1), item("bal", 31), item("baz", 11)];
const popRanks = async (heap: Heap<Item>, count: number) => {
  const ranks: number[] = [];
  for (let i = 0; i < count; i++) ranks.push((await heap.pop(neverAborted)).rank);
  return ranks;
};

describe("a heap", () => {
  test("gives the least first, in whatever order they came", async () => {
    const heap = newHeap();
    for (let i = 500; i > 0; i--) heap.add(item(`a${i}`, i));
    for (let i = 1; i <= 500; i++) heap.add(item(`b${i}`, i));
    const ranks = await popRanks(heap, 1000);
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  });

  test("has one object for each key, the last one added", async () => {
    const heap = newHeap(item("foo", 10), item("bar", 1), item("baz", 11), item("zab", 30), item("foo", 13));
    expect(await popRanks(heap, 2)).toEqual([1, 11]);
    expect(heap.delete(item("baz", 11))).toBe(false);
    heap.add(item("foo", 14));
    expect(await popRanks(heap, 2)).toEqual([14, 30]);
  });

  test("keeps what it has when something is added only if it is not there", async () => {
    const heap = newHeap();
    for (const each of [item("foo", 10), item("bar", 1), item("baz", 11), item("foo", 13)]) heap.addIfNotPresent(each);
    expect([heap.size, heap.getByKey("foo")]).toEqual([3, item("foo", 10)]);
    expect(await popRanks(heap, 2)).toEqual([1, 10]);
    heap.addIfNotPresent(item("bar", 14));
    expect(await popRanks(heap, 2)).toEqual([11, 14]);
  });

  test("deletes by key, wherever the object is, and says whether it was there", async () => {
    const heap = newHeap(...four, item("zab", 30), item("faz", 30));
    const deleted = [item("bar", 200), item("nobody", 10), item("bal", 31), item("zab", 30)].map((each) =>
      heap.delete(each),
    );
    expect(deleted).toEqual([true, false, true, true]);
    expect([await popRanks(heap, 3), heap.size]).toEqual([[10, 11, 30], 0]);
  });

  test("moves an object whose rank changes, up or down", async () => {
    const heap = newHeap(...four);
    heap.update(item("baz", 0));
    expect(await popRanks(heap, 1)).toEqual([0]);
    heap.update(item("bar", 100));
    expect(await popRanks(heap, 3)).toEqual([10, 31, 100]);
  });

  test("finds an object by one with its key", () => {
    const heap = newHeap(...four);
    expect([heap.get(item("baz", 0)), heap.get(item("nobody", 0))]).toEqual([item("baz", 11), undefined]);
  });

  test("finds an object by its key", () => {
    const heap = newHeap(...four);
    expect([heap.getByKey("baz"), heap.getByKey("nobody")]).toEqual([item("baz", 11), undefined]);
  });

  test("lists its objects", () => {
    expect([
      newHeap().list(),
      newHeap(...four)
        .list()
        .sort(byName),
    ]).toEqual([[], four.toSorted(byName)]);
  });

  test("lists its keys", () => {
    expect([
      newHeap().listKeys(),
      newHeap(...four)
        .listKeys()
        .sort(),
    ]).toEqual([[], ["bal", "bar", "baz", "foo"]]);
  });

  test("takes none of several objects when one of them has no key", () => {
    const keyOf = ({ name }: Item) => {
      if (name === "") throw new Error("nameless");
      return name;
    };
    const heap = new Heap<Item>({ keyOf, compare: () => 0 });
    expect(() => heap.bulkAdd([item("a", 1), item("", 2)])).toThrow(KeyError);
    expect(heap.size).toBe(0);
  });

  const byName = (a: Item, b: Item) => (a.name < b.name ? -1 : 1);
});

describe("whoever waits for something to pop", () => {
  test("gets what comes", async () => {
    const heap = newHeap();
    const popped = heap.pop(neverAborted);
    heap.add(item("foo", 1));
    expect(await popped).toEqual(item("foo", 1));
  });

  test("gets the least of several that came together", async () => {
    const heap = newHeap();
    const popped = popRanks(heap, 500);
    heap.bulkAdd(Array.from({ length: 500 }, (_, at) => item(`a${at}`, 500 - at)));
    expect(await popped).toEqual(Array.from({ length: 500 }, (_, at) => at + 1));
  });

  test("is served in the order of coming", async () => {
    const heap = newHeap();
    const served: string[] = [];
    const waiting = ["first", "second"].map(async (who) => {
      const { name } = await heap.pop(neverAborted);
      served.push(`${who}: ${name}`);
    });
    heap.add(item("a", 1));
    await waiting[0];
    heap.add(item("b", 2));
    await waiting[1];
    expect(served).toEqual(["first: a", "second: b"]);
  });

  test("is told when the heap closes", async () => {
    const heap = newHeap();
    const popped = heap.pop(neverAborted);
    heap.close();
    await expect(popped).rejects.toThrow("heap is closed");
  });

  test("is let go when aborted, and takes nothing with it", async () => {
    const heap = newHeap();
    const stop = new AbortController();
    const popped = heap.pop(stop.signal);
    stop.abort(new Error("enough"));
    heap.add(item("foo", 1));
    await expect(popped).rejects.toThrow("enough");
    expect(heap.size).toBe(1);
  });
});

describe("a closed heap", () => {
  test("says so", () => {
    const heap = newHeap();
    const before = heap.isClosed;
    heap.close();
    expect([before, heap.isClosed]).toEqual([false, true]);
  });

  test("takes nothing more", () => {
    const heap = newHeap();
    heap.close();
    for (const write of [
      () => heap.add(item("a", 1)),
      () => heap.update(item("a", 1)),
      () => heap.addIfNotPresent(item("a", 1)),
      () => heap.bulkAdd([item("a", 1)]),
    ])
      expect(write).toThrow(QueueClosedError);
  });

  test("still gives what it has", async () => {
    const heap = newHeap(item("a", 1));
    heap.close();
    expect(await popRanks(heap, 1)).toEqual([1]);
    await expect(heap.pop(neverAborted)).rejects.toThrow(QueueClosedError);
  });
});
