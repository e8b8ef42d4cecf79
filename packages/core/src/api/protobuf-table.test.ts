import { describe, expect, test } from "vitest";
import { loadProtobufTable, type ProtobufMessage } from "./protobuf-table.ts";
import { schemaNamed, schemaNames } from "./schema-table.ts";

const table = await loadProtobufTable();
const core = "k8s.io.api.core.v1";

test("the table is loaded once", () => expect(loadProtobufTable()).toBe(loadProtobufTable()));

test("messages and schemas know each other", () => {
  const pod = table.messageNamed(`${core}.Pod`);
  expect(pod?.schemaName).toBe("io.k8s.api.core.v1.Pod");
  expect(table.messageOfSchema("io.k8s.api.core.v1.Pod")).toBe(pod);
  const extensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition";
  expect(table.messageOfSchema(extensions)?.schemaName).toBe(extensions);
  expect(table.messageNamed("constructor")).toBeUndefined();
});

describe("fields", () => {
  for (const [message, field, expected] of [
    ["Pod", "spec", { number: 2, container: "single", type: `${core}.PodSpec`, isMessage: true, isInline: false }],
    ["PodSpec", "containers", { number: 2, container: "repeated", type: `${core}.Container` }],
    ["PodSpec", "nodeSelector", { number: 7, container: "map", type: "string", isMessage: false }],
    ["Volume", "volumeSource", { number: 2, isInline: true, type: `${core}.VolumeSource` }],
    ["Probe", "handler", { number: 1, isInline: true }],
    ["ConfigMap", "binaryData", { number: 3, container: "map", type: "bytes" }],
  ] as const) {
    test(`${message}.${field}`, () => {
      expect(table.messageNamed(`${core}.${message}`)?.fieldsByName.get(field)).toMatchObject(expected);
    });
  }

  test("have JSON's names where protobuf's differ", () => {
    const props = table.messageNamed("k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
    expect(props?.fieldsByNumber.get(3)?.name).toBe("$ref");
    expect(props?.fieldsByName.get("x-kubernetes-list-type")?.number).toBe(42);
  });
});

test("every schema but the version's has a message, and every JSON field a number", () => {
  const without: string[] = [];
  for (const name of schemaNames()) {
    const message = table.messageOfSchema(name);
    if (message === undefined) {
      without.push(name);
      continue;
    }
    const known = fieldNames(message);
    for (const field of schemaNamed(name)?.fields.keys() ?? []) {
      if (field !== "apiVersion" && field !== "kind") expect(known, `${name}.${field}`).toContain(field);
    }
  }
  expect(without).toEqual(["io.k8s.apimachinery.pkg.version.Info"]);
});

/** With those of inline messages, as JSON has them. */
function fieldNames(message: ProtobufMessage): readonly string[] {
  return [...message.fieldsByName.values()].flatMap((field) => {
    const inner = field.isInline ? table.messageNamed(field.type) : undefined;
    return inner === undefined ? [field.name] : fieldNames(inner);
  });
}
