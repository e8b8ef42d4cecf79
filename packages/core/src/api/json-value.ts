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

/** A new object with these entries; what is undefined is left out. */
export function toJsonObject(entries: Iterable<readonly [string, unknown]>): JsonObject {
  return Object.fromEntries([...entries].filter(([, value]) => value !== undefined));
}
