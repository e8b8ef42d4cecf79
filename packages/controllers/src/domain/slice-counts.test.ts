import { expect, test } from "vitest";
import { SliceCounts } from "./slice-counts.ts";

test("what a Service counts replaces what it counted before", () => {
  const counts = new SliceCounts({ most: 100, least: 1 });
  counts.set("a", [
    { endpoints: 203, slices: 4 },
    { endpoints: 5, slices: 1 },
  ]);
  expect(counts.total).toEqual({ endpoints: 208, slices: 5, desiredSlices: 4 });
  counts.set("b", [{ endpoints: 1, slices: 1 }]);
  expect(counts.total).toEqual({ endpoints: 209, slices: 6, desiredSlices: 5 });
  counts.set("a", [{ endpoints: 100, slices: 4 }]);
  expect(counts.total).toEqual({ endpoints: 101, slices: 5, desiredSlices: 2 });
  counts.forget("a");
  counts.forget("never there");
  expect(counts.total).toEqual({ endpoints: 1, slices: 1, desiredSlices: 1 });
});

test("a Service without endpoints has a placeholder, or nothing", () => {
  const placed = new SliceCounts({ most: 100, least: 1 });
  placed.set("a", [{ endpoints: 0, slices: 1 }]);
  expect(placed.total).toEqual({ endpoints: 0, slices: 1, desiredSlices: 1 });
  const plain = new SliceCounts({ most: 100, least: 0 });
  plain.set("a", []);
  expect(plain.total).toEqual({ endpoints: 0, slices: 0, desiredSlices: 0 });
});
