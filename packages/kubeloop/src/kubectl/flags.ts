// The flags of kubectl's commands, read as kubectl reads them: anywhere between the arguments, `--name value` and `--name=value`, short
// ones joined (`-Aw`, `-nshop`), switches with an optional `=false`, and nothing but arguments behind `--`.
import { UsageError } from "../usage-error.ts";

export interface FlagDefinition {
  /** A switch needs no value; a list may be given several times. */
  readonly type: "switch" | "text" | "list";
  readonly short?: string;
  /** The value of a text flag that is given without one: `--dry-run`. */
  readonly bare?: string;
}

export type FlagDefinitions = { readonly [name: string]: FlagDefinition };

type FlagValue<D extends FlagDefinition> = D["type"] extends "switch"
  ? boolean | undefined
  : D["type"] extends "list"
    ? readonly string[]
    : string | undefined;

export type FlagValues<D extends FlagDefinitions> = { readonly [Name in keyof D]: FlagValue<D[Name]> };

export interface ParsedFlags<D extends FlagDefinitions> {
  readonly flags: FlagValues<D>;
  readonly args: readonly string[];
}

/** Throws a UsageError that begins with the command's name. */
export function parseFlags<const D extends FlagDefinitions>(
  command: string,
  given: readonly string[],
  definitions: D,
): ParsedFlags<D> {
  const reader = new FlagReader(command, given, definitions);
  const args = reader.read();
  const values = Object.entries(definitions).map(([name, { type }]) => {
    const found = reader.values.get(name) ?? [];
    if (type === "list") return [name, found] as const;
    const last = found.at(-1);
    return [name, type === "text" || last === undefined ? last : last === "true"] as const;
  });
  return { flags: Object.fromEntries(values) as FlagValues<D>, args };
}

class FlagReader {
  readonly values = new Map<string, string[]>();
  readonly #command: string;
  readonly #definitions: FlagDefinitions;
  readonly #given: readonly string[];
  #at = 0;

  constructor(command: string, given: readonly string[], definitions: FlagDefinitions) {
    this.#command = command;
    this.#given = given;
    this.#definitions = definitions;
  }

  /** The arguments between the flags. */
  read(): readonly string[] {
    const args: string[] = [];
    for (let word = this.#next(); word !== undefined; word = this.#next()) {
      if (word === "--") return [...args, ...this.#given.slice(this.#at)];
      if (word.startsWith("--")) this.#long(word.slice(2));
      else if (word.startsWith("-") && word !== "-") this.#short(word.slice(1), word);
      else args.push(word);
    }
    return args;
  }

  #next(): string | undefined {
    return this.#given[this.#at++];
  }

  #long(text: string): void {
    const equals = text.indexOf("=");
    const name = equals < 0 ? text : text.slice(0, equals);
    const definition = Object.hasOwn(this.#definitions, name) ? this.#definitions[name] : undefined;
    if (definition === undefined) throw this.#fault(`unknown flag: --${name}`);
    this.#take(name, definition, equals < 0 ? undefined : text.slice(equals + 1));
  }

  #short(letters: string, word: string): void {
    for (let rest = letters; rest !== ""; ) {
      const letter = rest.charAt(0);
      const found = Object.entries(this.#definitions).find(([, { short }]) => short === letter);
      if (found === undefined) throw this.#fault(`unknown shorthand flag: '${letter}' in ${word}`);
      const [name, definition] = found;
      rest = rest.slice(1);
      const isLast = definition.type !== "switch" || rest.startsWith("=");
      const value = rest.replace(/^=/, "");
      this.#take(name, definition, isLast && rest !== "" ? value : undefined);
      if (isLast) return;
    }
  }

  #take(name: string, definition: FlagDefinition, given: string | undefined): void {
    const bare = definition.type === "switch" ? "true" : definition.bare;
    const value = given ?? bare ?? this.#next();
    if (value === undefined) throw this.#fault(`flag needs an argument: --${name}`);
    const kept = definition.type === "switch" ? this.#truth(name, value) : value;
    this.values.set(name, [...(this.values.get(name) ?? []), kept]);
  }

  #truth(name: string, value: string): string {
    if (["1", "t", "T", "true", "TRUE", "True"].includes(value)) return "true";
    if (["0", "f", "F", "false", "FALSE", "False"].includes(value)) return "false";
    throw this.#fault(`--${name} must be true or false, not "${value}"`);
  }

  #fault(sentence: string): UsageError {
    return new UsageError(`${this.#command}: ${sentence}; \`kubeloop ${this.#command} --help\` lists the flags`);
  }
}
