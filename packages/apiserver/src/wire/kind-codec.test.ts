import { allResources, loadProtobufTable, schemaOfKind } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { builtInCodec, unstructuredCodec } from "./kind-codec.ts";
import {
  bindingKind,
  deleteOptionsSchema,
  evictionKind,
  objectMetaSchema,
  scaleKind,
  tokenRequestKind,
} from "./meta-kinds.ts";

const table = await loadProtobufTable();

describe("the codec of every built-in resource", () => {
  const served = allResources().filter(({ servedByDefault }) => servedByDefault);

  test("names the message that the table of messages has for its schema", () => {
    for (const resource of served) {
      const { protobufMessage = "" } = builtInCodec(resource);
      expect([resource.plural, table.messageOfSchema(resource.schemaName ?? "")?.name]).toEqual([
        resource.plural,
        protobufMessage,
      ]);
    }
    expect(served.length).toBeGreaterThan(60);
  });

  test("has the schema of its kind, which is also the one to merge by", () => {
    for (const resource of served) {
      const { schema, strategicMerge, isUnstructured } = builtInCodec(resource);
      expect([schema === schemaOfKind(resource), schema === strategicMerge, isUnstructured]).toEqual([
        true,
        true,
        false,
      ]);
      expect(schema).toBeDefined();
    }
  });
});

test("kinds that are no resources have a schema and a message, too", () => {
  for (const { kind, schema, protobufMessage = "", strategicMerge } of [
    bindingKind,
    evictionKind,
    scaleKind,
    tokenRequestKind,
  ]) {
    expect([kind, schema?.kinds.some((each) => each.endsWith(`/${kind}`)), strategicMerge === schema]).toEqual([
      kind,
      true,
      true,
    ]);
    expect(table.messageNamed(protobufMessage)?.schemaName).toBe(schema?.name);
  }
  expect([deleteOptionsSchema()?.fields.has("preconditions"), objectMetaSchema()?.fields.has("labels")]).toEqual([
    true,
    true,
  ]);
});

test("the codec of a custom resource has no message and no strategic merge, and a schema only if it is given one", () => {
  const schema = schemaOfKind({ apiVersion: "v1", kind: "ConfigMap" });
  const kind = { group: "example.com", version: "v1", kind: "Widget" };
  const known = {
    apiVersion: "example.com/v1",
    protobufMessage: undefined,
    strategicMerge: undefined,
    isUnstructured: true,
  };
  expect(unstructuredCodec(kind)).toEqual({ ...kind, ...known, schema: undefined });
  expect(unstructuredCodec(kind, schema)).toEqual({ ...kind, ...known, schema });
});
