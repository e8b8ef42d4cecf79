// Whether two objects are semantically equal, as upstream's `equality.Semantic.DeepEqual` and `DeepDerivative` on Go
// structs. Here objects are JSON, so the rules are about JSON that differs and decodes to the same Go value:
//
// - null is absent, except inside any-JSON values (RawExtension and others), which must be equal data;
// - an empty list, map or byte string is absent; an empty map entry is not: `{ a: "" }` is not `{}`;
// - a struct that is a Go value is absent if all its fields are (`status: {}`); a pointer to a struct is not (`emptyDir: {}`);
// - a scalar that is a Go value is absent if it is zero (`hostNetwork: false`, `nodeName: ""`, a quantity of "0"); a
//   pointer is not: `automountServiceAccountToken: false` and `replicas: 0` have a meaning. If the schema does not
//   say which it is, only a zero that Go prints for an unset field is absent;
// - quantities are equal by value, times by instant, durations by length; 80 and "80" differ;
// - the order of lists matters, the order of keys does not.
//
// Without a schema (a custom resource) null and the empty list are absent, and everything else is compared literally.
import { deepEqual } from "../base/deep.ts";
import { parseDuration } from "./duration.ts";
import { isJsonList, isJsonObject, type JsonObject, ownValue } from "./json-value.ts";
import { compareQuantities, decodeQuantity } from "./quantity.ts";
import { childSlot, type ScalarType, type Slot, type TypeSchema, toSlot } from "./schema.ts";
import { schemaOfKind } from "./schema-table.ts";
import { compareTimes } from "./time.ts";

/** `schema` is found by the objects' kind; pass it if they are parts of objects (`semanticEqual(a.spec, b.spec, …)`). */
export function semanticEqual(a: unknown, b: unknown, schema?: TypeSchema): boolean {
  return isEqual(a, b, rootSlot(schema ?? schemaOf(a)));
}

/**
 * Whether `actual` has everything in `wanted`. An absent or empty value in `wanted` (also empty text) requires
 * nothing; a map entry requires that entry, a list requires a prefix. Unlike upstream, which cannot distinguish an absent
 * number from zero, a zero that is written in `wanted` counts.
 */
export function semanticDerivative(wanted: unknown, actual: unknown, schema?: TypeSchema): boolean {
  return isDerivative(wanted, actual, rootSlot(schema ?? schemaOf(wanted)));
}

function rootSlot(schema: TypeSchema | undefined): Slot | undefined {
  return schema === undefined ? undefined : toSlot(schema);
}

function schemaOf(object: unknown): TypeSchema | undefined {
  if (!isJsonObject(object)) return undefined;
  const { apiVersion, kind } = object;
  return typeof apiVersion === "string" && typeof kind === "string" ? schemaOfKind({ apiVersion, kind }) : undefined;
}

function isEqual(a: unknown, b: unknown, slot: Slot | undefined): boolean {
  if (a === b) return true;
  const schema = slot?.schema;
  if (schema?.type === "json") return deepEqual(a, b);
  if (isAbsent(a)) return isEmpty(b, slot);
  if (isAbsent(b)) return isEmpty(a, slot);
  if (isJsonList(a)) {
    if (!isJsonList(b) || a.length !== b.length) return false;
    return a.every((item, i) => isEqual(item, b[i], childSlot(schema, i)));
  }
  if (isJsonObject(a)) return isJsonObject(b) && equalObjects(a, b, schema);
  return equalScalars(a, b, schema);
}

function equalObjects(a: JsonObject, b: JsonObject, schema: TypeSchema | undefined): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) {
    const [left, right] = [ownValue(a, key), ownValue(b, key)];
    if (schema?.type === "map" && isAbsent(left) !== isAbsent(right)) return false;
    if (!isEqual(left, right, childSlot(schema, key))) return false;
  }
  return true;
}

function isDerivative(wanted: unknown, actual: unknown, slot: Slot | undefined): boolean {
  const schema = slot?.schema;
  if (isAbsent(wanted) || wanted === "" || wanted === actual) return true;
  if (schema?.type === "json") return deepEqual(wanted, actual);
  if (isJsonList(wanted)) {
    if (wanted.length === 0) return true;
    if (!isJsonList(actual) || wanted.length > actual.length) return false;
    return wanted.every((item, i) => isDerivative(item, actual[i], childSlot(schema, i)));
  }
  if (isJsonObject(wanted)) {
    const entries = Object.entries(wanted);
    if (!isJsonObject(actual)) return isAbsent(actual) && (entries.length === 0 || isEmpty(wanted, slot));
    return entries.every(([key, value]) => {
      const held = ownValue(actual, key);
      // A map entry is required whatever its value; only in a struct field a zero value means absent.
      if (schema?.type === "map" && isAbsent(held)) return isAbsent(value);
      return isDerivative(value, held, childSlot(schema, key));
    });
  }
  return isEqual(wanted, actual, slot);
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function isEmpty(value: unknown, slot: Slot | undefined): boolean {
  if (isAbsent(value)) return true;
  if (isJsonList(value)) return value.length === 0;
  if (slot === undefined) return false;
  const { schema } = slot;
  if (isJsonObject(value)) {
    if (schema.type === "map") return Object.values(value).every(isAbsent);
    if (!slot.isZeroDefault) return false;
    return Object.entries(value).every(([key, held]) => isEmpty(held, childSlot(schema, key)));
  }
  if (schema.type === "scalar" && schema.scalar === "bytes") return value === "";
  if (schema.type !== "scalar" || slot.isPointer === undefined) return slot.isZeroDefault && value === slot.default;
  return !slot.isPointer && equalScalars(value, zeros[schema.scalar], schema);
}

// The Go values of absent scalars.
const zeros: { readonly [type in ScalarType]: unknown } = {
  string: "",
  bytes: "",
  boolean: false,
  int32: 0,
  int64: 0,
  integer: 0,
  number: 0,
  quantity: "0",
  "int-or-string": 0,
  time: "0001-01-01T00:00:00Z",
  "micro-time": "0001-01-01T00:00:00Z",
  duration: "0s",
};

function equalScalars(a: unknown, b: unknown, schema: TypeSchema | undefined): boolean {
  const compare = schema?.type === "scalar" ? comparisons[schema.scalar] : undefined;
  if (compare === undefined) return a === b;
  try {
    return compare(a, b);
  } catch {
    // If one is not a valid quantity, time or duration, only equal text is equal.
    return a === b;
  }
}

const comparisons: { readonly [type in ScalarType]?: (a: unknown, b: unknown) => boolean } = {
  quantity: (a, b) => compareQuantities(decodeQuantity(a), decodeQuantity(b)) === 0,
  time: equalTimes,
  "micro-time": equalTimes,
  duration: (a, b) => parseDuration(String(a)) === parseDuration(String(b)),
};

function equalTimes(a: unknown, b: unknown): boolean {
  return typeof a === "string" && typeof b === "string" && compareTimes(a, b) === 0;
}
