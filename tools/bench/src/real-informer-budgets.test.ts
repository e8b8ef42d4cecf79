import { expect, test } from "vitest";
import { isKept } from "./budget.ts";
import { type RealCost, type RealSubject, realBudgets } from "./real-informer-budgets.ts";

const floor: RealCost = { syncCpuMs: 1000, stallMs: 500, peakMb: 400, heapMb: 100, watchCpuMs: 6000 };
const ours: RealCost = { syncCpuMs: 300, stallMs: 5, peakMb: 160, heapMb: 40, watchCpuMs: 2000 };
const all: RealCost = { ...ours, watchCpuMs: 7000 };

const measured = (costs: readonly (readonly [RealSubject, RealCost])[]) => realBudgets(new Map(costs));
const withoutGo = [
  ["floor", floor],
  ["metadata", ours],
  ["status", { ...ours, watchCpuMs: 4000 }],
  ["all", all],
] as const;

test("costs are shares of the floor's, and throughput is the inverse of a share", () => {
  expect(measured(withoutGo).map((one) => [one.measured.toFixed(2), isKept(one)])).toEqual([
    ["0.30", true],
    ["0.01", true],
    ["0.40", true],
    ["0.40", true],
    ["3.00", true],
    ["1.50", true],
    ["0.86", false],
  ]);
});

test("client-go is a budget of its own where it was measured, and stands beside the others", () => {
  const { stallMs: _, ...go } = { ...floor, syncCpuMs: 250, heapMb: 60 };
  const rows = measured([...withoutGo, ["client-go", go]]);
  const [sync, against, stall, , heap] = rows;
  expect(rows).toHaveLength(8);
  expect(sync?.detail).toBe("300.0 of 1000.0 ms; client-go 250.0 ms");
  expect(against).toMatchObject({ measured: 1.2, limit: 0.9 });
  expect(stall?.detail).toBe("5.0 of 500.0 ms");
  expect(heap?.detail).toBe("40.0 of 100.0 MB; client-go 60.0 MB");
});

test("a number that is missing keeps no budget", () => {
  expect(measured([["floor", floor]]).some(isKept)).toBe(false);
});
