// Objects as they are compared with what a client sent: a server adds zeros.
/** The last is a quantity of nothing. */
const zeros = new Set<unknown>([null, "", 0, false, "0"]);

/** As JSON without what Go's zero values are: what is left of an object wherever fields are held by value. */
export function withoutZeros(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => withoutZeros(item) ?? null);
  if (typeof value === "object" && value !== null) {
    const kept = Object.entries(value)
      .map(([key, child]) => [key, withoutZeros(child)] as const)
      .filter(([, child]) => child !== undefined);
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  }
  return zeros.has(value) ? undefined : value;
}
