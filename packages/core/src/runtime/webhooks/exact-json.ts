// Parses and prints JSON without changing integers that a JavaScript number cannot represent. A review contains whole objects, and values that
// a converter only copies must be returned unchanged: 9007199254740993 must not become 9007199254740992.
//
// Values are parsed as usual, so such integers are rounded. For each rounded number its original text is remembered, and printing that number
// writes the original text. Two different integers that round to the same number cannot be distinguished: then parsing fails.
import { KubeloopError } from "../../base/index.ts";

export interface ExactJson {
  readonly value: unknown;
  /** Prints like JSON.stringify, but with the integers of the parsed text. */
  print(value: unknown): string;
}

// Strings are matched first, so that digits inside them do not count as numbers.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Every integer with fewer digits can be represented. */
const longInteger = /^-?\d{16,}$/;
const suspicious = /\d{16}/;

/** Throws a SyntaxError if the text is not JSON. */
export function parseExactJson(text: string): ExactJson {
  const value: unknown = JSON.parse(text);
  const written = suspicious.test(text) ? findUnsafeIntegers(text) : new Map<number, string>();
  return { value, print: (each) => (written.size === 0 ? JSON.stringify(each) : print(each, written)) };
}

/** Returns a map from each rounded number to its original text. */
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

/** JSON.stringify cannot write such an integer, so each is first replaced by a string with a mark that occurs nowhere else. */
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
