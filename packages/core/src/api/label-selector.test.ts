// The facts file holds what Kubernetes 1.36 answers: canonical text, or the error it gives.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LabelSelector } from "./generated/types/meta/v1.ts";
import {
  addRequirements,
  everythingSelector,
  isEverything,
  type LabelRequirement,
  matchesSelector,
  newRequirement,
  nothingSelector,
  printSelector,
  requiredValue,
  type Selector,
  type SelectorOperator,
  selectorFromLabels,
  selectorOf,
} from "./label-selector.ts";
import { formatLabelSelector, fromLabelSelector, toLabelSelector } from "./label-selector-object.ts";
import { parseSelector } from "./label-selector-parse.ts";

type Answer = string | { readonly error: string };
interface Facts {
  readonly text: readonly [string, Answer][];
  readonly toObject: readonly [string, object][];
  readonly fromObject: readonly [LabelSelector | null, Answer][];
}
const facts: Facts = JSON.parse(readFileSync(new URL("./label-selector.facts.json", import.meta.url), "utf8"));

function answer<T>(work: () => T): T | { error: string } {
  try {
    return work();
  } catch (error) {
    return { error: (error as Error).message };
  }
}

test.each(facts.text)("reads %j as Kubernetes does", (text, expected) => {
  expect(answer(() => printSelector(parseSelector(text)))).toEqual(expected);
});

test.each(facts.toObject)("turns %j into an object", (text, expected) => {
  expect(answer(() => toLabelSelector(parseSelector(text)))).toEqual(expected);
});

test.each(facts.fromObject)("reads the object %j", (object, expected) => {
  expect(answer(() => printSelector(fromLabelSelector(object ?? undefined)))).toEqual(expected);
});

describe("matches", () => {
  for (const [text, labels, expected] of [
    ["", {}, true],
    ["a", { a: "" }, true],
    ["a", { b: "1" }, false],
    ["!a", { b: "1" }, true],
    ["!a", { a: "" }, false],
    ["a=1", { a: "1" }, true],
    ["a=1", { a: "2" }, false],
    ["a=1", {}, false],
    ["a=", { a: "" }, true],
    ["a=", {}, false],
    ["a!=1", {}, true],
    ["a!=1", { a: "1" }, false],
    ["a!=1", { a: "2" }, true],
    ["a in (1,2)", { a: "2" }, true],
    ["a in (1,2)", {}, false],
    ["a notin (1,2)", {}, true],
    ["a notin (1,2)", { a: "2" }, false],
    ["a>5", { a: "6" }, true],
    ["a>5", { a: "5" }, false],
    ["a>5", { a: "x" }, false],
    ["a>5", {}, false],
    ["a<5", { a: "4" }, true],
    ["a<5", { a: "99999999999999999999" }, false],
    ["a=1,b=2", { a: "1", b: "2", c: "3" }, true],
    ["a=1,b=2", { a: "1" }, false],
    ["constructor", {}, false],
    ["!toString", {}, true],
  ] as const) {
    test(`${text || "everything"} ${expected ? "holds" : "does not hold"} for ${JSON.stringify(labels)}`, () => {
      expect(matchesSelector(parseSelector(text), labels)).toBe(expected);
    });
  }

  test("absent labels are no labels", () => expect(matchesSelector(parseSelector("!a"), undefined)).toBe(true));
  test("nothing matches nothing", () => expect(matchesSelector(nothingSelector, { a: "1" })).toBe(false));
});

test("says which value a key must have", () => {
  expect(requiredValue(parseSelector("a=1"), "a")).toBe("1");
  expect(requiredValue(parseSelector("a in (1)"), "a")).toBe("1");
  expect(requiredValue(parseSelector("a in (1,2)"), "a")).toBeUndefined();
  expect(requiredValue(parseSelector("a!=1"), "a")).toBeUndefined();
  expect(requiredValue(nothingSelector, "a")).toBeUndefined();
});

test("everything and nothing", () => {
  expect(isEverything(everythingSelector)).toBe(true);
  expect(isEverything(nothingSelector)).toBe(false);
  expect(fromLabelSelector(undefined)).toBe(nothingSelector);
  expect(isEverything(fromLabelSelector({}))).toBe(true);
  expect(addRequirements(nothingSelector, [{ key: "a", operator: "exists", values: [] }])).toBe(nothingSelector);
  expect(() => toLabelSelector(nothingSelector)).toThrow("nothing");
  expect(formatLabelSelector({})).toBe("<none>");
  expect(formatLabelSelector({ matchLabels: { "-": "x" } })).toBe("<error>");
});

test("names every fault of a requirement, with its path", () => {
  expect(() => newRequirement({ key: "-", operator: "in", values: [] })).toThrow(
    /^\[key: Invalid value.*, values: Inv/,
  );
  expect(() => newRequirement({ key: "a", operator: "=", values: ["a b"] })).toThrow(
    'values[0][a]: Invalid value: "a b"',
  );
});

const key = fc.constantFrom("a", "b", "in", "example.com/c", "notin");
const value = fc.constantFrom("", "1", "in", "x.y_z", "42");
const requirement: fc.Arbitrary<LabelRequirement> = fc
  .record({
    key,
    operator: fc.constantFrom<SelectorOperator>("=", "==", "!=", "in", "notin", "exists", "!", "gt"),
    values: fc.uniqueArray(value, { minLength: 1 }),
  })
  .map(({ key, operator, values }) => {
    if (operator === "exists" || operator === "!") return { key, operator, values: [] };
    if (operator === "gt") return { key, operator, values: ["7"] };
    return {
      key,
      operator,
      values: operator === "in" || operator === "notin" ? values.toSorted() : values.slice(0, 1),
    };
  });
const selector: fc.Arbitrary<Selector> = fc.array(requirement).map(selectorOf);

test("what is printed reads back as the same selector", () => {
  fc.assert(
    fc.property(selector, (given) => {
      expect(parseSelector(printSelector(given))).toEqual(given);
    }),
  );
});

test("an object and the text it came from match the same labels", () => {
  const withoutGt = selector.filter(
    (s) => s.selects === "matching" && s.requirements.every((r) => r.operator !== "gt"),
  );
  fc.assert(
    fc.property(withoutGt, fc.dictionary(key, value), (given, labels) => {
      // matchLabels holds one value per key: two equalities for one key cannot be said.
      const keys = given.selects === "matching" ? given.requirements.map((r) => r.key) : [];
      fc.pre(new Set(keys).size === keys.length);
      expect(matchesSelector(fromLabelSelector(toLabelSelector(given)), labels)).toBe(matchesSelector(given, labels));
    }),
  );
});

test("an object matches the selector made of its labels", () => {
  fc.assert(
    fc.property(fc.dictionary(key, value), (labels) => {
      expect(matchesSelector(selectorFromLabels(labels), labels)).toBe(true);
    }),
  );
});
