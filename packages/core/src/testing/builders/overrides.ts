// What a test says about an object beside what every one of its kind has.

/** Any part of it; undefined takes a field away. Lists are given whole. */
export type Overrides<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Overrides<T[K]> | undefined }
    : T;

/** Objects are merged, all else is replaced; neither is changed. */
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
