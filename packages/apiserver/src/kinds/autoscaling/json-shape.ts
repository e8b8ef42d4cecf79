// Reading JSON that people put into annotations, as Go reads it: names in any case, null as nothing, what is not known passed over. Throws
// ShapeError for what is of the wrong type.
import { findQuantityFault, parseQuantity, parseTime, printQuantity, printTime, TimeError } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";

export class ShapeError extends KubeloopError {}

type Fields = Readonly<Record<string, unknown>>;

const wrong = (what: string) => new ShapeError(`not ${what}`, { reason: "Decode" });

/** A record whose fields are found by their names in small letters. */
export function readRecord(value: unknown): Fields {
  if (value === null || value === undefined) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw wrong("an object");
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name.toLowerCase(), held]));
}

export function readList<T>(value: unknown, readItem: (item: unknown) => T): T[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw wrong("a list");
  return value.map(readItem);
}

export const readText = (value: unknown): string => readOptional(value, isText, "text") ?? "";
export const readNumber = (value: unknown): number => readOptionalNumber(value) ?? 0;

export function readOptionalText(value: unknown): string | undefined {
  return readOptional(value, isText, "text");
}

export function readOptionalNumber(value: unknown): number | undefined {
  return readOptional(value, isWholeNumber, "a whole number");
}

/** In its canonical spelling. */
export function readOptionalQuantity(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "string" && typeof value !== "number") throw wrong("a quantity");
  const text = String(value);
  if (findQuantityFault(text) !== undefined) throw wrong("a quantity");
  return printQuantity(parseQuantity(text));
}

export const readQuantity = (value: unknown): string => readOptionalQuantity(value) ?? "0";

export function readOptionalTime(value: unknown): string | undefined {
  const text = readOptionalText(value);
  if (text === undefined) return undefined;
  try {
    return printTime(parseTime(text));
  } catch (error) {
    if (error instanceof TimeError) throw wrong("a time");
    throw error;
  }
}

function readOptional<T>(value: unknown, isRight: (value: unknown) => value is T, what: string): T | undefined {
  if (value === null || value === undefined) return undefined;
  if (!isRight(value)) throw wrong(what);
  return value;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isWholeNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
