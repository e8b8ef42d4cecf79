// The structure of a CRD's schema as a literal for `structuralSchema`, so that `ensure` and test clusters know the defaults, lists and
// maps of a generated kind. What `structuralSchema` does not read (descriptions, bounds, patterns, CEL) is left out: a schema is
// mostly that. Fields are sorted by name, because a server returns the same schema in another order than the file had.
import { isRecord, type JsonRecord } from "./schema.ts";

const indent = "  ";

export function writeStructure(schema: unknown): string {
  return print(structureOf(schema), indent);
}

/** Copied as they are. A format matters only where it says that a string holds bytes. */
const kept = [
  "type",
  "required",
  "nullable",
  "default",
  "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-map-type",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
];

function structureOf(schema: unknown): JsonRecord {
  if (!isRecord(schema)) return {};
  const { properties, items, additionalProperties, format } = schema;
  return {
    ...Object.fromEntries(kept.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]])),
    ...(format === "byte" ? { format } : {}),
    ...(isRecord(properties) ? { properties: structuresOf(properties) } : {}),
    ...(isRecord(items) ? { items: structureOf(items) } : {}),
    ...(isRecord(additionalProperties) ? { additionalProperties: structureOf(additionalProperties) } : {}),
  };
}

function structuresOf(properties: JsonRecord): JsonRecord {
  const names = Object.keys(properties).sort();
  return Object.fromEntries(names.map((name) => [name, structureOf(properties[name])]));
}

/** On one line what fits there. */
function print(value: unknown, before: string): string {
  const line = printLine(value);
  if (before.length + line.length <= 100 || typeof value !== "object" || value === null) return line;
  const inner = before + indent;
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => `${inner}${print(item, inner)},\n`).join("")}${before}]`;
  }
  const fields = Object.entries(value).map(([name, field]) => `${inner}${printName(name)}: ${print(field, inner)},\n`);
  return `{\n${fields.join("")}${before}}`;
}

function printLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${printName(name)}: ${printLine(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** `__proto__` in a literal would set the prototype; in brackets it is a name like any other. */
function printName(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
