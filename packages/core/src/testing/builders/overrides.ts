// Fields that a test sets on an object from a builder.

/** Any part of an object. Undefined removes a field. A list replaces the whole list. */
export type Overrides<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Overrides<T[K]> | undefined }
    : T;

/** Returns a merged copy: nested objects are merged, all other values are replaced. The arguments are not modified. */
export function withOverrides<T extends object>(object: T, overrides: Overrides<T>): T {
  const merged: Record<string, unknown> = { ...(object as Record<string, unknown>) };
  for (const [field, value] of Object.entries(overrides)) {
    const before = merged[field];
    if (value === undefined) delete merged[field];
    else merged[field] = isPlain(before) && isPlain(value) ? withOverrides(before, value) : value;
  }
  return merged as T;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
