import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RingBuffer } from "./ring-buffer.ts";

describe("RingBuffer", () => {
  test("is an array with push and shift, whatever the order of calls", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat()), { maxLength: 500 }), (steps) => {
        const buffer = new RingBuffer<number>();
        const model: number[] = [];
        for (const value of steps) {
          if (value === null) expect(buffer.shift()).toBe(model.shift());
          else {
            buffer.push(value);
            model.push(value);
          }
          expect([buffer.size, buffer.peek()]).toEqual([model.length, model[0]]);
        }
        expect([...buffer]).toEqual(model);
      }),
    );
  });

  test("gives a burst's memory back", () => {
    const buffer = new RingBuffer<number>();
    for (let i = 0; i < 100_000; i++) buffer.push(i);
    expect(buffer.capacity).toBe(131_072);
    for (let i = 0; i < 99_990; i++) buffer.shift();
    expect(buffer.capacity).toBeLessThanOrEqual(64);
    for (let i = 0; i < 10; i++) buffer.push(buffer.shift() ?? 0);
    while (buffer.size > 10) buffer.shift();
    expect([...buffer]).toEqual([99_990, 99_991, 99_992, 99_993, 99_994, 99_995, 99_996, 99_997, 99_998, 99_999]);
  });

  test("never shrinks below sixteen slots", () => {
    const buffer = new RingBuffer<number>();
    for (let i = 0; i < 40; i++) buffer.push(i);
    while (buffer.size > 0) buffer.shift();
    expect(buffer.capacity).toBe(16);
  });

  test("does not grow and shrink in turns at a border", () => {
    const buffer = new RingBuffer<number>();
    for (let i = 0; i < 17; i++) buffer.push(i);
    const capacities = new Set<number>();
    for (let i = 0; i < 100; i++) {
      buffer.shift();
      capacities.add(buffer.capacity);
      buffer.push(i);
      capacities.add(buffer.capacity);
    }
    expect([...capacities]).toEqual([32]);
  });

  test("holds undefined like any other value", () => {
    const buffer = new RingBuffer<undefined>();
    buffer.push(undefined);
    expect([buffer.size, buffer.shift(), buffer.size]).toEqual([1, undefined, 0]);
  });

  test("keeps no hold on what was taken out or cleared", async () => {
    const buffer = new RingBuffer<object>();
    const pushOne = (i: number) => {
      const item = { i };
      buffer.push(item);
      return new WeakRef(item);
    };
    const gone = [0, 1, 2, 3, 4].map(pushOne);
    while (buffer.size > 2) buffer.shift();
    const { setFlagsFromString } = await import("node:v8");
    const { runInNewContext } = await import("node:vm");
    setFlagsFromString("--expose-gc");
    const collectGarbage: () => void = runInNewContext("gc");
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(gone.map((ref) => ref.deref() === undefined)).toEqual([true, true, true, false, false]);
    buffer.clear();
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(gone.map((ref) => ref.deref() === undefined)).toEqual([true, true, true, true, true]);
  });
});
