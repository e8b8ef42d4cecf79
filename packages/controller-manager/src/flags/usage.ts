// The help text: groups of flags under headings, names in one column, words in the next. Deprecated flags are left out; flags without effect
// yet are marked. On a terminal the words are wrapped to its width.
import type { AnyFlag } from "./flag.ts";
import type { FlagGroup } from "./flag-set.ts";

/** Stands behind the words of a flag that has no effect yet. */
export const inertMark = "(has no effect yet)";

export interface UsageOptions {
  /** Columns of the terminal; 0 does not wrap. */
  readonly columns?: number;
}

export function printUsage(groups: readonly FlagGroup[], { columns = 0 }: UsageOptions = {}): string {
  return groups
    .map(({ name, flags }) => ({ name, flags: flags.filter(({ deprecated }) => deprecated === undefined) }))
    .filter(({ flags }) => flags.length > 0)
    .map(({ name, flags }) => `${capitalize(name)} flags:\n\n${printGroup(flags, columns)}\n`)
    .join("\n");
}

function printGroup(flags: readonly AnyFlag[], columns: number): string {
  const rows = flags.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((flag) => [printName(flag), printWords(flag)]);
  const width = Math.max(...rows.map(([name = ""]) => name.length)) + 3;
  return rows.map(([name = "", words = ""]) => name.padEnd(width) + wrap(words, width, columns)).join("\n");
}

function printName({ name, short, type }: AnyFlag): string {
  const dashed = short === undefined ? `      --${name}` : `  -${short}, --${name}`;
  if (type.name === "bool") return dashed;
  return `${dashed} ${type.name}${type.bareText === undefined ? "" : `[=${type.bareText}]`}`;
}

function printWords(flag: AnyFlag): string {
  const { usage, type, fallback, isInert } = flag;
  const text = type.print(fallback);
  const told = type.isQuoted === true ? `"${text}"` : text;
  return [usage, ...(isNothing(fallback) ? [] : [`(default ${told})`]), ...(isInert === true ? [inertMark] : [])].join(
    " ",
  );
}

/** Defaults that go without saying. */
function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false || value === "false";
}

function wrap(words: string, indent: number, columns: number): string {
  const room = columns - indent;
  const lines = words.split("\n").flatMap((line) => (columns === 0 || room < 24 ? [line] : breakLine(line, room)));
  return lines.join(`\n${" ".repeat(indent)}`);
}

function breakLine(line: string, room: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > room) {
      lines.push(current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, current];
}

const capitalize = (name: string) => name.slice(0, 1).toUpperCase() + name.slice(1);
