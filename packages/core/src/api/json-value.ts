// Reading and building plain JSON objects whose keys come from outside. A key like `__proto__` is a key like any other:
// it is read only if the object has it itself, and set as an ordinary property, never as the prototype.

/** An object from JSON whose fields nobody has looked at yet. */
export type JsonObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `Array.isArray`, without the `any`. */
export function isJsonList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The object's own value of a key. */
export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** What JSON would print: a key whose value is undefined is no key. */
export function jsonEntries(object: JsonObject): [string, unknown][] {
  return Object.entries(object).filter(([, value]) => value !== undefined);
}

export function hasKey(object: JsonObject, key: string): boolean {
  return ownValue(object, key) !== undefined;
}
