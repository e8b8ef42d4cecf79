import { describe, expect, test } from "vitest";
import {
  childSlot,
  mapChildren,
  missingFields,
  type ObjectSchema,
  printValuePath,
  toSlot,
  visitValue,
} from "./schema.ts";

const text = toSlot({ type: "scalar", scalar: "string" });
const widget: ObjectSchema = {
  ...{ type: "object", name: undefined, kinds: [], mapType: "granular", unions: [] },
  ...{ preservesUnknownFields: false, isEmbeddedResource: false },
  fields: new Map([
    ["name", text],
    ["tags", toSlot({ type: "list", items: text, listType: "set", listMapKeys: [] })],
    ["notes", toSlot({ type: "map", values: text, mapType: "granular" })],
    ["inner", toSlot(() => widget)],
  ]),
};

test("a slot fills in what is not said, and resolves its schema once", () => {
  let calls = 0;
  const slot = toSlot(() => {
    calls++;
    return widget;
  });
  expect(calls).toBe(0);
  expect([slot.schema, slot.schema]).toEqual([widget, widget]);
  expect(calls).toBe(1);
  expect(slot).toMatchObject({ isRequired: false, default: undefined, patchStrategies: [] });
});

for (const [fact, schema, key, expected] of [
  ["an object's field", widget, "name", text],
  ["a field nobody declared", widget, "__proto__", undefined],
  ["a map's value", childSlot(widget, "notes")?.schema, "any", text],
  ["a list's item", childSlot(widget, "tags")?.schema, 7, text],
  ["a list has no named children", childSlot(widget, "tags")?.schema, "a", undefined],
  ["nothing is known of anything's child", undefined, "a", undefined],
] as const) {
  test(`child slot: ${fact}`, () => expect(childSlot(schema, key)).toBe(expected));
}

describe("rebuilding from children", () => {
  const value = { name: "a", tags: ["x", "y"], inner: { name: "b" } };
  test("shares the value when nothing changed", () => {
    expect(mapChildren(value, widget, (child) => child)).toBe(value);
  });
  test("shares the children that did not change", () => {
    const changed = mapChildren(value, widget, (child, slot) => (slot === text ? "z" : child));
    expect(changed).toEqual({ ...value, name: "z" });
    expect(changed).toHaveProperty("tags", value.tags);
    expect(value.name).toBe("a");
  });
  test("leaves out what becomes undefined, in objects and lists", () => {
    expect(mapChildren(value, widget, () => undefined)).toEqual({});
    expect(mapChildren(["a", "b"], undefined, (child) => (child === "a" ? undefined : child))).toEqual(["b"]);
  });
  test("a scalar has no children", () => expect(mapChildren("a", widget, () => "b")).toBe("a"));
  test("a key named __proto__ stays a key", () => {
    const odd: unknown = JSON.parse('{"__proto__":{"a":1}}');
    const changed = mapChildren(odd, undefined, () => "new");
    expect(JSON.stringify(changed)).toBe('{"__proto__":"new"}');
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
  });
});

test("missing fields are those the schema has and the object has not", () => {
  expect(missingFields({ name: "a", inner: undefined }, widget).map(([name]) => name)).toEqual([
    "tags",
    "notes",
    "inner",
  ]);
});

test("a visit goes parents first, with paths, and can skip", () => {
  const seen: string[] = [];
  visitValue({ name: "a", tags: ["x"], inner: { name: "b" } }, widget, (_, schema, path) => {
    seen.push(`${printValuePath(path)}:${schema?.type}`);
    return path[0] !== "inner";
  });
  expect(seen).toEqual([":object", "name:scalar", "tags:list", "tags[0]:scalar", "inner:object"]);
});

for (const [path, printed] of [
  [["spec", "containers", 0, "image"], "spec.containers[0].image"],
  [["metadata", "labels", "a/b.c"], "metadata.labels[a/b.c]"],
  [[], ""],
] as const) {
  test(`a path prints as ${printed || "nothing"}`, () => expect(printValuePath(path)).toBe(printed));
}
