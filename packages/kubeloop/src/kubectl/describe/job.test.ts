import { expect, test } from "vitest";
import { printIndexes } from "./job.ts";

const fifty = "1".repeat(50);
for (const [what, indexes, text] of [
  ["none", "", "<none>"],
  ["few are whole", "1,3-5", "1,3-5"],
  ["many are cut behind a comma", `${fifty},2,3`, `${fifty},...`],
  ["many without another comma are whole", `1,${fifty}`, `1,${fifty}`],
] as const) {
  test(`indexes: ${what}`, () => expect(printIndexes(indexes)).toBe(text));
}
