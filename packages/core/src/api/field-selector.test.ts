// The facts file holds what Kubernetes 1.36 answers: canonical text, or the error it gives.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  fieldSelectorFrom,
  mapFieldSelector,
  matchesFieldSelector,
  parseFieldSelector,
  printFieldSelector,
  requiredFieldValue,
} from "./field-selector.ts";

interface Facts {
  readonly text: readonly [string, string | { readonly error: string }][];
}
const facts: Facts = JSON.parse(readFileSync(new URL("./field-selector.facts.json", import.meta.url), "utf8"));

test.each(facts.text)("reads %j as Kubernetes does", (text, expected) => {
  if (typeof expected === "string") expect(printFieldSelector(parseFieldSelector(text))).toBe(expected);
  else expect(() => parseFieldSelector(text)).toThrow(expected.error);
});

describe("matches", () => {
  for (const [text, fields, expected] of [
    ["", {}, true],
    ["a=1", { a: "1" }, true],
    ["a=1", {}, false],
    ["a=", {}, true],
    ["a!=1", {}, true],
    ["a!=", {}, false],
    ["a=1,b!=2", { a: "1", b: "3" }, true],
    ["a=1,b!=2", { a: "1", b: "2" }, false],
  ] as const) {
    test(`${text || "everything"} ${expected ? "holds" : "does not hold"} for ${JSON.stringify(fields)}`, () => {
      const get = (field: string) => (fields as Record<string, string>)[field];
      expect(matchesFieldSelector(parseFieldSelector(text), get)).toBe(expected);
    });
  }
});

test("says which value a field must have", () => {
  const selector = parseFieldSelector("metadata.name=x,spec.a!=y");
  expect(requiredFieldValue(selector, "metadata.name")).toBe("x");
  expect(requiredFieldValue(selector, "spec.a")).toBeUndefined();
});

test("rewrites terms and drops those left empty", () => {
  const selector = parseFieldSelector("a=1,b=2");
  const rewritten = mapFieldSelector(selector, (field, value) =>
    field === "a" ? { field: "", value: "" } : { field: `spec.${field}`, value },
  );
  expect(printFieldSelector(rewritten)).toBe("spec.b=2");
});

test("what is printed reads back, whatever the values", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", ",", "=", "\\", "!", "é") }), (value) => {
      const selector = fieldSelectorFrom({ "metadata.name": value });
      expect(parseFieldSelector(printFieldSelector(selector))).toEqual(selector);
    }),
  );
});
