// The table of the conformance specs (`data/specs.json`): what became of each when it last ran, and why it did not pass. A spec that passes
// stays one that passes: what a run finds is compared with the table, and put into the table only where it is no step back.
import { readFile, writeFile } from "node:fs/promises";
import { ConformanceError } from "./conformance-error.ts";

/** What a spec needs of a node, by the letter of its class. */
export const classes = {
  A: "nothing",
  S: "a node that reports the status of its pods",
  L: "a node whose containers run scripted commands and have files and logs",
  E: "exec into a container",
  P: "a proxy to pods and nodes",
  W: "pods that serve a webhook",
  V: "a network between pods",
  Z: "real containers",
} as const;

export type SpecClass = keyof typeof classes;

export const isSpecClass = (text: string): text is SpecClass => Object.hasOwn(classes, text);

export interface SpecRow {
  readonly class: SpecClass;
  /** Where it stands, below upstream's `test/e2e`. */
  readonly file: string;
  /** Its whole name, as e2e.test has it. */
  readonly spec: string;
  readonly result: "pass" | "fail" | "not run";
  /** Whether `--fast` runs it. */
  readonly fast?: boolean;
  /** Why it does not pass. What its class needs, when absent. */
  readonly reason?: string;
}

export type Outcome =
  | { readonly result: "pass" }
  /** With the first line of what it said. */
  | { readonly result: "fail"; readonly message: string }
  /** It declined: something that it asks of the cluster was not there. */
  | { readonly result: "skip"; readonly message: string };

/** By the name of the spec. */
export type Outcomes = ReadonlyMap<string, Outcome>;

export const tablePath = new URL("../data/specs.json", import.meta.url);

export async function readTable(): Promise<readonly SpecRow[]> {
  return JSON.parse(await readFile(tablePath, "utf8")) as SpecRow[];
}

export async function writeTable(rows: readonly SpecRow[]): Promise<void> {
  await writeFile(tablePath, `${JSON.stringify(rows, undefined, 2)}\n`);
}

/** What a reader is told of a spec that does not pass. */
export function reasonOf({ class: letter, reason, result }: SpecRow): string | undefined {
  if (result === "pass") return undefined;
  return reason ?? (letter === "A" ? undefined : `needs ${classes[letter]}`);
}

export interface Comparison {
  /** Specs that passed once and do not now. */
  readonly lost: readonly string[];
  /** Specs that pass for the first time. */
  readonly won: readonly string[];
  /** Specs that were asked for and of which the run says nothing. */
  readonly missing: readonly string[];
}

export function compare(asked: readonly SpecRow[], outcomes: Outcomes): Comparison {
  const resultOf = ({ spec }: SpecRow) => outcomes.get(spec)?.result;
  const namesOf = (rows: readonly SpecRow[]) => rows.map(({ spec }) => spec);
  return {
    lost: namesOf(asked.filter((row) => row.result === "pass" && resultOf(row) !== "pass")),
    won: namesOf(asked.filter((row) => row.result !== "pass" && resultOf(row) === "pass")),
    missing: namesOf(asked.filter((row) => resultOf(row) === undefined)),
  };
}

/** The table after a run. A reason that somebody wrote is kept until the spec passes; a spec that passed stays as it is. */
export function withOutcomes(rows: readonly SpecRow[], outcomes: Outcomes): readonly SpecRow[] {
  return rows.map((row) => {
    const outcome = outcomes.get(row.spec);
    if (outcome === undefined || row.result === "pass") return row;
    if (outcome.result === "pass") {
      const { reason: _, ...rest } = row;
      return { ...rest, result: "pass" };
    }
    const result = outcome.result === "fail" ? "fail" : "not run";
    return { ...row, result, reason: row.reason ?? outcome.message };
  });
}

export interface Counts {
  readonly pass: number;
  readonly fail: number;
  readonly notRun: number;
}

export function countRows(rows: readonly SpecRow[]): Counts {
  const count = (result: SpecRow["result"]) => rows.filter((row) => row.result === result).length;
  return { pass: count("pass"), fail: count("fail"), notRun: count("not run") };
}

/** Whether it is known what the spec lacks, so that running it would only take time. */
export const isLeftOut = ({ result, reason }: SpecRow): boolean => result === "not run" && reason !== undefined;

/** The rows that the words name: letters of classes, or patterns that occur in the name. All words together, each adds. */
export function selectRows(rows: readonly SpecRow[], words: readonly string[]): readonly SpecRow[] {
  const tests = words.map((word) => {
    const letters = [...word];
    if (letters.every(isSpecClass)) return (row: SpecRow) => letters.includes(row.class);
    const pattern = patternOf(word);
    return (row: SpecRow) => pattern.test(row.spec);
  });
  return rows.filter((row) => tests.some((isNamed) => isNamed(row)));
}

function patternOf(word: string): RegExp {
  try {
    return new RegExp(word, "i");
  } catch (cause) {
    throw new ConformanceError(
      `${JSON.stringify(word)} is neither classes nor a pattern: ${(cause as Error).message}`,
      {
        reason: "Usage",
        cause,
      },
    );
  }
}
