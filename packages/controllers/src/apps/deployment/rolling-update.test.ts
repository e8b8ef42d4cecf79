import { describe, expect, test } from "vitest";
import { newSetSize, rollSets } from "./rolling-update.ts";
import { type SetFacts, set, web } from "./worlds.fixture.ts";

describe("the newest set", () => {
  test.each([
    ["does not grow without surge while the old pods are there", 10, 0, 10, 0, 0],
    ["grows by the surge", 10, 2, 10, 0, 2],
    ["grows into the room that old pods leave", 10, 2, 5, 0, 7],
    ["does not grow beyond the surge", 10, 2, 10, 2, 2],
    ["does not grow beyond the replicas", 1, 5, 0, 0, 1],
    ["does not grow while there are too many pods", 1, 0, 5, 0, 0],
  ])("%s", (_fact, replicas, maxSurge, old, size, expected) => {
    expect(newSetSize(web({ replicas, maxSurge }), size, [set(1, { replicas: old })])).toBe(expected);
  });
});

interface Row {
  readonly fact: string;
  readonly replicas: number;
  readonly surge?: number | string;
  readonly unavailable?: number | string;
  readonly newest: SetFacts;
  /** Oldest first. */
  readonly old: readonly SetFacts[];
  /** "web-1 5→3", in order. */
  readonly expected: readonly string[];
}

const rows: readonly Row[] = [
  {
    fact: "the newest set grows first",
    replicas: 10,
    surge: 2,
    newest: { replicas: 0 },
    old: [{ replicas: 10 }],
    expected: ["web-9 0→2"],
  },
  {
    fact: "a newest set that is too large shrinks",
    replicas: 10,
    surge: 2,
    newest: { replicas: 11 },
    old: [{ replicas: 2 }],
    expected: ["web-9 11→10"],
  },
  {
    fact: "old pods go as far as they may be unavailable",
    replicas: 10,
    unavailable: 2,
    newest: { replicas: 0 },
    old: [{ replicas: 10 }],
    expected: ["web-1 10→8"],
  },
  {
    fact: "one goes when neither more nor fewer are allowed",
    replicas: 10,
    unavailable: 0,
    newest: { replicas: 0 },
    old: [{ replicas: 10 }],
    expected: ["web-1 10→9"],
  },
  {
    fact: "pods that are not available go first",
    replicas: 10,
    unavailable: 2,
    newest: { replicas: 0 },
    old: [{ replicas: 10, available: 8 }],
    expected: ["web-1 10→8"],
  },
  {
    fact: "and then available ones, in a second step",
    replicas: 10,
    unavailable: 2,
    newest: { replicas: 0 },
    old: [{ replicas: 10, available: 9 }],
    expected: ["web-1 10→9", "web-1 9→8"],
  },
  {
    fact: "none go while the new ones are not available",
    replicas: 10,
    unavailable: 2,
    newest: { replicas: 2, available: 0 },
    old: [{ replicas: 8 }],
    expected: [],
  },
  {
    fact: "old ones go as new ones become available",
    replicas: 10,
    unavailable: 2,
    newest: { replicas: 2, available: 1 },
    old: [{ replicas: 8 }],
    expected: ["web-1 8→7"],
  },
  {
    fact: "the oldest set shrinks first",
    replicas: 10,
    unavailable: 4,
    newest: { replicas: 0 },
    old: [{ replicas: 3 }, { replicas: 7 }],
    expected: ["web-1 3→0", "web-2 7→6"],
  },
  {
    fact: "unavailable pods of all old sets go before available ones",
    replicas: 3,
    unavailable: 1,
    surge: 1,
    newest: { replicas: 0, available: 0 },
    old: [{ replicas: 2 }, { replicas: 2, available: 0 }],
    expected: ["web-2 2→0"],
  },
  {
    fact: "a set with more available pods than it wants stops everything: they are on their way",
    replicas: 10,
    unavailable: 5,
    newest: { replicas: 0 },
    old: [{ replicas: 2, available: 4 }, { replicas: 8 }],
    expected: [],
  },
  { fact: "nothing is left to do", replicas: 3, newest: { replicas: 3 }, old: [{ replicas: 0 }], expected: [] },
  {
    fact: "the last old pods go when all new ones are available",
    replicas: 3,
    newest: { replicas: 3 },
    old: [{ replicas: 1 }],
    expected: ["web-1 1→0"],
  },
  {
    fact: "a share of 1 % unavailable is still one",
    replicas: 2,
    surge: "0%",
    unavailable: "1%",
    newest: { replicas: 0 },
    old: [{ replicas: 2 }],
    expected: ["web-1 2→1"],
  },
];

describe("a rolling update", () => {
  test.each(rows.map((row) => [row.fact, row] as const))("%s", (_fact, row) => {
    const { replicas, surge = 0, unavailable = 0, newest, old, expected } = row;
    const deployment = web({ replicas, maxSurge: surge, maxUnavailable: unavailable });
    const resizes = rollSets(
      deployment,
      set(9, newest),
      old.map((facts, i) => set(i + 1, facts)),
    );
    expect(resizes.map((each) => `${each.set.metadata.name} ${each.set.spec?.replicas}→${each.replicas}`)).toEqual(
      expected,
    );
  });
});
