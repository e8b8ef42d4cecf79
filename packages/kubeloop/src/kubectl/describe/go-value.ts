// JSON as Go prints its values: `<nil>`, `[a b]`, `map[a:1]`, numbers with exponents where they are very small or very large.
import { sortedKeys } from "./description.ts";

export function printGoValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "number") return printNumber(value);
  if (Array.isArray(value)) return `[${value.map(printGoValue).join(" ")}]`;
  if (typeof value !== "object") return String(value);
  const fields = value as { readonly [field: string]: unknown };
  return `map[${sortedKeys(fields)
    .map((key) => `${key}:${printGoValue(fields[key])}`)
    .join(" ")}]`;
}

function printNumber(value: number): string {
  const isSmall = value !== 0 && Math.abs(value) < 1e-4;
  return isSmall ? value.toExponential().replace(/e([+-])(\d)$/, "e$10$2") : String(value);
}
