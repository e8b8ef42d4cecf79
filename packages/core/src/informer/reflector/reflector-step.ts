// The reflector as a pure machine: a state and one thing that happened give the next state, what to do, and the name of the
// row of the table that said so. All rules of recovery are rows; whoever wants to know what a reflector does when, reads
// begin-rows, list-rows, stream-rows and watch-rows.
import { KubeloopError } from "../../base/index.ts";
import { beginRows } from "./begin-rows.ts";
import { listRows } from "./list-rows.ts";
import type { AnySeen, Outcome, Row } from "./reflector-row.ts";
import type { Input, Phase, ReflectorRules, ReflectorState } from "./reflector-state.ts";
import { streamRows } from "./stream-rows.ts";
import { watchRows } from "./watch-rows.ts";

const table = [...beginRows, ...listRows, ...streamRows, ...watchRows] as const;

export type ReflectorRow = (typeof table)[number]["name"];

/** The names of all rows, in the order they are looked at. */
export const reflectorRows: readonly ReflectorRow[] = table.map(({ name }) => name);

export interface Step extends Outcome {
  readonly row: ReflectorRow;
}

// Which rows can apply is known from where it is and what happened; most often that is one or two.
const rowsAt = new Map<string, readonly Row<ReflectorRow>[]>();
for (const row of table as readonly Row<ReflectorRow>[]) {
  for (const at of row.at) {
    for (const on of row.on) rowsAt.set(`${at}/${on}`, [...(rowsAt.get(`${at}/${on}`) ?? []), row]);
  }
}

/** Throws where nothing can follow: a list that ends when none was begun is a fault of the caller. */
export function step(state: ReflectorState, input: Input, rules: ReflectorRules): Step {
  const { phase } = state;
  const seen = { state, phase, input, rules } as AnySeen;
  for (const row of rowsAt.get(rowKey(phase, input)) ?? []) {
    if (row.when(seen)) return { ...row.move(seen), row: row.name };
  }
  throw new KubeloopError(`a reflector that is ${phase.at} cannot be told ${input.type}`, {
    reason: "Unreachable",
    retry: "never",
  });
}

function rowKey(phase: Phase, input: Input): string {
  return `${phase.at}/${input.type}`;
}
