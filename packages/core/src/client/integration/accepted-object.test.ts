import { describe, expect, test } from "vitest";
import { acceptedObject, type Draft, filled, parsePath, removeAll, targetOf } from "./accepted-object.fixture.ts";

test.each([
  ["spec", ["spec"]],
  ["spec.containers[0].name", ["spec", "containers", "0", "name"]],
  ["metadata.annotations[a.b/c].x", ["metadata", "annotations", "a.b/c", "x"]],
])("the path %s has its steps", (path, expected) => {
  expect(parsePath(path)).toEqual(expected);
});

describe("of { a: { list: [1, 2], b: 3 } } is removed", () => {
  for (const [fact, path, distance, expected] of [
    ["a field", "a.b", 0, { a: { list: [1, 2] } }],
    ["an item", "a.list[0]", 0, { a: { list: [2], b: 3 } }],
    ["what is around an item", "a.list[0]", 1, { a: { b: 3 } }],
    ["the last field of a field of the object", "a.b", 1, { a: { list: [1, 2] } }],
    ["the last thing on the way to what is missing", "a.list[7].name", 0, { a: { b: 3 } }],
    ["no more than that", "a.list[0]", 9, { a: { list: [1, 2] } }],
    ["what is said to be elsewhere", "metadata.b", 0, { a: { list: [1, 2] } }],
    ["what is spelled as in Go", "a.List[0]", 0, { a: { list: [2], b: 3 } }],
    ["nothing that is not there", "c.d", 0, { a: { list: [1, 2], b: 3 } }],
  ] as const) {
    test(fact, () => {
      const object: Draft = { a: { list: [1, 2], b: 3 } };
      removeAll(object, [targetOf(object, parsePath(path), distance)]);
      expect(object).toEqual(expected);
    });
  }
});

test("two things that are missing in one place remove it, and nothing around it", () => {
  const object = { spec: { env: [{ name: "a", from: { ref: {} } }, { name: "b" }] } };
  const paths = ["spec.env[0].from.ref.name", "spec.env[0].from.ref.key", "spec.env[1]", "spec.env[1].value"];
  removeAll(
    object,
    paths.map((path) => targetOf(object, parsePath(path))),
  );
  expect(object).toEqual({ spec: { env: [{ name: "a", from: {} }] } });
});

test.each([
  ["what is missing", { x: 1 }, { x: 2, y: 3 }, { x: 1, y: 3 }],
  ["an empty list", { list: [] }, { list: [1] }, { list: [1] }],
  [
    "each item from the first",
    { list: [{ a: 1 }, {}] },
    { list: [{ a: 0, b: 2 }] },
    {
      list: [
        { a: 1, b: 2 },
        { a: 0, b: 2 },
      ],
    },
  ],
  ["no list of words", { list: ["x"] }, { list: ["y"] }, { list: ["x"] }],
])("%s is filled", (_fact, value, known, expected) => {
  expect(filled(value, known)).toEqual(expected);
});

test("the server's complaints are followed until it accepts the object", async () => {
  const sent: unknown[] = [];
  const submit = async (object: Draft) => {
    sent.push(structuredClone(object));
    return Object.keys(object["spec"] as object)
      .filter((name) => name.startsWith("bad"))
      .map((name) => `spec.${name}`);
  };
  const accepted = await acceptedObject({ spec: { bad1: 1, good: 2, bad2: 3 } }, { kind: "Thing", spec: {} }, submit);
  expect(accepted).toEqual({ kind: "Thing", spec: { good: 2 } });
  expect(sent.length).toBe(2);
});

test("what is never accepted ends as what is known to be", async () => {
  const known = { kind: "Thing" };
  expect(await acceptedObject({ spec: 1 }, known, async () => ["spec"])).toBe(known);
  expect(await acceptedObject({ spec: 1 }, known, async () => "refused")).toBe(known);
});
