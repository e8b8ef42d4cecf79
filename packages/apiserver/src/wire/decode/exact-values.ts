// What JSON can say and JavaScript's values cannot: how a number was spelled, and that a key came twice. Bodies that need it
// are parsed into these; most do not, and are parsed by JSON.parse.
import { maxDepth, tooDeep, UnmarshalError } from "./unmarshal-error.ts";

/** A number whose spelling counts: `2.0`, `1e3`, `-0`, or an integer that a double may not hold. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An object that JavaScript's would forget parts of, or reorder: a key came twice, or looks like a list's index. */
export class OrderedEntries {
  readonly entries: readonly (readonly [string, unknown])[];

  constructor(entries: readonly (readonly [string, unknown])[]) {
    this.entries = entries;
  }
}

/**
 * The integer a spelling stands for; undefined if it is none, or none that a double holds and prints exactly (2^60 is held, but
 * prints as another).
 */
export function exactInteger(text: string): number | undefined {
  if (!isInteger(text)) return undefined;
  // Adding zero turns -0 into 0.
  const value = Number(text) + 0;
  if (Number.isSafeInteger(value)) return value;
  return String(value) === text && BigInt(value) === BigInt(text) ? value : undefined;
}

function isInteger(text: string): boolean {
  return /^-?[0-9]+$/.test(text);
}

/** Sets a key as an ordinary property, whatever it is called. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/**
 * A fresh copy in plain values, for places where any JSON may stand; of repeated keys the last counts. An integer that a double
 * cannot hold is refused: better than storing another one.
 */
export function toPlainJson(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return toPlainScalar(value);
  if (depth > maxDepth) throw tooDeep();
  if (Array.isArray(value)) return value.map((item) => toPlainJson(item, depth + 1));
  if (value instanceof ExactNumber) return toPlainNumber(value.text);
  const copy: Record<string, unknown> = {};
  if (value instanceof OrderedEntries) {
    for (const [key, held] of value.entries) setOwn(copy, key, toPlainJson(held, depth + 1));
  } else {
    for (const key in value) setOwn(copy, key, toPlainJson((value as Record<string, unknown>)[key], depth + 1));
  }
  return copy;
}

/** Values made in this process may be what no JSON can say. */
function toPlainScalar(value: unknown): unknown {
  if (value !== undefined && ["bigint", "symbol", "function"].includes(typeof value)) {
    throw new UnmarshalError(`a ${typeof value} cannot be written as JSON`);
  }
  return value;
}

function toPlainNumber(text: string): number {
  const number = Number(text) + 0;
  const isKept = isInteger(text) ? Number.isSafeInteger(number) || String(number) === text : Number.isFinite(number);
  if (isKept) return number;
  throw new UnmarshalError(`number ${text} cannot be kept exactly: this server holds numbers as 64-bit floating point`);
}
