// From an OpenAPI schema to a node of the schema table, whose form core's `api/schema-table.ts` decodes:
//
//   node       = expression | [expression, facts]
//   expression = "!"? print? hold? type "~"?   "!": the field is required; "~": the default is the type's zero value
//   print      = "^"          a Go server prints what it would omit otherwise, or the other way round: it prints, when they
//                             hold nothing, required fields and structs held by value
//   hold       = "*" | "?"    of a field. "*": Go holds it by pointer; "?": nobody knows how it is held and printed
//   type       = "[]" type | "{}" type | "object" | scalar word | definition name (it alone has dots)
//
// A list or map whose elements have facts of their own, and an object written in place, put them into the facts as
// `of` and `fields`. Zero defaults of elements say nothing a reader could use and are dropped. Fields stand in the order in
// which Go prints them.
import { GenerateError } from "./generate-error.ts";
import { type GoField, goTypeOf } from "./go-fields.ts";
import type { Json } from "./json.ts";
import { tableName } from "./names.ts";
import { kindsOf, type OpenApiSchema } from "./openapi.ts";
import { specialType } from "./special-types.ts";

export type TableNode = string | readonly [string, TableFacts];

export interface TableFacts {
  list?: string;
  keys?: readonly string[];
  map?: string;
  patch?: readonly string[];
  mergeKey?: string;
  default?: Json;
  enum?: readonly Json[];
  nullable?: true;
  preserve?: true;
  embedded?: true;
  limits?: { readonly [limit: string]: Json };
  of?: TableNode;
  fields?: { readonly [name: string]: TableNode };
}

/** What a definition says about itself; stands under `$`, beside the fields. */
export interface DefinitionFacts {
  /** `v1/Pod`, `apps/v1/Deployment`. */
  kinds?: readonly string[];
  map?: string;
  unions?: readonly Json[];
  preserve?: true;
  /** Field → Go's type, where it does not follow from the schema. */
  go?: { readonly [field: string]: string };
  /** Embedded Go structs (`VolumeSource`, `RuleWithOperations.Rule`) → the fields in them. TypeMeta is not told. */
  in?: { readonly [embedded: string]: readonly string[] };
}

export type TableDefinition = { readonly [field: string]: TableNode | DefinitionFacts };

const refPrefix = "#/components/schemas/";
const limitKeys = new Set(
  [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
  ].concat(["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"]),
);
const understoodKeys = new Set(
  [
    "$ref",
    "type",
    "format",
    "properties",
    "additionalProperties",
    "items",
    "required",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
  ]
    .concat(["default", "enum", "nullable", "title", "example", "externalDocs"])
    .concat(["x-kubernetes-group-version-kind", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"])
    .concat(["x-kubernetes-map-type", "x-kubernetes-patch-strategy", "x-kubernetes-patch-merge-key"])
    .concat(["x-kubernetes-unions", "x-kubernetes-int-or-string", "x-kubernetes-embedded-resource"])
    .concat(["x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations", "x-kubernetes-selectable-fields"]),
);

/** The name of the definition a schema stands for: a plain reference, or Kubernetes' way of adding facts to one. */
export function referenceOf(schema: OpenApiSchema): string | undefined {
  const only = schema.allOf?.length === 1 ? schema.allOf[0] : undefined;
  const ref = schema.$ref ?? only?.$ref;
  return ref?.startsWith(refPrefix) ? ref.slice(refPrefix.length) : undefined;
}

type GoFieldsOfOne = ReadonlyMap<string, GoField>;

export function toDefinition(
  name: string,
  schema: OpenApiSchema,
  goFields: GoFieldsOfOne | undefined,
): TableDefinition {
  const facts: DefinitionFacts = {};
  const kinds = kindsOf(schema);
  if (kinds.length > 0) {
    facts.kinds = kinds.map(({ group, version, kind }) =>
      [group, version, kind].filter((part) => part !== "").join("/"),
    );
  }
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType !== undefined) facts.map = mapType;
  const unions = schema["x-kubernetes-unions"];
  if (unions !== undefined) facts.unions = unions;
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) facts.preserve = true;
  const fields = toFields(schema, name, goFields);
  addGoFacts(facts, fields, goFields);
  return Object.keys(facts).length === 0 ? fields : { $: facts, ...fields };
}

function addGoFacts(
  facts: DefinitionFacts,
  fields: { readonly [name: string]: TableNode },
  goFields: GoFieldsOfOne | undefined,
): void {
  const types: Record<string, string> = {};
  const embedded: Record<string, string[]> = {};
  for (const [name, node] of Object.entries(fields)) {
    const go = goFields?.get(name);
    if (go === undefined) continue;
    if (go.type !== goTypeOf(typeOfNode(node))) types[name] = go.type;
    const inside = go.embeddedIn.join(".");
    if (inside !== "" && inside !== "TypeMeta") embedded[inside] = [...(embedded[inside] ?? []), name];
  }
  if (Object.keys(types).length > 0) facts.go = types;
  if (Object.keys(embedded).length > 0) facts.in = embedded;
}

/** The type alone, with that of elements that have facts of their own. */
function typeOfNode(node: TableNode): string {
  const [expression, facts] = typeof node === "string" ? [node, undefined] : node;
  const type = expression.replace(/^!?\^?[*?]?/, "").replace(/~$/, "");
  return type + (facts?.of === undefined ? "" : typeOfNode(facts.of));
}

function toFields(
  schema: OpenApiSchema,
  at: string,
  goFields: GoFieldsOfOne | undefined,
): { readonly [name: string]: TableNode } {
  const required = new Set(schema.required ?? []);
  const sorted = Object.keys(schema.properties ?? {}).sort();
  const names = [...(goFields?.keys() ?? [])].filter((name) => sorted.includes(name));
  names.push(...sorted.filter((name) => goFields?.has(name) !== true));
  return Object.fromEntries(
    names.map((name) => [
      name,
      toNode(schema.properties?.[name] ?? {}, {
        at: `${at}.${name}`,
        isRequired: required.has(name),
        isField: true,
        go: goFields?.get(name),
      }),
    ]),
  );
}

interface Place {
  readonly at: string;
  readonly isRequired: boolean;
  readonly isField: boolean;
  /** Undefined where it is not known. */
  readonly go: GoField | undefined;
}

function toNode(schema: OpenApiSchema, place: Place): TableNode {
  refuseUnknownKeys(schema, place.at);
  const facts = factsOf(schema);
  const type = typeExpression(schema, facts, place);
  const zero = schema.default !== undefined && JSON.stringify(schema.default) === zeroOf(type);
  if (schema.default !== undefined && !zero) facts.default = schema.default;
  const marks = place.isField ? goMarks(type, place) : "";
  const expression = `${place.isRequired ? "!" : ""}${marks}${type}${zero && place.isField ? "~" : ""}`;
  return Object.keys(facts).length === 0 ? expression : [expression, facts];
}

function goMarks(type: string, { go, isRequired }: Place): string {
  if (go === undefined) return "?";
  const isExpected = isRequired || (!go.isPointer && isGoStruct(type));
  return `${go.isAlwaysPrinted === isExpected ? "" : "^"}${go.isPointer ? "*" : ""}`;
}

function isGoStruct(type: string): boolean {
  return /^[^[{]*\.|^(json|quantity|int-or-string|time|micro-time|duration)$/.test(type);
}

function typeExpression(schema: OpenApiSchema, facts: TableFacts, place: Place): string {
  const reference = referenceOf(schema);
  if (reference !== undefined) return specialType(reference)?.word ?? tableName(reference);
  if (schema["x-kubernetes-int-or-string"] === true || schema.format === "int-or-string") return "int-or-string";
  switch (schema.type) {
    case "array":
      return `[]${elementExpression(schema.items ?? {}, facts, `${place.at}[]`)}`;
    case "object":
      return objectExpression(schema, facts, place.at);
    case "string":
      return schema.format === "byte" ? "bytes" : "string";
    case "integer":
      return schema.format === "int32" || schema.format === "int64" ? schema.format : "integer";
    case "number":
    case "boolean":
      return schema.type;
    case undefined:
      return "json";
    default:
      throw new GenerateError(`${place.at} has the unknown type ${schema.type}`);
  }
}

function objectExpression(schema: OpenApiSchema, facts: TableFacts, at: string): string {
  if (schema.properties !== undefined) {
    facts.fields = toFields(schema, at, undefined);
    return "object";
  }
  if (typeof schema.additionalProperties === "object") {
    return `{}${elementExpression(schema.additionalProperties, facts, `${at}{}`)}`;
  }
  return schema["x-kubernetes-embedded-resource"] === true ? "object" : "json";
}

function elementExpression(element: OpenApiSchema, facts: TableFacts, at: string): string {
  const node = toNode(element, { at, isRequired: false, isField: false, go: undefined });
  if (typeof node === "string") return node;
  facts.of = node;
  return "";
}

function factsOf(schema: OpenApiSchema): TableFacts {
  const facts: TableFacts = {};
  const listType = schema["x-kubernetes-list-type"];
  // A byte string may carry a list type: in Go it is a list of bytes.
  if (listType !== undefined && listType !== "atomic" && schema.type === "array") facts.list = listType;
  const listMapKeys = schema["x-kubernetes-list-map-keys"];
  if (listMapKeys !== undefined) facts.keys = listMapKeys;
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType !== undefined) facts.map = mapType;
  const strategy = schema["x-kubernetes-patch-strategy"];
  if (strategy !== undefined) facts.patch = strategy.split(",");
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  if (mergeKey !== undefined) facts.mergeKey = mergeKey;
  if (schema.enum !== undefined) facts.enum = schema.enum;
  if (schema.nullable === true) facts.nullable = true;
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) facts.preserve = true;
  if (schema["x-kubernetes-embedded-resource"] === true) facts.embedded = true;
  const limits = Object.entries(schema).filter(
    ([key, value]) => limitKeys.has(key) || (key === "format" && !isTypeFormat(value)),
  );
  if (limits.length > 0) facts.limits = Object.fromEntries(limits) as { readonly [limit: string]: Json };
  return facts;
}

function isTypeFormat(format: unknown): boolean {
  return (
    format === "int32" || format === "int64" || format === "byte" || format === "double" || format === "int-or-string"
  );
}

function zeroOf(type: string): string | undefined {
  if (type.includes(".") || type === "object") return type.startsWith("[]") ? undefined : "{}";
  return zeros[type];
}

const zeros: { readonly [type: string]: string } = {
  string: '""',
  bytes: '""',
  boolean: "false",
  int32: "0",
  int64: "0",
  integer: "0",
  number: "0",
  json: "{}",
};

function refuseUnknownKeys(schema: OpenApiSchema, at: string): void {
  for (const key of Object.keys(schema)) {
    if (!understoodKeys.has(key) && !limitKeys.has(key)) throw new GenerateError(`${at} has the unknown key ${key}`);
  }
}
