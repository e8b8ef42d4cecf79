import { expect, test } from "vitest";
import { deepCopy } from "./deep-copy.ts";
import { deepDifferences, printDifferences } from "./deep-differences.ts";

test.each<[string, unknown, unknown, string]>([
  ["equal data differ nowhere", { a: [1, { b: "c" }] }, { a: [1, { b: "c" }] }, ""],
  ["a value in an object", { spec: { replicas: 1 } }, { spec: { replicas: 2 } }, "spec.replicas: was 1, is 2"],
  ["a value in a list", { args: ["a", "b"] }, { args: ["a", "c"] }, 'args[1]: was "b", is "c"'],
  ["an item more", [1], [1, 2], "[1]: was absent, is 2"],
  ["a key less", { a: { b: 1 } }, { a: {} }, "a.b: was 1, is absent"],
  [
    "a key that is no name",
    { labels: { "app.kubernetes.io/name": "x" } },
    { labels: { "app.kubernetes.io/name": "y" } },
    'labels["app.kubernetes.io/name"]: was "x", is "y"',
  ],
  ["another kind of thing", { a: [] }, { a: {} }, "a: was [], is {}"],
  ["null for an object", { a: {} }, { a: null }, "a: was {}, is null"],
  ["the whole", 1, 2, ".: was 1, is 2"],
  ["several", { a: 1, b: 2 }, { a: 3, b: 4 }, "a: was 1, is 3\nb: was 2, is 4"],
  ["an undefined where nothing was", {}, { a: undefined }, "a: was absent, is absent"],
  ["a long value, cut", { a: "x".repeat(300) }, { a: "" }, `a: was "${"x".repeat(199)}…, is ""`],
])("%s", (_, was, is, expected) => {
  expect(printDifferences(deepDifferences(was, is))).toBe(expected);
});

test("a copy is equal, shares nothing, and loses no key", () => {
  const original = JSON.parse('{"a":[1,{"b":null}],"data":{"__proto__":"text","constructor":"x"},"t":true}') as {
    a: unknown[];
  };
  const copy = deepCopy(original);
  expect(JSON.stringify(copy)).toBe(JSON.stringify(original));
  expect([copy === original, copy.a === original.a, copy.a[1] === original.a[1]]).toEqual([false, false, false]);
});
