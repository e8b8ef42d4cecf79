// Reads and builds plain JSON objects with keys from outside. A key like `__proto__` is treated like any other:
// it is read only as an own property, and set as an ordinary property, never as the prototype.

/** An object from JSON whose fields are not checked yet. */
export type JsonObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `Array.isArray`, without the `any`. */
export function isJsonList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Returns the object's own value of a key. */
export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Returns the entries that JSON would print: a key whose value is undefined is skipped. */
export function jsonEntries(object: JsonObject): [string, unknown][] {
  return Object.entries(object).filter(([, value]) => value !== undefined);
}

export function hasKey(object: JsonObject, key: string): boolean {
  return ownValue(object, key) !== undefined;
}
