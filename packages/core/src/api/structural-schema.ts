// Converts the structural schema of a CustomResourceDefinition, as far as `layOver`, defaulting and semantic equality need it. The result has
// the same form as the built-in kinds' schemas (schema.ts).
//
// Only structure is read: types, defaults, list and map types, int-or-string. Pure validation (bounds, patterns, `anyOf`, CEL) is
// ignored. The API server checks that a schema is structural; a node that is not understood here becomes any JSON.
import type { CustomResourceDefinition } from "./generated/types/apiextensions/v1.ts";
import { isJsonList, isJsonObject, type JsonObject, ownValue } from "./json-value.ts";
import { type ObjectSchema, type ScalarType, type Slot, type SlotFacts, type TypeSchema, toSlot } from "./schema.ts";
import { schemaNamed } from "./schema-table.ts";

/** Returns the schema of one version. Default: the stored one, or else the first. Undefined if the definition has none. */
export function schemaOfCrd(crd: CustomResourceDefinition, version?: string): ObjectSchema | undefined {
  const found =
    crd.spec.versions.find(({ name, storage }) => (version === undefined ? storage : name === version)) ??
    (version === undefined ? crd.spec.versions[0] : undefined);
  const schema = found?.schema?.openAPIV3Schema;
  return schema === undefined ? undefined : structuralSchema(schema);
}

/** From `openAPIV3Schema`, whose root is the whole object. Metadata has the same schema as in every kind. */
export function structuralSchema(openApi: object): ObjectSchema {
  const root = objectSchema(openApi as JsonObject);
  // Found when it is first read: generated modules call this while they are imported, and the table of schemas is large.
  const metadata = toSlot(() => schemaNamed(objectMeta) ?? anyJson, { isRequired: true });
  return { ...root, fields: new Map([...root.fields, ["metadata", metadata]]) };
}

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

function slotOf(node: unknown, isRequired: boolean): Slot {
  if (!isJsonObject(node)) return toSlot(anyJson, { isRequired });
  const facts: Partial<SlotFacts> = {
    isRequired,
    isNullable: ownValue(node, "nullable") === true,
    default: ownValue(node, "default"),
  };
  return toSlot(() => typeOf(node), facts);
}

const anyJson: TypeSchema = { type: "json" };

function typeOf(node: JsonObject): TypeSchema {
  if (ownValue(node, "x-kubernetes-int-or-string") === true) return { type: "scalar", scalar: "int-or-string" };
  switch (ownValue(node, "type")) {
    case "object":
      return mapOrObject(node);
    case "array":
      return listSchema(node);
    case "string":
      return { type: "scalar", scalar: textType(node) };
    case "boolean":
      return { type: "scalar", scalar: "boolean" };
    case "integer":
      return { type: "scalar", scalar: "integer" };
    case "number":
      return { type: "scalar", scalar: "number" };
    default:
      return anyJson;
  }
}

function textType(node: JsonObject): ScalarType {
  return ownValue(node, "format") === "byte" ? "bytes" : "string";
}

function mapOrObject(node: JsonObject): TypeSchema {
  const values = ownValue(node, "additionalProperties");
  if (isJsonObject(values)) return { type: "map", values: slotOf(values, false), mapType: mapTypeOf(node) };
  if (isJsonObject(ownValue(node, "properties"))) return objectSchema(node);
  return anyObject(node);
}

/** An object with unknown fields; it is still merged field by field. */
function anyObject(node: JsonObject): TypeSchema {
  return { ...objectSchema(node), preservesUnknownFields: true };
}

function objectSchema(node: JsonObject): ObjectSchema {
  const properties = ownValue(node, "properties");
  const required = ownValue(node, "required");
  const isRequired = new Set<unknown>(isJsonList(required) ? required : []);
  const fields = isJsonObject(properties) ? Object.entries(properties) : [];
  return {
    type: "object",
    name: undefined,
    kinds: [],
    fields: new Map(fields.map(([name, property]) => [name, slotOf(property, isRequired.has(name))])),
    mapType: mapTypeOf(node),
    unions: [],
    preservesUnknownFields: ownValue(node, "x-kubernetes-preserve-unknown-fields") === true,
    isEmbeddedResource: ownValue(node, "x-kubernetes-embedded-resource") === true,
  };
}

function mapTypeOf(node: JsonObject): "granular" | "atomic" {
  return ownValue(node, "x-kubernetes-map-type") === "atomic" ? "atomic" : "granular";
}

function listSchema(node: JsonObject): TypeSchema {
  const listType = ownValue(node, "x-kubernetes-list-type");
  const keys = ownValue(node, "x-kubernetes-list-map-keys");
  return {
    type: "list",
    items: slotOf(ownValue(node, "items"), false),
    listType: listType === "map" || listType === "set" ? listType : "atomic",
    listMapKeys: isJsonList(keys) ? keys.map(String) : [],
  };
}
