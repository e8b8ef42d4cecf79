// What types need of a CRD's OpenAPI schema, decoded once: shapes, names and descriptions. Rules that only validate (patterns,
// bounds, `anyOf`, CEL) are not looked at. Structural schemas are trees, so there are no references to follow.
import { UsageError } from "../usage-error.ts";

export interface Schema {
  readonly type: "object" | "array" | "string" | "number" | "boolean" | "unknown";
  readonly description: string | undefined;
  /** As JSON. */
  readonly defaultText: string | undefined;
  readonly isNullable: boolean;
  /** Sorted by name: a server hands out the same schema in another order than the file had. */
  readonly properties: readonly Property[];
  /** Of a map: the schema of its values. */
  readonly values: Schema | undefined;
  readonly items: Schema | undefined;
  /** Scalars only. */
  readonly allowed: readonly (string | number | boolean | null)[] | undefined;
  readonly isIntOrString: boolean;
  readonly keepsUnknownFields: boolean;
  readonly isEmbeddedResource: boolean;
}

export interface Property {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

export type JsonRecord = { readonly [key: string]: unknown };

export function isRecord(json: unknown): json is JsonRecord {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** No schema that people write is deeper; one that YAML aliases tie to itself is. */
const maxDepth = 100;

/** `path` is for complaints: "widgets.example.com v1: spec.size". */
export function decodeSchema(json: unknown, path: string, depth = 0): Schema {
  if (!isRecord(json)) throw new UsageError(`${path} must be a schema, an object`);
  if (depth > maxDepth) throw new UsageError(`${path} is nested more than ${maxDepth} levels deep`);
  const below = (part: string) => (path.endsWith(":") ? `${path} ${part}` : `${path}.${part}`);
  const { items, additionalProperties, description } = json;
  return {
    type: typeOf(json, path),
    description: typeof description === "string" && description.trim() !== "" ? description : undefined,
    defaultText: json["default"] === undefined ? undefined : JSON.stringify(json["default"]),
    isNullable: json["nullable"] === true,
    properties: decodeProperties(json, (name, schema) => decodeSchema(schema, below(name), depth + 1)),
    values: isRecord(additionalProperties)
      ? decodeSchema(additionalProperties, below("additionalProperties"), depth + 1)
      : undefined,
    items: items === undefined ? undefined : decodeSchema(items, below("items"), depth + 1),
    allowed: decodeEnum(json["enum"]),
    isIntOrString: json["x-kubernetes-int-or-string"] === true || json["format"] === "int-or-string",
    keepsUnknownFields: json["x-kubernetes-preserve-unknown-fields"] === true || additionalProperties === true,
    isEmbeddedResource: json["x-kubernetes-embedded-resource"] === true,
  };
}

function typeOf(json: JsonRecord, path: string): Schema["type"] {
  const { type } = json;
  switch (type) {
    case "object":
    case "array":
    case "string":
    case "number":
    case "boolean":
      return type;
    case "integer":
      return "number";
    case undefined:
    case "":
      return isRecord(json["properties"]) || isRecord(json["additionalProperties"]) ? "object" : "unknown";
    default:
      throw new UsageError(`${path} has the unknown type ${JSON.stringify(type)}`);
  }
}

function decodeProperties(json: JsonRecord, decode: (name: string, schema: unknown) => Schema): readonly Property[] {
  const { properties, required } = json;
  if (!isRecord(properties)) return [];
  const isRequired = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.keys(properties)
    .sort()
    .map((name) => ({ name, isRequired: isRequired.has(name), schema: decode(name, properties[name]) }));
}

function decodeEnum(json: unknown): Schema["allowed"] {
  if (!Array.isArray(json) || json.length === 0) return undefined;
  const isScalar = (value: unknown): value is string | number | boolean | null =>
    value === null || ["string", "number", "boolean"].includes(typeof value);
  return json.every(isScalar) ? json : undefined;
}
