// Merges the wanted fields into the stored object: the result has every wanted field, and keeps all other fields, above all those
// that the server has defaulted. If nothing has to change, the stored object itself is returned, so that `===`
// says whether there is anything to write.
//
// - An absent or undefined field of `wanted` asks for nothing. A null asks that the field be absent.
// - Objects and maps are merged field by field. A map that is atomic (`nodeSelector`, the `selector` of a Service) is replaced as a whole.
// - A list with keys (`containers` by name, `ports` by port and protocol) is merged item by item. Stored items that `wanted` does not
//   name stay, and so does the order; new items follow at the end. A list that is a set (`finalizers`) gets what is missing.
// - Any other list is taken whole, unless it has the same length and each wanted item, laid over the stored one, changes nothing.
// - Where only one of several fields may be set (`strategy`, a volume), a change drops the fields that `wanted` does not name.
// - Values that differ only in notation ("1000m", "1"), and empty values of fields that the server does not store if empty, do not count as changes.
//
// The list keys come from the schema: the built-in kinds' schema, or that of a custom resource definition (structural-schema.ts). Without a schema
// objects are merged, and lists are replaced as described above.
import { hasKey, isJsonList, isJsonObject, type JsonObject, jsonEntries, ownValue } from "./json-value.ts";
import { childSlot, type ListSchema, type ObjectSchema, type Slot, type TypeSchema, toSlot } from "./schema.ts";
import { semanticEqual } from "./semantic-equality.ts";

/** Both are plain JSON; neither is changed. */
export function layOver<T extends object>(stored: T, wanted: object, schema: TypeSchema | undefined): T {
  return layValue(stored, wanted, schema === undefined ? undefined : toSlot(schema)) as T;
}

/** Returns the object to create if none is stored: `wanted` without its nulls. */
export function withoutAbsent<T>(wanted: T): T {
  return bare(wanted) as T;
}

function layValue(stored: unknown, wanted: unknown, slot: Slot | undefined): unknown {
  if (wanted === undefined) return stored;
  if (wanted === null) return undefined;
  if (isJsonObject(wanted)) return layOverObject(stored, wanted, slot);
  if (isJsonList(wanted)) return layOverList(stored, wanted, slot);
  return isSame(stored, wanted, slot) ? stored : wanted;
}

function layOverObject(stored: unknown, wanted: JsonObject, slot: Slot | undefined): unknown {
  if (!isJsonObject(stored)) return isSame(stored, bare(wanted), slot) ? stored : bare(wanted);
  const schema = slot?.schema;
  if (schema?.type === "json") return isSame(stored, wanted, slot) ? stored : bare(wanted);
  if (schema?.type === "map" && schema.mapType === "atomic") return whole(stored, wanted, slot);
  if (schema?.type === "object" && schema.mapType === "atomic") return layOverAtomic(stored, wanted, schema);
  const laid = merge(stored, wanted, schema);
  return laid !== stored && slot?.patchStrategies.includes("retainKeys") ? retain(laid, wanted) : laid;
}

function merge(stored: JsonObject, wanted: JsonObject, schema: TypeSchema | undefined): JsonObject {
  let laid: Map<string, unknown> | undefined;
  for (const [key, value] of jsonEntries(wanted)) {
    const before = ownValue(stored, key);
    // A map entry is wanted whatever its value; only in a struct field a zero value means absent.
    const isNewEntry = schema?.type === "map" && before === undefined && value !== null;
    const after = isNewEntry ? bare(value) : layValue(before, value, childSlot(schema, key));
    if (after === before) continue;
    laid ??= new Map(jsonEntries(stored));
    if (after === undefined) laid.delete(key);
    else laid.set(key, after);
  }
  return laid === undefined ? stored : Object.fromEntries(laid);
}

function retain(laid: JsonObject, wanted: JsonObject): JsonObject {
  return Object.fromEntries(jsonEntries(laid).filter(([key]) => hasKey(wanted, key)));
}

/** All or nothing: fields set only by the server do not count as a difference, but every wanted field must be equal. */
function layOverAtomic(stored: JsonObject, wanted: JsonObject, schema: ObjectSchema): JsonObject {
  const isThere = jsonEntries(wanted).every(([key, value]) => {
    const held = ownValue(stored, key);
    return value === null ? held === undefined : isSame(held, value, childSlot(schema, key));
  });
  return isThere ? stored : (bare(wanted) as JsonObject);
}

function whole(stored: unknown, wanted: unknown, slot: Slot | undefined): unknown {
  return isSame(stored, bare(wanted), slot) ? stored : bare(wanted);
}

function layOverList(stored: unknown, wanted: readonly unknown[], slot: Slot | undefined): unknown {
  if (!isJsonList(stored)) return whole(stored, wanted, slot);
  const schema = slot?.schema.type === "list" ? slot.schema : undefined;
  const keys = schema === undefined ? [] : keysOf(schema, slot);
  if (schema !== undefined && keys.length > 0) {
    const merged = mergeByKey(stored, wanted, { schema, keys, retains: slot?.patchStrategies.includes("retainKeys") });
    if (merged !== undefined) return merged;
  } else if (isSet(schema, slot, [...stored, ...wanted])) {
    const missing = wanted.filter((item, i) => !stored.includes(item) && wanted.indexOf(item) === i);
    return missing.length === 0 ? stored : [...stored, ...missing];
  }
  const isThere =
    stored.length === wanted.length &&
    wanted.every((item, i) => layValue(stored[i], item, schema?.items) === stored[i] && item !== null);
  return isThere ? stored : bare(wanted);
}

/** Prefers the list's own keys to the merge key of patches: ports 53/TCP and 53/UDP are two items. */
function keysOf({ listType, listMapKeys }: ListSchema, slot: Slot | undefined): readonly string[] {
  if (listType === "map" && listMapKeys.length > 0) return listMapKeys;
  const isMerged = slot?.patchStrategies.includes("merge") === true;
  return isMerged && slot?.patchMergeKey !== undefined ? [slot.patchMergeKey] : [];
}

function isSet(schema: ListSchema | undefined, slot: Slot | undefined, items: readonly unknown[]): boolean {
  const isMerged = schema?.listType === "set" || (schema !== undefined && slot?.patchStrategies.includes("merge"));
  return isMerged === true && items.every((item) => typeof item !== "object");
}

interface KeyedList {
  readonly schema: ListSchema;
  readonly keys: readonly string[];
  readonly retains: boolean | undefined;
}

/** Undefined if an item has no key, or two have the same: then items cannot be matched. */
function mergeByKey(
  stored: readonly unknown[],
  wanted: readonly unknown[],
  { schema, keys, retains }: KeyedList,
): readonly unknown[] | undefined {
  const before = byKey(stored, schema, keys);
  const asked = byKey(wanted, schema, keys);
  if (before === undefined || asked === undefined) return undefined;
  const slot: Slot = retains === true ? toSlot(() => schema.items.schema, retaining) : schema.items;
  const kept = [...before].map(([key, item]) => (asked.has(key) ? layValue(item, asked.get(key), slot) : item));
  const added = [...asked].filter(([key]) => !before.has(key)).map(([, item]) => bare(item));
  const isThere = added.length === 0 && kept.every((item, i) => item === stored[i]);
  return isThere ? stored : [...kept, ...added];
}

const retaining = { patchStrategies: ["retainKeys"] } as const;

function byKey(
  items: readonly unknown[],
  { items: slot }: ListSchema,
  keys: readonly string[],
): Map<string, unknown> | undefined {
  const found = new Map<string, unknown>();
  for (const item of items) {
    if (!isJsonObject(item)) return undefined;
    // A missing key field has its default: the protocol of a port is TCP.
    const values = keys.map((key) => ownValue(item, key) ?? childSlot(slot.schema, key)?.default ?? null);
    if (values.every((value) => value === null)) return undefined;
    const id = JSON.stringify(values);
    if (found.has(id)) return undefined;
    found.set(id, item);
  }
  return found;
}

/** Compared as fields of an object, because the meaning of an empty value depends on whether the Go field is a pointer. */
function isSame(stored: unknown, wanted: unknown, slot: Slot | undefined): boolean {
  if (stored === wanted) return true;
  if (slot === undefined) return stored !== undefined && semanticEqual({ stored }, { stored: wanted });
  const place: ObjectSchema = {
    type: "object",
    name: undefined,
    kinds: [],
    fields: new Map([["value", slot]]),
    mapType: "granular",
    unions: [],
    preservesUnknownFields: false,
    isEmbeddedResource: false,
  };
  return semanticEqual({ value: stored }, { value: wanted }, place);
}

function bare(value: unknown): unknown {
  if (isJsonList(value)) return value.map(bare);
  if (!isJsonObject(value)) return value;
  const entries = jsonEntries(value).filter(([, held]) => held !== null);
  return Object.fromEntries(entries.map(([key, held]) => [key, bare(held)]));
}
