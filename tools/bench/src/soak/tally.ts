// What was written in a scope, and what a watcher of that scope must therefore have seen: each change once, in order.
//
// Versions are added up instead of being kept: two sums and two counts say whether a watcher missed or repeated something, at no cost in memory.

export interface Tally {
  readonly created: number;
  readonly deleted: number;
  /** The versions that creates and updates came to, added up. */
  readonly versionSum: number;
}

export const emptyTally: Tally = { created: 0, deleted: 0, versionSum: 0 };

export type Change =
  | { readonly kind: "created" | "updated"; readonly version: number }
  /** The answer to a deletion does not say the version. */
  | { readonly kind: "deleted" };

/** Sums stay exact: versions beyond this say no more about which one it was. */
const modulus = 1_000_003;

export function afterChange(tally: Tally, change: Change): Tally {
  switch (change.kind) {
    case "created":
      return { ...tally, created: tally.created + 1, versionSum: tally.versionSum + (change.version % modulus) };
    case "updated":
      return { ...tally, versionSum: tally.versionSum + (change.version % modulus) };
    case "deleted":
      return { ...tally, deleted: tally.deleted + 1 };
  }
}

/** Returns what is wrong, as text; undefined if the watcher has seen exactly what was written. */
export function missedBy(seen: Tally, written: Tally): string | undefined {
  const fields = ["created", "deleted", "versionSum"] as const;
  const wrong = fields.filter((field) => seen[field] !== written[field]);
  return wrong.length === 0
    ? undefined
    : wrong.map((field) => `${field}: saw ${seen[field]} of ${written[field]}`).join(", ");
}
