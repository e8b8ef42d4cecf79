// A command line read against a set of flags, as pflag reads it: `--name=value`, `--name value`, a bare boolean, `-v 2`, `-v=2` or `-v2`,
// `--` ends the flags, and underscores in names are dashes. Promises pflag's complaints, word for word; the first fault ends the reading.
import type { AnyFlag, Flag, FlagStruct, SettingsOf } from "./flag.ts";
import { FlagValueError, quote } from "./go-errors.ts";

export interface FlagGroup {
  /** As the heading in `--help`, without " flags:". */
  readonly name: string;
  readonly flags: readonly AnyFlag[];
}

/** The command line cannot be read. The message is what follows "Error: ". */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

export class ParsedFlags {
  readonly #values: ReadonlyMap<AnyFlag, unknown>;
  /** What stood between or after the flags. */
  readonly args: readonly string[];

  constructor(values: ReadonlyMap<AnyFlag, unknown>, args: readonly string[]) {
    this.#values = values;
    this.args = args;
  }

  get<T>(flag: Flag<T>): T {
    return this.isSet(flag) ? (this.#values.get(flag) as T) : flag.fallback;
  }

  /** Whether the command line gave it, be it its default. */
  isSet(flag: AnyFlag): boolean {
    return this.#values.has(flag);
  }

  settingsOf<S extends FlagStruct>(struct: S): SettingsOf<S> {
    const entries = Object.entries(struct).map(([key, flag]) => [key, this.get(flag)]);
    return Object.fromEntries(entries) as SettingsOf<S>;
  }
}

export function parseFlags(groups: readonly FlagGroup[], args: readonly string[]): ParsedFlags {
  const flags = groups.flatMap((group) => group.flags);
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  const byShort = new Map(flags.flatMap((flag) => (flag.short === undefined ? [] : [[flag.short, flag] as const])));
  const values = new Map<AnyFlag, unknown>();
  const rest: string[] = [];
  const set = (flag: AnyFlag, text: string) => values.set(flag, readValue(flag, text, values.get(flag)));

  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return new ParsedFlags(values, [...rest, ...args.slice(at + 1)]);
    if (arg.startsWith("--")) at += readLong(arg.slice(2), args[at + 1]);
    else if (arg.startsWith("-") && arg !== "-") at += readShort(arg.slice(1), args[at + 1]);
    else rest.push(arg);
  }
  return new ParsedFlags(values, rest);

  /** Tells how many arguments after this one were used up. */
  function readLong(text: string, next: string | undefined): number {
    if (text.startsWith("-") || text.startsWith("=")) throw new FlagError(`bad flag syntax: --${text}`);
    const [name = ""] = text.split("=", 1);
    const flag = byName.get(normalize(name));
    if (flag === undefined) throw new FlagError(`unknown flag: --${name}`);
    if (text.length > name.length) set(flag, text.slice(name.length + 1));
    else if (flag.type.bareText !== undefined) set(flag, flag.type.bareText);
    else if (next === undefined) throw new FlagError(`flag needs an argument: --${name}`);
    else {
      set(flag, next);
      return 1;
    }
    return 0;
  }

  function readShort(text: string, next: string | undefined): number {
    for (let at = 0; at < text.length; at++) {
      const letter = text[at] ?? "";
      const flag = byShort.get(letter);
      if (flag === undefined) throw new FlagError(`unknown shorthand flag: ${quoteRune(letter)} in -${text.slice(at)}`);
      const rest = text.slice(at + 1);
      if (rest.startsWith("=")) set(flag, rest.slice(1));
      else if (flag.type.bareText !== undefined) {
        set(flag, flag.type.bareText);
        continue;
      } else if (rest !== "") set(flag, rest);
      else if (next === undefined) throw new FlagError(`flag needs an argument: ${quoteRune(letter)} in -${text}`);
      else {
        set(flag, next);
        return 1;
      }
      return 0;
    }
    return 0;
  }
}

const normalize = (name: string) => name.replaceAll("_", "-");
const quoteRune = (letter: string) => `'${letter}'`;

function readValue(flag: AnyFlag, text: string, before: unknown): unknown {
  try {
    return flag.type.parse(text, before);
  } catch (error) {
    if (!(error instanceof FlagValueError)) throw error;
    const name = flag.short === undefined ? `--${flag.name}` : `-${flag.short}, --${flag.name}`;
    throw new FlagError(`invalid argument ${quote(text)} for ${quote(name)} flag: ${error.message}`);
  }
}
