import { describe, expect, test } from "vitest";
import { FakeClock, noLog } from "../../base/index.ts";
import { isFinalStateUnknown } from "../tombstone.ts";
import type { Delta } from "./deltas.ts";
import { type Item, item, keyOfItem, print } from "./items.fixture.ts";
import { tombstone } from "./known-objects.ts";
import type { Batch } from "./queue.ts";
import { TakenBatches } from "./taken-batches.ts";

function opened() {
  const clock = new FakeClock();
  const notes: unknown[] = [];
  const seconds: number[] = [];
  const taken = new TakenBatches<Item>({
    keyOf: (object) => (isFinalStateUnknown(object) ? object.key : object.value < 0 ? undefined : keyOfItem(object)),
    clock,
    log: { ...noLog, warn: (_message, fields) => notes.push(fields) },
    metrics: {
      queuedItems: { set() {}, inc() {}, dec() {} },
      processingLatency: { observe: (value) => seconds.push(value) },
    },
  });
  return { clock, notes, seconds, taken };
}

const batchOf = (...deltas: Delta<Item>[]): Batch<Item> => ({ deltas, isInInitialList: false });
const added = (name: string, value = 1): Delta<Item> => ({ type: "Added", object: item(name, value) });

describe("the operator hears of slow work", () => {
  const rows: readonly (readonly [name: string, items: number, depth: number, tookMs: number, isSlow: boolean])[] = [
    ["when one item took more than a tenth of a second and many wait", 1, 11, 101, true],
    ["not when one item took that long and few wait", 1, 10, 5000, false],
    ["not when several took that long together", 3, 11, 300, false],
    ["when several took more than that each", 3, 11, 301, true],
    ["when many took more than a second together", 500, 11, 1001, true],
  ];
  for (const [name, items, depth, tookMs, isSlow] of rows) {
    test(name, async () => {
      const { clock, notes, seconds, taken } = opened();
      const batch = batchOf(...Array.from({ length: items }, (_, i) => added(`a${i}`)));
      taken.open(batch, depth);
      await clock.advance(tookMs);
      expect(taken.close(batch)).toBe(true);
      expect(notes).toEqual(isSlow ? [{ key: "a0", items, depth, tookMs }] : []);
      expect(seconds).toEqual([tookMs / 1000]);
    });
  }
});

test("what is in hand is known by its newest delta, until it is done", () => {
  const { taken } = opened();
  const first = batchOf(added("a", 1), added("b", 1), added("keyless", -1));
  const second = batchOf({ type: "Deleted", object: tombstone("a", item("a", 1)) });
  const third = batchOf({ type: "SyncAll" });
  for (const batch of [first, second, third]) taken.open(batch, 0);
  const known = () => Object.fromEntries([...taken.newestByKey()].map(([key, delta]) => [key, print(delta)]));
  expect(known()).toEqual({ a: "Deleted ?a=1", b: "Added b=1" });
  expect([taken.close(second), taken.close(second), taken.close(batchOf())]).toEqual([true, false, false]);
  expect(known()).toEqual({ a: "Added a=1", b: "Added b=1" });
  taken.close(first);
  taken.close(third);
  expect(known()).toEqual({});
});
