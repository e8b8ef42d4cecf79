import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../base/deep.ts";
import { applyDefaults } from "./defaults.ts";
import { type ObjectSchema, type SlotFacts, toSlot } from "./schema.ts";
import { schemaOfKind } from "./schema-table.ts";

const service = schemaOfKind({ apiVersion: "v1", kind: "Service" });

const text = (facts: Partial<SlotFacts>) => toSlot({ type: "scalar", scalar: "string" }, facts);
const object = (fields: ObjectSchema["fields"]): ObjectSchema => ({
  ...{ type: "object", name: undefined, kinds: [], mapType: "granular", unions: [], fields },
  ...{ preservesUnknownFields: false, isEmbeddedResource: false },
});
const size = object(new Map([["unit", text({ default: "cm" })]]));
const widget = object(
  new Map([
    ["colour", text({ default: "red" })],
    ["note", text({ default: "none", isNullable: true })],
    ["zero", text({ default: "", isZeroDefault: true })],
    ["size", toSlot(size, { default: {} })],
    ["sizes", toSlot({ type: "list", items: toSlot(size), listType: "atomic", listMapKeys: [] })],
    ["bySide", toSlot({ type: "map", values: toSlot(size), mapType: "granular" })],
  ]),
);
const full = { colour: "red", note: "none", size: { unit: "cm" } };

for (const [fact, given, expected] of [
  ["what is absent gets its default, also inside a default", {}, full],
  ["what is there stays", { ...full, colour: "blue" }, { ...full, colour: "blue" }],
  ["null is absent", { colour: null }, full],
  ["null stays where it is allowed", { note: null }, { ...full, note: null }],
  [
    "items and map values are filled",
    { ...full, sizes: [{}], bySide: { left: {} } },
    { ...full, sizes: [{ unit: "cm" }], bySide: { left: { unit: "cm" } } },
  ],
  ["unknown fields stay", { ...full, odd: [{}] }, { ...full, odd: [{}] }],
  ["what is no object stays", "text", "text"],
] as const) {
  test(fact, () => expect(applyDefaults<unknown>(deepFreeze(given), widget)).toEqual(expected));
}

test("zero values are filled in when asked for", () => {
  expect(applyDefaults({}, widget, { zeroValues: true })).toEqual({ ...full, zero: "" });
});

test("without a schema nothing happens", () => {
  const odd = { colour: null };
  expect(applyDefaults(odd, undefined)).toBe(odd);
});

describe("built-in kinds", () => {
  const ports = { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } };
  test("a service port speaks TCP", () => {
    expect(applyDefaults(ports, service)).toEqual({ ...ports, spec: { ports: [{ port: 80, protocol: "TCP" }] } });
  });
  test("what needs no default is shared", () => {
    const filled = applyDefaults(ports, service);
    expect(filled.metadata).toBe(ports.metadata);
    expect(applyDefaults(filled, service)).toBe(filled);
  });
  test("with zero values a service has all a server prints", () => {
    expect(applyDefaults({ apiVersion: "v1", kind: "Service" }, service, { zeroValues: true })).toEqual({
      ...{ apiVersion: "v1", kind: "Service", metadata: {}, spec: {}, status: { loadBalancer: {} } },
    });
  });
});

test("defaults are idempotent and never touch the input", () => {
  fc.assert(
    fc.property(fc.record({ ports: fc.array(fc.dictionary(fc.string(), fc.jsonValue())) }), (spec) => {
      const once = applyDefaults(deepFreeze({ spec }), service);
      expect(applyDefaults(once, service)).toBe(once);
    }),
  );
});

test("a default is a copy", () => {
  const [a, b] = [applyDefaults<unknown>({}, widget), applyDefaults<unknown>({}, widget)];
  expect(a).toEqual(b);
  expect((a as typeof full).size).not.toBe((b as typeof full).size);
});
