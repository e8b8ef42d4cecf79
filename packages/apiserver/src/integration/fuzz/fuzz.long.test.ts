import { expect, test } from "vitest";
import { neverAsked, neverRefused } from "./admission-counts.contract.ts";
import { fuzz, printReport } from "./fuzz.contract.ts";

test("nothing gives under 100,000 mutated requests", async () => {
  const report = await fuzz({ seed: 100_000, requests: 100_000 });
  console.log(printReport(report));
  expect(report.violations).toEqual([]);
  expect([neverAsked(report.admission), neverRefused(report.admission)]).toEqual([[], []]);
});
