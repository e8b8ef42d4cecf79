import { describe, expect, test } from "vitest";
import { printRun } from "./print-run.ts";
import { compare, type Outcome, type SpecRow } from "./spec-table.ts";

const row = (spec: string, result: SpecRow["result"]): SpecRow => ({ class: "A", file: "a.go", spec, result });
const passed: Outcome = { result: "pass" };
const failed: Outcome = { result: "fail", message: "not found" };

function print(rows: readonly SpecRow[], outcomes: Readonly<Record<string, Outcome>>, isUpdated = false) {
  const found = new Map(Object.entries(outcomes));
  const report = { outcomes: found, seconds: new Map([["s", 2.6]]), flaky: [], suiteFailure: undefined };
  return printRun({ rows, report, comparison: compare(rows, found), isUpdated });
}

describe("printRun", () => {
  for (const [name, result, outcome, lines] of [
    ["a pass that passes is only counted", "pass", passed, ["class A: 1 of 1 passed"]],
    ["a failure is told with its message", "fail", failed, ["fail  s (3 s): not found", "class A: 0 of 1 passed"]],
    [
      "a pass that fails is lost",
      "pass",
      failed,
      ["fail  s (3 s): not found", "LOST  s: it passes in the table", "class A: 0 of 1 passed"],
    ],
    [
      "a failure that passes asks to be written down",
      "fail",
      passed,
      ["passes now  s", "--update writes down what passes now", "class A: 1 of 1 passed"],
    ],
  ] as const) {
    test(name, () => expect(print([row("s", result)], { s: outcome })).toEqual(lines));
  }
  test("nothing is asked once it is written down", () => {
    expect(print([row("s", "fail")], { s: passed }, true)).toEqual(["passes now  s", "class A: 1 of 1 passed"]);
  });
  test("a spec without a result is named", () => {
    expect(print([row("s", "not run")], {})).toContain("no result  s");
  });
});
