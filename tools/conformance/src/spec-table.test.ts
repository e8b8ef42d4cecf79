import { describe, expect, test } from "vitest";
import { compare, isLeftOut, type Outcome, reasonOf, type SpecRow, selectRows, withOutcomes } from "./spec-table.ts";

const row = (spec: string, more: Partial<SpecRow> = {}): SpecRow => ({
  class: "A",
  file: "a.go",
  spec,
  result: "not run",
  ...more,
});
const passed: Outcome = { result: "pass" };
const failed: Outcome = { result: "fail", message: "not found" };
const skipped: Outcome = { result: "skip", message: "needs two zones" };

describe("compare", () => {
  for (const [name, result, outcome, expected] of [
    ["a pass that fails is lost", "pass", failed, { lost: ["s"] }],
    ["a pass that declines to run is lost", "pass", skipped, { lost: ["s"] }],
    ["a pass of which the run says nothing is lost, and missing", "pass", undefined, { lost: ["s"], missing: ["s"] }],
    ["a pass that passes is no news", "pass", passed, {}],
    ["a failure that passes is won", "fail", passed, { won: ["s"] }],
    ["one that never ran and passes is won", "not run", passed, { won: ["s"] }],
    ["a failure that fails is no news", "fail", failed, {}],
  ] as const) {
    test(name, () => {
      const outcomes = new Map(outcome === undefined ? [] : [["s", outcome]]);
      expect(compare([row("s", { result })], outcomes)).toEqual({ lost: [], won: [], missing: [], ...expected });
    });
  }
});

describe("withOutcomes", () => {
  for (const [name, before, outcome, after] of [
    ["a pass is written, and its reason goes", { result: "fail", reason: "r" }, passed, { result: "pass" }],
    ["a pass is never taken back", { result: "pass" }, failed, { result: "pass" }],
    ["a first failure brings its message", {}, failed, { result: "fail", reason: "not found" }],
    ["a reason written by hand stays", { reason: "needs tokens" }, failed, { result: "fail", reason: "needs tokens" }],
    ["one that declined has not run", {}, skipped, { result: "not run", reason: "needs two zones" }],
    ["one that was not asked for stays", { reason: "r" }, undefined, { reason: "r" }],
  ] as const) {
    test(name, () => {
      const outcomes = new Map(outcome === undefined ? [] : [["s", outcome]]);
      expect(withOutcomes([row("s", before)], outcomes)).toEqual([row("s", after)]);
    });
  }
});

describe("selectRows", () => {
  const rows = [row("ResourceQuota one"), row("Pods two", { class: "S" }), row("Services three", { class: "V" })];
  for (const [words, expected] of [
    [["A"], ["ResourceQuota one"]],
    [["SV"], ["Pods two", "Services three"]],
    [["resourcequota"], ["ResourceQuota one"]],
    [
      ["Pods t", "V"],
      ["Pods two", "Services three"],
    ],
    [["nobody"], []],
  ] as const) {
    test(words.join(" "), () => expect(selectRows(rows, words).map(({ spec }) => spec)).toEqual(expected));
  }
  test("a word that is no pattern is one sentence", () => {
    expect(() => selectRows(rows, ["(x"])).toThrow(/^"\(x" is neither classes nor a pattern: .*$/);
  });
});

describe("reasonOf", () => {
  for (const [name, of, expected] of [
    ["a pass needs none", row("s", { result: "pass" }), undefined],
    ["what is written down", row("s", { class: "S", reason: "needs tokens" }), "needs tokens"],
    ["what its class needs", row("s", { class: "E" }), "needs exec into a container"],
    ["class A needs nothing, so somebody has to say", row("s"), undefined],
  ] as const) {
    test(name, () => expect(reasonOf(of)).toBe(expected));
  }
});

describe("isLeftOut", () => {
  for (const [name, of, expected] of [
    ["one that has not run for a written reason", row("s", { reason: "needs custom resources" }), true],
    ["one that nobody has run", row("s"), false],
    ["one that ran and failed", row("s", { result: "fail", reason: "needs tokens" }), false],
  ] as const) {
    test(name, () => expect(isLeftOut(of)).toBe(expected));
  }
});
