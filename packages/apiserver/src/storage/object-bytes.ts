// An estimate of the memory that an object takes, for the limits of the history. Only for what JSON can hold.

/** What V8 needs for a property, an array element or a small value, roughly. */
const slotBytes = 24;

/**
 * Returns about how many bytes of heap the value takes. A character counts one byte, so text outside Latin-1 is counted at half its size;
 * parts that two versions share are counted in both.
 */
export function estimateBytes(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let bytes = slotBytes;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) bytes += slotBytes + estimateBytes(value[i]);
    return bytes;
  }
  const record = value as Readonly<Record<string, unknown>>;
  for (const name in record) bytes += slotBytes + name.length + estimateBytes(record[name]);
  return bytes;
}
