import { describe, expect, test } from "vitest";
import type { Taint, Toleration } from "../api/generated/types/core/v1.ts";
import {
  findUntoleratedTaint,
  isTaintTolerated,
  matchingTolerations,
  minTolerationSeconds,
  toleratesTaint,
} from "./taints.ts";

const taint = (text: string): Taint => {
  const [, key = "", value, effect = ""] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  return value === undefined ? { key, effect } : { key, value, effect };
};

describe("one toleration, one taint", () => {
  const rows: readonly [string, Toleration, string, boolean][] = [
    ["equal key, value and effect", { key: "a", value: "1", effect: "NoSchedule" }, "a=1:NoSchedule", true],
    ["an explicit Equal", { key: "a", operator: "Equal", value: "1" }, "a=1:NoSchedule", true],
    ["another value", { key: "a", value: "2" }, "a=1:NoSchedule", false],
    ["another key", { key: "b", value: "1" }, "a=1:NoSchedule", false],
    ["another effect", { key: "a", value: "1", effect: "NoExecute" }, "a=1:NoSchedule", false],
    ["no effect matches all", { key: "a", value: "1" }, "a=1:NoExecute", true],
    ["no value equals no value", { key: "a" }, "a:NoSchedule", true],
    ["no value is not any value", { key: "a" }, "a=1:NoSchedule", false],
    ["Exists ignores the value", { key: "a", operator: "Exists" }, "a=1:NoSchedule", true],
    ["Exists without key matches everything", { operator: "Exists" }, "a=1:NoExecute", true],
    ["Exists without key, with effect", { operator: "Exists", effect: "NoSchedule" }, "a=1:NoExecute", false],
    ["Equal without key compares values only", { operator: "Equal", value: "1" }, "a=1:NoSchedule", true],
    ["an unknown operator", { key: "a", operator: "Like", value: "1" }, "a=1:NoSchedule", false],
  ];
  test.each(rows)("%s", (_name, toleration, text, expected) => {
    expect(toleratesTaint(toleration, taint(text))).toBe(expected);
  });
});

describe("comparisons", () => {
  for (const [operator, bound, value, expected] of [
    ["Gt", "5", "6", true],
    ["Gt", "5", "5", false],
    ["Lt", "5", "4", true],
    ["Lt", "5", "6", false],
    ["Gt", "-5", "-4", true],
    ["Gt", "05", "6", false],
    ["Gt", "5", "06", false],
    ["Gt", "5", "-0", false],
    ["Gt", "0", "1", true],
    ["Gt", "5", "6.5", false],
    ["Gt", "", "6", false],
    ["Lt", "9223372036854775808", "1", false],
  ] as const) {
    test(`a taint of ${value} is ${operator} ${bound}: ${expected}`, () => {
      const toleration = { key: "a", operator, value: bound };
      expect(toleratesTaint(toleration, taint(`a=${value}:NoSchedule`), { comparisonOperators: true })).toBe(expected);
      expect(toleratesTaint(toleration, taint(`a=${value}:NoSchedule`))).toBe(false);
    });
  }
});

const taints = [taint("a=1:NoSchedule"), taint("b:PreferNoSchedule"), taint("c:NoExecute")];

test("finds the first taint that is not tolerated, of the effects asked for", () => {
  expect(findUntoleratedTaint(taints, undefined)?.key).toBe("a");
  expect(findUntoleratedTaint(taints, [{ key: "a", operator: "Exists" }])?.key).toBe("b");
  expect(findUntoleratedTaint(taints, [], { effects: ["NoExecute"] })?.key).toBe("c");
  expect(findUntoleratedTaint(taints, [{ operator: "Exists" }])).toBeUndefined();
  expect(findUntoleratedTaint(undefined, [])).toBeUndefined();
  expect(isTaintTolerated(taint("a:NoSchedule"), undefined)).toBe(false);
});

test("finds the toleration used for each taint, or none for all", () => {
  const tolerations = [
    { key: "a", operator: "Exists" },
    { operator: "Exists", tolerationSeconds: 5 },
  ];
  expect(matchingTolerations(taints, tolerations)).toEqual([tolerations[0], tolerations[1], tolerations[1]]);
  expect(matchingTolerations(taints, tolerations.slice(0, 1))).toBeUndefined();
  expect(matchingTolerations([], undefined)).toEqual([]);
});

test.each([
  [[], 0],
  [[{}], Number.POSITIVE_INFINITY],
  [[{ tolerationSeconds: 30 }, {}, { tolerationSeconds: 10 }], 10],
  [[{ tolerationSeconds: 30 }, { tolerationSeconds: 0 }], 0],
  [[{ tolerationSeconds: -5 }], 0],
])("tolerations %j allow %d s", (tolerations, expected) => expect(minTolerationSeconds(tolerations)).toBe(expected));
