// What a server's OpenAPI v3 documents say, reduced to what the generator uses: one map of definitions, one of paths.
// Descriptions are dropped here and can therefore not reach any output. The same definition comes in many documents;
// they may differ only in the group-version-kinds listed (DeleteOptions and WatchEvent belong to every group), which
// are united. Any other difference is an error.
import { GenerateError } from "./generate-error.ts";
import { asObject, type Json, type JsonObject } from "./json.ts";

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** An OpenAPI schema without descriptions. Unknown keys are kept: what is not understood is refused later, by name. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly properties?: { readonly [name: string]: OpenApiSchema };
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly required?: readonly string[];
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly default?: Json;
  readonly enum?: readonly Json[];
  readonly nullable?: boolean;
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-unions"?: readonly Json[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
}

/** One operation of one path that the server marked with its action and kind. */
export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly action: string;
  readonly kind: GroupVersionKind;
}

export interface OpenApi {
  /** By name, in the order of names. */
  readonly definitions: ReadonlyMap<string, OpenApiSchema>;
  readonly operations: readonly Operation[];
}

const kindsKey = "x-kubernetes-group-version-kind";

/** Takes one OpenAPI document, or an object of documents by their path below `/openapi/v3`. */
export function decodeOpenApi(input: unknown): OpenApi {
  const root = asObject(input, "the OpenAPI input");
  const documents =
    "openapi" in root ? [root] : Object.values(root).map((document) => asObject(document, "a document"));
  const definitions = new Map<string, OpenApiSchema>();
  const operations: Operation[] = [];
  for (const document of documents) {
    const schemas = asObject(asObject(document["components"] ?? {}, "components")["schemas"] ?? {}, "schemas");
    for (const [name, schema] of Object.entries(schemas)) {
      const seen = definitions.get(name);
      const next = withoutDescriptions(asObject(schema, name)) as OpenApiSchema;
      definitions.set(name, seen === undefined ? next : unite(name, seen, next));
    }
    operations.push(...operationsOf(asObject(document["paths"] ?? {}, "paths")));
  }
  return { definitions: new Map([...definitions].sort(([a], [b]) => compareText(a, b))), operations };
}

/** Order by code units: the same everywhere, unlike `localeCompare`. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function kindsOf(schema: OpenApiSchema): readonly GroupVersionKind[] {
  return schema[kindsKey] ?? [];
}

function unite(name: string, a: OpenApiSchema, b: OpenApiSchema): OpenApiSchema {
  const { [kindsKey]: kindsOfA = [], ...restOfA } = a;
  const { [kindsKey]: kindsOfB = [], ...restOfB } = b;
  if (JSON.stringify(restOfA) !== JSON.stringify(restOfB)) {
    throw new GenerateError(`two documents define ${name} differently`);
  }
  const kinds = new Map([...kindsOfA, ...kindsOfB].map((kind) => [`${kind.group}/${kind.version}/${kind.kind}`, kind]));
  if (kinds.size === 0) return a;
  return { ...restOfA, [kindsKey]: [...kinds].sort(([x], [y]) => compareText(x, y)).map(([, kind]) => kind) };
}

// Below `properties` the keys are field names, and `description` is one of them.
function withoutDescriptions(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([key]) => key !== "description");
  return Object.fromEntries(
    kept.map(([key, value]): [string, Json] => {
      if (key === "default" || key === "enum" || typeof value !== "object" || value === null) return [key, value];
      if (key === "properties") {
        const fields = Object.entries(asObject(value, key));
        return [
          key,
          Object.fromEntries(fields.map(([name, field]) => [name, withoutDescriptions(asObject(field, name))])),
        ];
      }
      if (Array.isArray(value)) {
        return [key, value.map((item) => (isObject(item) ? withoutDescriptions(item) : item))];
      }
      return [key, withoutDescriptions(asObject(value, key))];
    }),
  );
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function operationsOf(paths: JsonObject): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(asObject(methods, path)).flatMap(([method, operation]) => {
      if (!isObject(operation)) return [];
      const action = operation["x-kubernetes-action"];
      const kind = operation[kindsKey];
      if (typeof action !== "string" || kind === undefined) return [];
      const { group, version, kind: word } = asObject(kind, path);
      return [{ path, method, action, kind: { group: String(group), version: String(version), kind: String(word) } }];
    }),
  );
}
