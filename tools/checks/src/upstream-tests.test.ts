import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryRoot } from "./repository.ts";
import {
  findRowFaults,
  findUnshownTests,
  printUpstreamTable,
  readUpstreamNames,
  readUpstreamRows,
  shownSections,
  type UpstreamRow,
  upstreamTablePath,
} from "./upstream-tests.ts";

describe("rows", () => {
  const names = { "tools/x": { queue: ["TestA", "TestB"] } };
  const a: UpstreamRow = { upstream: "tools/x/queue TestA", ours: [{ file: "a.test.ts", test: "queue > is a" }] };
  const b: UpstreamRow = { upstream: "tools/x/queue TestB", ours: [{ file: "b.test.ts", test: "is b" }] };

  test.each<[string, readonly UpstreamRow[], readonly string[]]>([
    ["all is well when each name has a row", [a, b], []],
    ["a name without a row is a fault", [a], ['"tools/x/queue TestB" has no row']],
    [
      "a name upstream does not have is a fault",
      [a, b, { ...a, upstream: "tools/x/queue TestC" }],
      ['upstream has no test "tools/x/queue TestC"'],
    ],
    [
      "a row that says nothing is a fault",
      [a, { upstream: b.upstream }],
      ['"tools/x/queue TestB" has neither a test of ours nor a reason'],
    ],
    [
      "more than a tenth may not be left out",
      [a, { upstream: b.upstream, doesNotApply: "why" }],
      ["1 of 2 do not apply: more than a tenth"],
    ],
  ])("%s", (_, rows, faults) => {
    expect(findRowFaults(names, rows, ["tools/x"])).toEqual(faults);
  });

  const report = (status: string) =>
    JSON.stringify({
      testResults: [
        {
          name: join(repositoryRoot, "a.test.ts"),
          assertionResults: [{ ancestorTitles: ["queue"], title: "is a", status }],
        },
      ],
    });
  test.each([
    ["a test that passed is shown", [a], [report("passed")], 0],
    ["a test that was skipped is not", [a], [report("skipped")], 1],
    ["a test that no report has is not", [a, b], [report("passed")], 1],
    ["one passing run among several is enough", [a], [report("skipped"), report("passed")], 0],
  ])("%s", (_, rows, reports, unshown) => {
    expect(findUnshownTests(rows, reports, () => true)).toHaveLength(unshown);
  });
});

test("each of client-go's tests has a row", () => {
  expect(findRowFaults(readUpstreamNames(), readUpstreamRows(), shownSections)).toEqual([]);
});

test("the table for people is up to date: npm run upstream-tests", () => {
  const written = readFileSync(join(repositoryRoot, upstreamTablePath), "utf8");
  expect(written).toBe(printUpstreamTable(readUpstreamNames(), readUpstreamRows()));
});
