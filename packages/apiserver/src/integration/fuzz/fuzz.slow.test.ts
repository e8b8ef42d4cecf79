import { expect, test } from "vitest";
import { fuzz, printReport } from "./fuzz.contract.ts";

test("nothing gives under 15,000 mutated requests", async () => {
  const report = await fuzz({ seed: 100_000, requests: 15_000 });
  console.log(printReport(report));
  expect(report.violations).toEqual([]);
});
