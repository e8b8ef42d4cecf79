// One row of the reflector's table: when it applies, and what follows. The first row whose phase,
// input and condition match applies. Its name is reported, for tests and simulations that measure coverage.
import type { Command, Input, Phase, Problem, ReflectorRules, ReflectorState } from "./reflector-state.ts";

export interface Outcome {
  readonly state: ReflectorState;
  readonly command: Command;
  readonly problem?: Problem | undefined;
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
  readonly transition: (seen: Seen<At, On>) => Outcome;
}

export interface Row<Name extends string = string> {
  readonly name: Name;
  readonly at: readonly Phase["at"][];
  readonly on: readonly Input["type"][];
  readonly when: (seen: AnySeen) => boolean;
  readonly transition: (seen: AnySeen) => Outcome;
}

export type AnySeen = Seen<Phase["at"], Input["type"]>;

export function row<Name extends string, At extends Phase["at"], On extends Input["type"]>(
  name: Name,
  meaning: RowMeaning<At, On>,
): Row<Name> {
  const { at, on, when = () => true, transition } = meaning;
  // Called only if `at` and `on` match, so the cast is correct.
  const narrowed = (seen: AnySeen) => seen as unknown as Seen<At, On>;
  return {
    name,
    at: typeof at === "string" ? [at] : at,
    on: typeof on === "string" ? [on] : on,
    when: (seen) => when(narrowed(seen)),
    transition: (seen) => transition(narrowed(seen)),
  };
}
