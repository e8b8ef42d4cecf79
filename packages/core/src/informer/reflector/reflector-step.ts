// The reflector as a pure state machine: a state and one input give the next state, a command, and the name of the
// row of the table that applied. All recovery rules are rows: to see what a reflector does in which case, read
// begin-transitions, list-transitions, watch-list-transitions and watch-transitions.
import { KubeloopError } from "../../base/index.ts";
import { beginRows } from "./begin-transitions.ts";
import { listRows } from "./list-transitions.ts";
import type { Input, Phase, ReflectorRules, ReflectorState } from "./reflector-state.ts";
import type { AnySeen, Outcome, Row } from "./transition-row.ts";
import { streamRows } from "./watch-list-transitions.ts";
import { watchRows } from "./watch-transitions.ts";

const table = [...beginRows, ...listRows, ...streamRows, ...watchRows] as const;

export type ReflectorRow = (typeof table)[number]["name"];

/** The names of all rows, in the order in which they are tried. */
export const reflectorRows: readonly ReflectorRow[] = table.map(({ name }) => name);

export interface Step extends Outcome {
  readonly row: ReflectorRow;
}

type RowsByInput = { readonly [On in Input["type"]]?: readonly Row<ReflectorRow>[] };

// The rows by phase and input: mostly one or two can apply.
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

/** Throws if no row applies: for example, a finished list when none was started is a bug in the caller. */
export function step(state: ReflectorState, input: Input, rules: ReflectorRules): Step {
  const { phase } = state;
  const seen = { state, phase, input, rules } as AnySeen;
  for (const row of rowsAt[phase.at][input.type] ?? []) {
    if (!row.when(seen)) continue;
    const { state: next, command, problem } = row.transition(seen);
    return { state: next, command, problem, row: row.name };
  }
  throw new KubeloopError(`reflector in phase ${phase.at} cannot handle the input ${input.type}`, {
    reason: "Unreachable",
    retry: "never",
  });
}
