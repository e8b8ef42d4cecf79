// Which paths an object holds, by the rules of its schema. Objects that are alike (the pods of one set, the same manifest again and again)
// hold the same paths: those of whole parts are kept for a while under the part's outline.
import type { ListSchema, TypeSchema } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import { FieldSet } from "./field-set.ts";
import { OutlineCache } from "./outline-cache.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Of what no schema knows. */
export const untyped: TypeSchema = { type: "json" };

/** This path and all below it. */
export function pathsIn(object: unknown, schema: TypeSchema): FieldSet {
  if (shapeOf(schema, object) === "leaf") return FieldSet.leaf;
  const outline = outlineOf(object, schema);
  const known = outlines.get(schema, outline);
  if (known !== undefined) return known;
  const paths = gather(object, schema);
  outlines.keep(schema, outline, paths);
  return paths;
}

const outlines = new OutlineCache();

/** Two objects with the same outline have the same paths. Names stand behind their length, so that none can look like two. */
export function outlineOf(object: unknown, schema: TypeSchema): string {
  switch (shapeOf(schema, object)) {
    case "leaf":
      return ".";
    case "list": {
      const list = schema as ListSchema;
      let outline = "[";
      for (const item of asItems(object)) {
        const element = elementOf(item, list);
        outline += `${element.length}:${element}${outlineOf(item, list.items.schema)}`;
      }
      return `${outline}]`;
    }
    case "fields": {
      const fields = asFields(object);
      let outline = "{";
      for (const name in fields) {
        const value = fields[name];
        if (value !== undefined) outline += `${name.length}:${name}${outlineOf(value, childSchemaOf(schema, name))}`;
      }
      return `${outline}}`;
    }
  }
}

function gather(object: unknown, schema: TypeSchema): FieldSet {
  switch (shapeOf(schema, object)) {
    case "leaf":
      return FieldSet.leaf;
    case "list": {
      const list = schema as ListSchema;
      const children: Map<string, FieldSet> = new Map();
      for (const item of asItems(object)) {
        const element = elementOf(item, list);
        children.set(element, children.has(element) ? FieldSet.leaf : gather(item, list.items.schema));
      }
      return FieldSet.of(true, children);
    }
    case "fields": {
      const children: Map<string, FieldSet> = new Map();
      const fields = asFields(object);
      for (const name in fields) {
        const value = fields[name];
        if (value !== undefined) children.set(`f:${name}`, gather(value, childSchemaOf(schema, name)));
      }
      return FieldSet.of(true, children);
    }
  }
}

/** What an untyped value is like, it says itself; its lists have no keys. */
export function shapeOf(schema: TypeSchema, value: unknown): "list" | "fields" | "leaf" {
  switch (schema.type) {
    case "list":
      return schema.listType === "atomic" ? "leaf" : "list";
    case "map":
    case "object":
      return schema.mapType === "atomic" ? "leaf" : "fields";
    case "json":
      // Where a schema allows any JSON, it is one path.
      if (schema !== untyped) return "leaf";
      return typeof value === "object" && value !== null && !Array.isArray(value) ? "fields" : "leaf";
    default:
      return "leaf";
  }
}

const noFields: Fields = {};

export const asFields = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : noFields;

export const asItems = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function childSchemaOf(schema: TypeSchema, name: string): TypeSchema {
  if (schema.type === "object") return schema.fields.get(name)?.schema ?? untyped;
  return schema.type === "map" ? schema.values.schema : untyped;
}

interface Key {
  readonly name: string;
  readonly unset: unknown;
}

const keysOf = new WeakMap<ListSchema, readonly Key[]>();

function sortedKeys(list: ListSchema): readonly Key[] {
  let keys = keysOf.get(list);
  if (keys === undefined) {
    const { schema } = list.items;
    keys = list.listMapKeys.toSorted().map((name) => ({
      name,
      unset: schema.type === "object" ? schema.fields.get(name)?.default : undefined,
    }));
    keysOf.set(list, keys);
  }
  return keys;
}

/** An item of a list says nothing of what tells it from others: then nobody knows who manages what in its object. */
export class KeylessItem extends KubeloopError {
  constructor() {
    super("an item of a list has none of its keys", { reason: "Invalid", retry: "never" });
  }
}

/** What tells an item from others. Throws a KeylessItem. */
export function elementOf(item: unknown, list: ListSchema): string {
  if (list.listType === "set") return `v:${JSON.stringify(item)}`;
  const fields = asFields(item);
  let element = "";
  for (const { name, unset } of sortedKeys(list)) {
    const value = fields[name] ?? unset;
    if (value === undefined) continue;
    element += `${element === "" ? "k:{" : ","}"${name}":${JSON.stringify(value)}`;
  }
  if (element === "") throw new KeylessItem();
  return `${element}}`;
}
