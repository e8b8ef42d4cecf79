// Objects as the YAML that kubectl prints: keys in natural order (x2 before x10), lists not indented below their key, no anchors.
import { printScalar } from "./yaml-scalar.ts";

const longestSimpleKey = 128;

export function printYaml(value: unknown): string {
  return `${node(value, 0, 0)}\n`;
}

/** Without a newline at its end. `column` is where the first line goes on. */
function node(value: unknown, indent: number, column: number): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : sequence(value, indent);
  if (typeof value === "object" && value !== null) {
    const pairs = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return pairs.length === 0 ? "{}" : mapping(pairs, indent);
  }
  return typeof value === "string" ? printScalar(value, { column, indent: indent + 2, isKey: false }) : String(value);
}

function mapping(pairs: readonly (readonly [string, unknown])[], indent: number): string {
  const lines = pairs.toSorted(([a], [b]) => compareNaturally(a, b)).map(([key, value]) => pair(key, value, indent));
  return lines.join(`\n${" ".repeat(indent)}`);
}

function pair(key: string, value: unknown, indent: number): string {
  const name = printScalar(key, { column: indent, indent: indent + 2, isKey: true });
  const isSimple = Buffer.byteLength(key) <= longestSimpleKey && !key.includes("\n");
  const head = isSimple ? `${name}:` : `? ${name}\n${" ".repeat(indent)}:`;
  if (!isCollection(value)) {
    const column = isSimple ? indent + [...name].length + 2 : indent + 2;
    return `${head} ${node(value, indent, column)}`;
  }
  const inner = Array.isArray(value) ? indent : indent + 2;
  return isSimple
    ? `${head}\n${" ".repeat(inner)}${node(value, inner, inner)}`
    : `${head} ${node(value, indent + 2, indent + 2)}`;
}

function sequence(items: readonly unknown[], indent: number): string {
  const lines = items.map((item) => {
    const inner = isCollection(item) ? indent + 2 : indent;
    return `- ${node(item, inner, indent + 2)}`;
  });
  return lines.join(`\n${" ".repeat(indent)}`);
}

/** Empty ones stay on their key's line. */
function isCollection(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** Letters come after all else; numbers within the text count as numbers. */
export function compareNaturally(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let at = 0; at < left.length && at < right.length; at++) {
    const [x = "", y = ""] = [left[at], right[at]];
    if (x === y) continue;
    const [isLetterX, isLetterY] = [isLetter(x), isLetter(y)];
    if (isLetterX && isLetterY) return before(x < y);
    if (isLetterX || isLetterY) return before(isLetterY);
    return compareNumbersAt(left, right, at) || before(x < y);
  }
  return left.length - right.length;
}

function compareNumbersAt(left: readonly string[], right: readonly string[], at: number): number {
  // Zeros behind other digits count, zeros in front do not.
  const isZero = left[at] === "0" || right[at] === "0";
  const isInNumber = isZero && /[1-9][0-9]*$/.test(left.slice(0, at).join(""));
  const [x, y] = [digitsAt(left, at), digitsAt(right, at)];
  const lead = isInNumber ? "1" : "";
  const [m, n] = [BigInt(lead + x || "0"), BigInt(lead + y || "0")];
  if (m !== n) return before(m < n);
  return x.length - y.length;
}

function digitsAt(letters: readonly string[], at: number): string {
  return /^\d*/.exec(letters.slice(at).join(""))?.[0] ?? "";
}

const isLetter = (letter: string) => /\p{L}/u.test(letter);
const before = (isFirst: boolean) => (isFirst ? -1 : 1);
