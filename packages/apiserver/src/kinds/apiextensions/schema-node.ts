// A schema of a custom resource, as far as its own shape is checked. Below `items` and the like a body may hold any JSON, so every part is
// looked at here once: what is of the wrong type is passed over, and the checks that follow can trust what they get.
import type { apiextensionsv1 } from "@kubeloop/core/api";

export interface SchemaNode {
  readonly type: string;
  readonly format: string;
  readonly title: string;
  readonly description: string;
  readonly pattern: string;
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
  readonly default: unknown;
  /** What `enum` lists. */
  readonly enumeration: readonly unknown[];
  readonly limits: SchemaLimits;
  readonly hasUniqueItems: boolean;
  readonly required: readonly string[];
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly additionalProperties: SchemaNode | boolean | undefined;
  readonly items: SchemaNode | readonly SchemaNode[] | undefined;
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
  readonly preservesUnknownFields: boolean | undefined;
  readonly isEmbeddedResource: boolean;
  readonly isIntOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly validations: readonly apiextensionsv1.ValidationRule[];
  /** Fields of JSON Schema that are not for custom resources, in the order in which they are refused. */
  readonly unsupported: readonly string[];
  /** All fields that are given. */
  readonly fields: readonly string[];
}

/** What numbers, texts, lists and maps are held to. */
export interface SchemaLimits {
  readonly multipleOf: number | undefined;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly isMinimumExclusive: boolean;
  readonly isMaximumExclusive: boolean;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
}

type JsonRecord = Readonly<Record<string, unknown>>;

export function readSchema(value: unknown): SchemaNode {
  const json = isRecord(value) ? value : {};
  return {
    type: textOf(json["type"]),
    format: textOf(json["format"]),
    title: textOf(json["title"]),
    description: textOf(json["description"]),
    pattern: textOf(json["pattern"]),
    isNullable: json["nullable"] === true,
    hasDefault: isGiven(json["default"]),
    default: json["default"],
    enumeration: Array.isArray(json["enum"]) ? json["enum"] : [],
    limits: limitsOf(json),
    hasUniqueItems: json["uniqueItems"] === true,
    required: textsOf(json["required"]),
    properties: new Map(entriesOf(json["properties"])),
    additionalProperties: readOrBoolean(json["additionalProperties"]),
    items: Array.isArray(json["items"]) ? json["items"].map(readSchema) : readOptional(json["items"]),
    allOf: listOf(json["allOf"]),
    anyOf: listOf(json["anyOf"]),
    oneOf: listOf(json["oneOf"]),
    not: readOptional(json["not"]),
    preservesUnknownFields: booleanOf(json["x-kubernetes-preserve-unknown-fields"]),
    isEmbeddedResource: json["x-kubernetes-embedded-resource"] === true,
    isIntOrString: json["x-kubernetes-int-or-string"] === true,
    listType: optionalTextOf(json["x-kubernetes-list-type"]),
    listMapKeys: textsOf(json["x-kubernetes-list-map-keys"]),
    mapType: optionalTextOf(json["x-kubernetes-map-type"]),
    validations: validationsOf(json["x-kubernetes-validations"]),
    unsupported: ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"].filter(
      (name) => isGiven(json[name]) && !isEmpty(json[name]),
    ),
    fields: Object.keys(json).filter((name) => isGiven(json[name]) && !isEmpty(json[name])),
  };
}

function limitsOf(json: JsonRecord): SchemaLimits {
  const numberAt = (name: string) => (typeof json[name] === "number" ? json[name] : undefined);
  return {
    multipleOf: numberAt("multipleOf"),
    minimum: numberAt("minimum"),
    maximum: numberAt("maximum"),
    isMinimumExclusive: json["exclusiveMinimum"] === true,
    isMaximumExclusive: json["exclusiveMaximum"] === true,
    minLength: numberAt("minLength"),
    maxLength: numberAt("maxLength"),
    minItems: numberAt("minItems"),
    maxItems: numberAt("maxItems"),
    minProperties: numberAt("minProperties"),
    maxProperties: numberAt("maxProperties"),
  };
}

/** Every schema in it, itself first. */
export function* schemasIn(node: SchemaNode): Generator<SchemaNode> {
  yield node;
  const { items, additionalProperties: additional, not } = node;
  const parts = [
    ...(items === undefined ? [] : [items].flat()),
    ...node.allOf,
    ...node.anyOf,
    ...node.oneOf,
    ...(not === undefined ? [] : [not]),
    ...node.properties.values(),
    ...(typeof additional === "object" ? [additional] : []),
  ];
  for (const part of parts) yield* schemasIn(part);
}

export const isOneSchema = (items: SchemaNode["items"]): items is SchemaNode =>
  items !== undefined && !Array.isArray(items);

/** The field at ".spec.a"; undefined where there is none. */
export function fieldAt(schema: SchemaNode, path: string): SchemaNode | undefined {
  if (!path.startsWith(".")) return undefined;
  let node: SchemaNode | undefined = schema;
  for (const name of path.slice(1).split(".")) {
    const additional: SchemaNode["additionalProperties"] = node?.additionalProperties;
    node = node?.properties.get(name) ?? (typeof additional === "object" ? additional : undefined);
  }
  return node;
}

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isGiven = (value: unknown) => value !== undefined && value !== null;
const isEmpty = (value: unknown) =>
  value === "" || value === false || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
const textOf = (value: unknown) => (typeof value === "string" ? value : "");
const optionalTextOf = (value: unknown) => (typeof value === "string" ? value : undefined);
const booleanOf = (value: unknown) => (typeof value === "boolean" ? value : undefined);
const textsOf = (value: unknown) => (Array.isArray(value) ? value.filter((item) => typeof item === "string") : []);
const listOf = (value: unknown) => (Array.isArray(value) ? value.map(readSchema) : []);
const readOptional = (value: unknown) => (isRecord(value) ? readSchema(value) : undefined);
const readOrBoolean = (value: unknown) => (typeof value === "boolean" ? value : readOptional(value));
const entriesOf = (value: unknown) =>
  isRecord(value) ? Object.entries(value).map(([name, held]) => [name, readSchema(held)] as const) : [];

function validationsOf(value: unknown): apiextensionsv1.ValidationRule[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((rule) => {
    const reason = optionalTextOf(rule["reason"]);
    return {
      rule: textOf(rule["rule"]),
      message: textOf(rule["message"]),
      messageExpression: textOf(rule["messageExpression"]),
      fieldPath: textOf(rule["fieldPath"]),
      ...(reason === undefined ? {} : { reason }),
    };
  });
}
