// What a real server was seen to say of defaults; differential/apiextensions-scenes.contract.ts asks both servers for more of them.
import { printFault } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { collectFaults } from "../shared/validation-path.ts";
import { checkDefaults } from "./check-defaults.ts";
import { readSchema } from "./schema-node.ts";

const faultsOf = (schema: object) =>
  collectFaults("s", (root) => checkDefaults(readSchema(schema), root, { isResource: true })).map(printFault);

const nested = { type: "object", properties: { b: { type: "integer" } }, required: ["b"] };

describe("a default", () => {
  test.each<[string, object, unknown, string | undefined]>([
    ["of its type is taken", { type: "string" }, "x", undefined],
    [
      "of another type",
      { type: "integer" },
      "x",
      'default: Invalid value: "string":  in body must be of type integer: "string"',
    ],
    ["that is too long", { type: "string", maxLength: 2 }, "abc", "default: Too long: may not be more than 2 bytes"],
    [
      "of another pattern",
      { type: "string", pattern: "^b+$" },
      "abc",
      `default: Invalid value: "abc":  in body should match '^b+$'`,
    ],
    [
      "of another format",
      { type: "string", format: "ipv4" },
      "a",
      'default: Invalid value: "a":  in body must be of type ipv4: "a"',
    ],
    ["of a duration", { type: "string", format: "duration" }, "1h 2.s3sec.5 Days4s", undefined],
    [
      "of no duration, which is told at once",
      { type: "string", format: "duration" },
      `${"1s".repeat(50)}x`,
      `default: Invalid value: "${"1s".repeat(50)}x":  in body must be of type duration: "${"1s".repeat(50)}x"`,
    ],
    ["of a format nobody knows is taken", { type: "string", format: "colour" }, "a", undefined],
    ["of none of them", { type: "string", enum: ["x"] }, "z", 'default: Unsupported value: "z": supported values: "x"'],
    [
      "that is too large",
      { type: "integer", maximum: 3 },
      4,
      "default: Invalid value: 4:  in body should be less than or equal to 3",
    ],
    [
      "of unknown fields",
      nested,
      { b: 1, c: 2 },
      'default: Invalid value: {"b":1,"c":2}: must not have unknown fields',
    ],
    [
      "of unknown fields that are kept",
      { ...nested, "x-kubernetes-preserve-unknown-fields": true },
      { b: 1, c: 2 },
      undefined,
    ],
    ["that lacks a field", nested, {}, "default.b: Required value"],
    [
      "of a bad field",
      nested,
      { b: "x" },
      'default.b: Invalid value: "string": b in body must be of type integer: "string"',
    ],
    [
      "of a bad item",
      { type: "array", items: { type: "integer" } },
      ["x"],
      'default.[0]: Invalid value: "string": [0] in body must be of type integer: "string"',
    ],
    [
      "that is excluded",
      { type: "integer", not: { enum: [3] } },
      3,
      'default: Invalid value: "": "" must not validate the schema (not)',
    ],
  ])("%s", (_name, schema, value, fault) => {
    const found = faultsOf({ type: "object", properties: { a: { ...schema, default: value } } });
    expect(found).toEqual(fault === undefined ? [] : [`s.properties[a].${fault}`]);
  });

  test.each([
    ["a repeated repetition", "^(a+)+$", `${"a".repeat(60)}!`],
    ["a repeated choice", "^(a|a)*$", `${"a".repeat(60)}!`],
    ["a repeated choice inside", "^((a|a))*$", `${"a".repeat(60)}!`],
    ["many repetitions over a long text", "a*a*a*a*a*a*b", "a".repeat(5000)],
  ])("passes where its pattern would take long: %s", (_name, pattern, value) => {
    expect(faultsOf({ type: "object", properties: { a: { type: "string", pattern, default: value } } })).toEqual([]);
  });

  test("of the alternatives the one that got furthest is reported", () => {
    const anyOf = [{ properties: { b: { minimum: 5 } }, required: ["c"] }, { properties: { b: { minimum: 5 } } }];
    const found = faultsOf({ type: "object", properties: { a: { ...nested, anyOf, default: { b: 1 } } } });
    expect(found).toEqual([
      's.properties[a].default: Invalid value: "": "" must validate at least one schema (anyOf)',
      "s.properties[a].default.b: Invalid value: 1: b in body should be greater than or equal to 5",
    ]);
  });

  test("of items and of fields inside is looked at, too", () => {
    const b = { type: "integer", default: "x" };
    const items = { type: "object", properties: { b } };
    expect(faultsOf({ type: "object", properties: { a: { type: "array", items } } })).toEqual([
      's.properties[a].items.properties[b].default: Invalid value: "string":  in body must be of type integer: "string"',
    ]);
  });
});
