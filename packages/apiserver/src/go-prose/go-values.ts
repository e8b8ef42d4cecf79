// Values as Go prints them where upstream puts them into messages: maps with their keys in order and without quotes.

export function printGo(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printGo).join(" ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `map[${entries.map(([name, held]) => `${name}:${printGo(held)}`).join(" ")}]`;
  }
  return value === null || value === undefined ? "<nil>" : String(value);
}

/** The type of a decoded JSON value. */
export function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return value === null || value === undefined ? "<nil>" : "map[string]interface {}";
}

/** Of a value that was printed as if it were a text. */
export function printGoText(value: unknown): string {
  return typeof value === "string" ? value : `%!s(${goTypeOf(value)}=${printGo(value)})`;
}

/** Of a JSON value that does not fit what it is decoded into: `value of type []string`. */
export const cannotUnmarshal = (value: unknown, into: string) =>
  `json: cannot unmarshal ${jsonWordOf(value)} into Go ${into}`;

/** Of a JSON value that was decoded into a map, and is none. */
export const notAMap = (value: unknown) => cannotUnmarshal(value, "value of type map[string]interface {}");

/** What JSON calls it. */
function jsonWordOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value === "boolean" ? "bool" : typeof value;
}
