import { describe, expect, test } from "vitest";
import { ClusterSize } from "./model.ts";

/** Nodes come and go until there are as many as each of these says, one after the other. */
function sizeAfter(...counts: readonly number[]): number {
  const size = new ClusterSize();
  let now = 0;
  for (const count of counts) {
    for (; now < count; now++) size.grow();
    for (; now > count; now--) size.shrink();
  }
  return size.ttlSeconds;
}

describe("while the cluster grows", () => {
  test.each([
    [0, 0],
    [1, 0],
    [100, 0],
    [101, 15],
    [500, 15],
    [501, 30],
    [1000, 30],
    [1001, 60],
    [2000, 60],
    [2001, 300],
    [10_000, 300],
  ])("%i nodes: %i s", (nodes, seconds) => expect(sizeAfter(nodes)).toBe(seconds));
});

describe("while the cluster shrinks", () => {
  test.each([
    [10_001, 10_000, 300],
    [2001, 2000, 300],
    [2001, 1800, 300],
    [2001, 1799, 60],
    [2001, 900, 60],
    [2001, 899, 30],
    [2001, 450, 30],
    [2001, 449, 15],
    [2001, 90, 15],
    [2001, 89, 0],
    [2001, 0, 0],
    [101, 100, 15],
    [101, 90, 15],
    [101, 89, 0],
    [501, 450, 30],
    [501, 449, 15],
    [1001, 900, 60],
    [1001, 899, 30],
  ])("from %i to %i nodes: %i s", (from, to, seconds) => expect(sizeAfter(from, to)).toBe(seconds));
});

describe("at a boundary", () => {
  test.each<[string, readonly number[], number]>([
    ["one that comes and goes changes nothing", [101, 100, 101, 100], 15],
    ["below the overlap it is forgotten", [101, 89, 100], 0],
    ["and reached anew above it", [101, 89, 101], 15],
    ["growing within the overlap changes nothing", [101, 90, 92], 15],
    ["which step it is depends on where the count came from", [95], 0],
  ])("%s", (_fact, counts, seconds) => expect(sizeAfter(...counts)).toBe(seconds));
});

test("one more node deleted than added is a count that cannot be", () => {
  const size = new ClusterSize();
  size.shrink();
  expect(() => size.ttlSeconds).toThrow("-1 nodes are counted");
});
