// One row of the reflector's table: where it applies, and what follows. Rows are looked at in order; the first whose phase,
// happening and condition fit applies, and its name says so: to tests, and to simulations that count what they have hit.
import type { Command, Complaint, Input, Phase, ReflectorRules, ReflectorState } from "./reflector-state.ts";

export interface Outcome {
  readonly state: ReflectorState;
  readonly command: Command;
  readonly complaint?: Complaint | undefined;
}

export interface Seen<At extends Phase["at"], On extends Input["type"]> {
  readonly state: ReflectorState;
  readonly phase: Extract<Phase, { readonly at: At }>;
  readonly input: Extract<Input, { readonly type: On }>;
  readonly rules: ReflectorRules;
}

interface RowMeaning<At extends Phase["at"], On extends Input["type"]> {
  readonly at: At | readonly At[];
  readonly on: On | readonly On[];
  readonly when?: (seen: Seen<At, On>) => boolean;
  readonly move: (seen: Seen<At, On>) => Outcome;
}

export interface Row<Name extends string = string> {
  readonly name: Name;
  readonly at: readonly Phase["at"][];
  readonly on: readonly Input["type"][];
  readonly when: (seen: AnySeen) => boolean;
  readonly move: (seen: AnySeen) => Outcome;
}

export type AnySeen = Seen<Phase["at"], Input["type"]>;

export function row<Name extends string, At extends Phase["at"], On extends Input["type"]>(
  name: Name,
  meaning: RowMeaning<At, On>,
): Row<Name> {
  const { at, on, when = () => true, move } = meaning;
  // Asked only where `at` and `on` fit: then what is seen is of that kind.
  const narrowed = (seen: AnySeen) => seen as unknown as Seen<At, On>;
  return {
    name,
    at: typeof at === "string" ? [at] : at,
    on: typeof on === "string" ? [on] : on,
    when: (seen) => when(narrowed(seen)),
    move: (seen) => move(narrowed(seen)),
  };
}
