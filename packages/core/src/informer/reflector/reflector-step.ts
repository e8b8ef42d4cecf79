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

type RowsByInput = { readonly [On in Input["type"]]?: readonly Row<ReflectorRow>[] };

// Which rows can apply is known from where it is and what happened; most often that is one or two.
const rowsAt: { readonly [At in Phase["at"]]: RowsByInput } = {
  idle: rowsOf("idle"),
  listing: rowsOf("listing"),
  streaming: rowsOf("streaming"),
  watching: rowsOf("watching"),
  waiting: rowsOf("waiting"),
};

function rowsOf(at: Phase["at"]): RowsByInput {
  const rows = (table as readonly Row<ReflectorRow>[]).filter((row) => row.at.includes(at));
  const inputs = [...new Set(rows.flatMap((row) => row.on))];
  return Object.fromEntries(inputs.map((on) => [on, rows.filter((row) => row.on.includes(on))]));
}

/** Throws where nothing can follow: a list that ends when none was begun is a fault of the caller. */
export function step(state: ReflectorState, input: Input, rules: ReflectorRules): Step {
  const { phase } = state;
  const seen = { state, phase, input, rules } as AnySeen;
  for (const row of rowsAt[phase.at][input.type] ?? []) {
    if (!row.when(seen)) continue;
    const { state: next, command, complaint } = row.move(seen);
    return { state: next, command, complaint, row: row.name };
  }
  throw new KubeloopError(`a reflector that is ${phase.at} cannot be told ${input.type}`, {
    reason: "Unreachable",
    retry: "never",
  });
}
