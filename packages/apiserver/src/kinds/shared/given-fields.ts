// Objects put together field by field: those that are undefined are left out, as exact optional fields want it.

export function givenFields<T>(fields: Readonly<Record<string, unknown>>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
