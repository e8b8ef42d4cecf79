// A value that was patched strategically, read as upstream reads it: not by its JSON decoder but by a converter of its own, which has other
// words for what does not fit, looks at fields in the order of the Go struct, and lets integers overflow. Asked only when the ordinary
// decoder has refused the value, so that what fits costs nothing.
import type { ObjectSchema } from "@kubeloop/core/api";
import { wordFor } from "./fault-log.ts";
import { type ObjectPlan, planOf, type TypePlan } from "./plan.ts";
import { normalBase64 } from "./scalars.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The value as the converter leaves it, to be decoded once more. Throws an UnmarshalError for the first part that does not fit. */
export function fromUnstructured(value: unknown, schema: ObjectSchema): unknown {
  return convertObject(value, planOf(schema));
}

function convert(value: unknown, type: TypePlan): unknown {
  if (value === null || value === undefined) return value;
  switch (type.kind) {
    case "object":
      return convertObject(value, type.object);
    case "list":
      if (!Array.isArray(value)) throw new UnmarshalError(`cannot restore slice from ${goKind(value)}`);
      return value.map((item) => convert(item, type.element));
    case "map":
      if (!isFields(value)) throw new UnmarshalError(`cannot restore map from ${goKind(value)}`);
      return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, convert(held, type.element)]));
    case "string":
      return convertText(value, type);
    case "boolean":
      if (typeof value === "boolean") return value;
      throw unrecognized("bool");
    case "number":
      if (typeof value === "number") return value;
      throw unrecognized("float64");
    case "int32":
    case "int64":
      return convertInteger(value, type.kind);
    case "bytes":
      return convertBytes(value);
    case "time":
    case "micro-time":
    case "duration":
      if (typeof value === "string") return value;
      throw new UnmarshalError(`json: cannot unmarshal ${wordFor(value)} into Go value of type string`);
    case "int-or-string":
      if (typeof value === "string" || typeof value === "number") return value;
      throw new UnmarshalError(`json: cannot unmarshal ${wordFor(value)} into Go value of type int32`);
    default:
      // Quantities and any JSON decode themselves, in the same words everywhere.
      return value;
  }
}

function convertObject(value: unknown, plan: ObjectPlan): unknown {
  if (!isFields(value)) throw new UnmarshalError(`cannot restore struct from: ${goKind(value)}`);
  const converted: Record<string, unknown> = { ...value };
  for (const { name, type } of plan.fields) {
    if (Object.hasOwn(value, name)) converted[name] = convert(value[name], type);
  }
  return converted;
}

/** Go converts whole numbers to texts, so this is refused as a bad conversion; all others are no texts at all. */
function convertText(value: unknown, { goType }: TypePlan): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" && Number.isInteger(value)) {
    throw new UnmarshalError(`cannot convert int64 to ${goType}`);
  }
  throw unrecognized("string");
}

function convertInteger(value: unknown, kind: "int32" | "int64"): number {
  if (typeof value !== "number") throw unrecognized(kind);
  if (!Number.isInteger(value)) throw new UnmarshalError(`cannot convert float64 to ${kind}`);
  return kind === "int32" ? Number(BigInt.asIntN(32, BigInt(value))) : value;
}

function convertBytes(value: unknown): unknown {
  if (typeof value !== "string") {
    if (Array.isArray(value)) return value;
    throw new UnmarshalError(`cannot restore slice from ${goKind(value)}`);
  }
  const bytes = normalBase64(value);
  if ("text" in bytes) return value;
  throw new UnmarshalError(`error decoding from json: illegal base64 data at input byte ${bytes.faultAt}`);
}

const unrecognized = (kind: string) => new UnmarshalError(`unrecognized type: ${kind}`);

/** What Go's reflection calls a decoded JSON value. */
function goKind(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return "map";
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
