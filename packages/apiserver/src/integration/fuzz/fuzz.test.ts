import { expect, test } from "vitest";
import { addCounts, neverAsked, type PluginCount } from "./admission-counts.contract.ts";
import { fuzz, printReport } from "./fuzz.contract.ts";

test("nothing gives under mutated requests, and they reach every admission plugin", async () => {
  const admission = new Map<string, PluginCount>();
  for (const seed of [1, 1_001, 20_261]) {
    const report = await fuzz({ seed, requests: 1_000 });
    expect(report.violations, printReport(report)).toEqual([]);
    expect(report.requests).toBe(1_000);
    // Some are still good enough to be carried out, most are refused.
    expect(report.statuses.get(200) ?? 0).toBeGreaterThan(50);
    expect(report.statuses.get(201) ?? 0).toBeGreaterThan(50);
    expect(report.statuses.get(400) ?? 0).toBeGreaterThan(100);
    expect(report.statuses.get(422) ?? 0).toBeGreaterThan(20);
    addCounts(admission, report.admission);
  }
  expect(neverAsked(admission)).toEqual([]);
});
