// Flags of a component as upstream's `--help` shows them: the rows of `upstream-flags.facts.json`, and ours in the same form.
import type { FlagGroup } from "./index.ts";

export interface UpstreamFlag {
  readonly group: string;
  readonly name: string;
  readonly type: string;
  /** Undefined for a zero value, which is not shown. */
  readonly default?: string;
  readonly short?: string;
}

/** In the order of the groups. */
export function asUpstreamFlags(groups: readonly FlagGroup[]): readonly UpstreamFlag[] {
  return groups.flatMap(({ name: group, flags }) =>
    flags.map(({ name, type, fallback, short }) => {
      const text = type.print(fallback);
      const isZero = ["", "0", "0s", "false"].includes(text) || (type.name === "strings" && text === "[]");
      return {
        group: group.slice(0, 1).toUpperCase() + group.slice(1),
        name,
        type: type.bareText === undefined || type.name === "bool" ? type.name : `${type.name}[=${type.bareText}]`,
        ...(isZero ? {} : { default: text }),
        ...(short === undefined ? {} : { short }),
      };
    }),
  );
}

export const byName = (flags: readonly UpstreamFlag[]): readonly UpstreamFlag[] =>
  flags.toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Each once, in order. */
export const groupsOf = (flags: readonly UpstreamFlag[]): readonly string[] => [
  ...new Set(flags.map(({ group }) => group)),
];
