import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { schemaNamed, schemaNames } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { planOf } from "../wire/decode/plan.ts";
import { elementGoType } from "./go-types.ts";

/** Definition → field → [print, Go type, embedded struct …], as Go's reflection tells it. */
const file = new URL("../../../../tools/generate/data/kubernetes-1.36-go-fields.json.br", import.meta.url);
const goFields = JSON.parse(brotliDecompressSync(readFileSync(file)).toString("utf8")) as Readonly<
  Record<string, Readonly<Record<string, readonly string[]>>>
>;

test("every field is planned as Go has it: its type, its place, how it is held and printed", () => {
  let known = 0;
  for (const name of schemaNames()) {
    const schema = schemaNamed(name);
    const expected = goFields[name];
    if (schema === undefined || expected === undefined) continue;
    const planned = planOf(schema).fields.map(({ name, type, goPath, isPointer, isAlwaysPrinted }) => [
      name,
      isAlwaysPrinted ? "p" : "",
      `${isPointer ? "*" : ""}${type.goType}`,
      goPath,
    ]);
    const wanted = Object.entries(expected).map(([field, [print, type, ...embedded]]) => [
      field,
      print,
      type,
      [...embedded, field].join("."),
    ]);
    expect(planned, name).toEqual(wanted);
    known += wanted.length;
  }
  expect(known).toBeGreaterThan(3000);
});

describe("what is in a container", () => {
  for (const [container, element] of [
    ["[]v1.Container", "v1.Container"],
    ["map[v1.ResourceName]resource.Quantity", "resource.Quantity"],
    ["map[string][]string", "[]string"],
    ["v1.JSONSchemaDependencies", "v1.JSONSchemaPropsOrStringArray"],
    ["v1.ResourceList", undefined],
  ] as const) {
    test(`${container} holds ${element ?? "what its schema says"}`, () =>
      expect(elementGoType(container)).toBe(element));
  }
});
