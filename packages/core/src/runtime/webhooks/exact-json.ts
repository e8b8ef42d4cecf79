// JSON in and out without harm to integers that a JavaScript number cannot hold. A review carries whole objects, and what a
// converter merely copies must come back as it was: 9007199254740993 is not 9007199254740992.
//
// Values are parsed as usual, such integers rounded; each remembers how it was written, and printing a number that was rounded
// to writes what it was rounded from. Two of them that round to the same number cannot be told apart: then parsing fails.
import { KubeloopError } from "../../base/index.ts";

export interface ExactJson {
  readonly value: unknown;
  /** As JSON.stringify, with the integers of the text it was parsed from. */
  print(value: unknown): string;
}

// Strings first, so that digits inside them are not taken for numbers.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** No integer of fewer digits is out of reach. */
const longInteger = /^-?\d{16,}$/;
const suspicious = /\d{16}/;

/** Throws a SyntaxError for what is no JSON. */
export function parseExactJson(text: string): ExactJson {
  const value: unknown = JSON.parse(text);
  const written = suspicious.test(text) ? findUnsafeIntegers(text) : new Map<number, string>();
  return { value, print: (each) => (written.size === 0 ? JSON.stringify(each) : print(each, written)) };
}

/** By what they are rounded to, how they were written. */
function findUnsafeIntegers(text: string): ReadonlyMap<number, string> {
  const written = new Map<number, string>();
  for (const [token] of text.matchAll(tokens)) {
    const rounded = longInteger.test(token) ? Number(token) : 0;
    if (Number.isSafeInteger(rounded)) continue;
    const other = written.get(rounded);
    if (other !== undefined && other !== token) {
      const message = `integers ${other} and ${token} cannot be told apart`;
      throw new KubeloopError(message, { reason: "InexactInteger", retry: "never" });
    }
    written.set(rounded, token);
  }
  return written;
}

/** JSON.stringify writes no such integer itself, so each first becomes a string that occurs nowhere else. */
function print(value: unknown, written: ReadonlyMap<number, string>): string {
  const plain = JSON.stringify(value);
  let mark = "integer ";
  while (plain.includes(mark)) mark = `x${mark}`;
  const marked = JSON.stringify(value, (_key, each: unknown) => {
    const was = typeof each === "number" ? written.get(each) : undefined;
    return was === undefined ? each : mark + was;
  });
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}
