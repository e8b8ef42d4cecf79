// The schemas of the built-in kinds, decoded from the generated table: the table is parsed on first use, a definition
// when it is first needed. `tools/generate/src/schema-nodes.ts` defines the grammar.
import { KubeloopError } from "../base/errors.ts";
import { schemaTable } from "./generated/schema-table.ts";
import type { JsonObject } from "./json-value.ts";
import type { Resource } from "./resource.ts";
import {
  type GoNames,
  type ObjectSchema,
  type PatchStrategy,
  type ScalarType,
  type Slot,
  type SlotFacts,
  type TypeSchema,
  toSlot,
  type Union,
} from "./schema.ts";

type TableNode = string | readonly [string, TableFacts];

interface TableFacts {
  readonly list?: "set" | "map";
  readonly keys?: readonly string[];
  readonly map?: "granular" | "atomic";
  readonly patch?: readonly PatchStrategy[];
  readonly mergeKey?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly nullable?: true;
  readonly preserve?: true;
  readonly embedded?: true;
  readonly limits?: JsonObject;
  readonly of?: TableNode;
  readonly fields?: { readonly [name: string]: TableNode };
}

interface DefinitionFacts {
  readonly kinds?: readonly string[];
  readonly map?: "granular" | "atomic";
  readonly preserve?: true;
  readonly unions?: readonly {
    readonly discriminator?: string;
    readonly "fields-to-discriminateBy"?: { readonly [field: string]: string };
  }[];
  readonly go?: { readonly [field: string]: string };
  readonly in?: { readonly [embedded: string]: readonly string[] };
}

interface TableDefinition {
  readonly $?: DefinitionFacts;
  readonly [field: string]: TableNode | DefinitionFacts | undefined;
}

interface Table {
  readonly packages: { readonly [short: string]: string };
  readonly definitions: { readonly [name: string]: TableDefinition };
}

interface Decoded {
  readonly table: Table;
  /** OpenAPI name → name in the table. */
  readonly tableNames: ReadonlyMap<string, string>;
  /** `apps/v1/Deployment` → name in the table. */
  readonly namesByKind: ReadonlyMap<string, string>;
  readonly schemas: Map<string, ObjectSchema>;
}

/** Finds by OpenAPI name: `schemaNamed("io.k8s.api.core.v1.Pod")`. */
export function schemaNamed(name: string): ObjectSchema | undefined {
  const tableName = decoded().tableNames.get(name);
  return tableName === undefined ? undefined : definition(tableName);
}

/** Finds by apiVersion and kind. Undefined for custom kinds. */
export function schemaOfKind(object: { readonly apiVersion: string; readonly kind: string }): ObjectSchema | undefined {
  const tableName = decoded().namesByKind.get(`${object.apiVersion}/${object.kind}`);
  return tableName === undefined ? undefined : definition(tableName);
}

/** Returns the schema of a resource's objects: the built-in kind's, or the one in the resource's definition. */
export function schemaOfResource(resource: Resource): ObjectSchema | undefined {
  return resource.schema ?? schemaOfKind(resource);
}

/** Returns the OpenAPI names of all definitions. */
export function schemaNames(): readonly string[] {
  return [...decoded().tableNames.keys()];
}

let cache: Decoded | undefined;

function decoded(): Decoded {
  cache ??= decodeTable();
  return cache;
}

function decodeTable(): Decoded {
  const table = JSON.parse(schemaTable) as Table;
  const tableNames = new Map<string, string>();
  const namesByKind = new Map<string, string>();
  for (const [name, { $: facts }] of Object.entries(table.definitions)) {
    tableNames.set(fullName(name, table), name);
    for (const kind of facts?.kinds ?? []) namesByKind.set(kind, name);
  }
  return { table, tableNames, namesByKind, schemas: new Map() };
}

function fullName(tableName: string, table: Table): string {
  const dot = tableName.lastIndexOf(".");
  const packageName = table.packages[tableName.slice(0, dot)];
  return packageName === undefined ? tableName : packageName + tableName.slice(dot);
}

function definition(tableName: string): ObjectSchema {
  const { schemas, table } = decoded();
  const known = schemas.get(tableName);
  if (known !== undefined) return known;
  const found = table.definitions[tableName];
  if (found === undefined) {
    throw new KubeloopError(`the schema table has no definition ${tableName}`, { reason: "Internal", retry: "never" });
  }
  const { $: facts = {}, ...fields } = found;
  const schema: ObjectSchema = {
    type: "object",
    name: fullName(tableName, table),
    kinds: facts.kinds ?? [],
    fields: decodeFields(fields as { readonly [name: string]: TableNode }),
    mapType: facts.map ?? "granular",
    unions: (facts.unions ?? []).map(
      (union): Union => ({
        discriminator: union.discriminator,
        fields: new Map(Object.entries(union["fields-to-discriminateBy"] ?? {})),
      }),
    ),
    preservesUnknownFields: facts.preserve === true,
    isEmbeddedResource: false,
    go: decodeGoNames(facts),
  };
  schemas.set(tableName, schema);
  return schema;
}

function decodeGoNames(facts: DefinitionFacts): GoNames {
  const embeddedIn = new Map<string, string>();
  if (facts.kinds !== undefined) for (const field of ["kind", "apiVersion"]) embeddedIn.set(field, "TypeMeta");
  for (const [embedded, fields] of Object.entries(facts.in ?? {})) {
    for (const field of fields) embeddedIn.set(field, embedded);
  }
  return { types: new Map(Object.entries(facts.go ?? {})), embeddedIn };
}

function decodeFields(fields: { readonly [name: string]: TableNode }): ReadonlyMap<string, Slot> {
  return new Map(Object.entries(fields).map(([name, node]) => [name, decodeSlot(node)]));
}

// Most fields have only a type, so a few hundred shared slots serve all of them.
const plainSlots = new Map<string, Slot>();

function decodeSlot(node: TableNode): Slot {
  if (typeof node !== "string") return buildSlot(node[0], node[1]);
  const known = plainSlots.get(node) ?? buildSlot(node, {});
  plainSlots.set(node, known);
  return known;
}

function buildSlot(expression: string, facts: TableFacts): Slot {
  const isRequired = expression.startsWith("!");
  const isZeroDefault = expression.endsWith("~");
  const [, print = "", hold = "", type = ""] =
    /^!?(\^?)([*?]?)(.*?)$/.exec(isZeroDefault ? expression.slice(0, -1) : expression) ?? [];
  const isKnown = hold !== "?";
  const isPointer = hold === "*";
  const isExpectedToPrint = isRequired || (!isPointer && isGoStruct(type));
  const said: Partial<SlotFacts> = {
    isRequired,
    isZeroDefault,
    isPointer: isKnown ? isPointer : undefined,
    isAlwaysPrinted: isKnown ? isExpectedToPrint !== (print === "^") : undefined,
    isNullable: facts.nullable === true,
    default: isZeroDefault ? zeroOf(type) : facts.default,
    patchStrategies: facts.patch ?? [],
    patchMergeKey: facts.mergeKey,
    enum: facts.enum,
    limits: facts.limits,
  };
  return toSlot(() => decodeType(type, facts), said);
}

function decodeType(type: string, facts: TableFacts): TypeSchema {
  if (type.startsWith("[]")) {
    const items = decodeSlot(facts.of ?? type.slice(2));
    return { type: "list", items, listType: facts.list ?? "atomic", listMapKeys: facts.keys ?? [] };
  }
  if (type.startsWith("{}")) {
    return { type: "map", values: decodeSlot(facts.of ?? type.slice(2)), mapType: facts.map ?? "granular" };
  }
  if (type === "json") return untyped;
  if (type === "object") return inlineObject(facts);
  if (isScalarWord(type)) return { type: "scalar", scalar: type as ScalarType };
  const target = definition(type);
  return facts.map === undefined || facts.map === target.mapType ? target : { ...target, mapType: facts.map };
}

function isScalarWord(type: string): boolean {
  return !/[.[{]|^(json|object)?$/.test(type);
}

function isGoStruct(type: string): boolean {
  return /^[^[{]*\.|^(?:json|quantity|int-or-string|time|micro-time|duration)$/.test(type);
}

const untyped: TypeSchema = { type: "json" };

function inlineObject(facts: TableFacts): ObjectSchema {
  return {
    type: "object",
    name: undefined,
    kinds: [],
    fields: decodeFields(facts.fields ?? {}),
    mapType: facts.map ?? "granular",
    unions: [],
    preservesUnknownFields: facts.preserve === true,
    isEmbeddedResource: facts.embedded === true,
  };
}

function zeroOf(type: string): unknown {
  if (type === "string" || type === "bytes") return "";
  if (type === "boolean") return false;
  return type === "int32" || type === "int64" || type === "integer" || type === "number" ? 0 : {};
}
