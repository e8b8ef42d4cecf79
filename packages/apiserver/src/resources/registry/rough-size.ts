// How much a value takes when it is written, at most: quick to tell, where the answer is hardly ever needed exactly.

/** Of so many bytes, those that would be left at least: letters take three at most, all else less than its name and sixteen. */
export function spareOf(value: unknown, bytes: number): number {
  if (typeof value === "string") return bytes - 3 * value.length - 16;
  if (typeof value !== "object" || value === null) return bytes - 16;
  let left = bytes - 16;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = spareOf(value[i], left);
    return left;
  }
  for (const name in value) {
    left = spareOf((value as Readonly<Record<string, unknown>>)[name], left - 3 * name.length);
    if (left < 0) return left;
  }
  return left;
}
