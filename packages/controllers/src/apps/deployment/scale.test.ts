import { describe, expect, test } from "vitest";
import { isScaled, scaleSets } from "./scale.ts";
import { set, type WebFacts, web } from "./worlds.fixture.ts";

type Sizes = readonly (number | undefined)[];
interface Row {
  readonly fact: string;
  /** Before and after. */
  readonly replicas: readonly [number, number];
  readonly surge?: readonly [number, number];
  /** From the newest set to the oldest; undefined if there is no newest one. */
  readonly before: Sizes;
  readonly after: Sizes;
  readonly available?: number;
  readonly scaledFor?: readonly [number, number];
}

const rows: readonly Row[] = [
  { fact: "the only active set grows", replicas: [10, 12], before: [10], after: [12] },
  { fact: "the only active set shrinks", replicas: [10, 5], before: [10], after: [5] },
  { fact: "the only active set may be an old one", replicas: [10, 12], before: [0, 10], after: [0, 12] },
  { fact: "two grow in proportion", replicas: [5, 10], before: [2, 3], after: [4, 6] },
  { fact: "two shrink in proportion", replicas: [5, 3], before: [2, 3], after: [1, 2] },
  { fact: "a small one may shrink to nothing", replicas: [9, 4], before: [8, 1], after: [4, 0] },
  { fact: "three grow in proportion", replicas: [7, 10], before: [2, 3, 2], after: [3, 4, 3] },
  { fact: "three shrink in proportion", replicas: [13, 8], before: [2, 8, 3], after: [1, 5, 2] },
  { fact: "of equal ones the newest grows", replicas: [3, 4], before: [1, 1, 1], after: [2, 1, 1] },
  { fact: "of equal ones the oldest shrinks", replicas: [3, 2], before: [1, 1, 1], after: [1, 1, 0] },
  {
    fact: "without a newest set the younger old one grows",
    replicas: [4, 5],
    before: [undefined, 2, 2],
    after: [undefined, 3, 2],
  },
  { fact: "all shrink to nothing", replicas: [6, 0], before: [3, 2, 1], after: [0, 0, 0] },
  { fact: "from nothing the newest grows", replicas: [6, 6], before: [0, 0, 0], after: [6, 0, 0] },
  { fact: "surge pods are shared out, too", replicas: [10, 20], surge: [2, 2], before: [6, 6], after: [11, 11] },
  { fact: "another surge and another size", replicas: [10, 50], surge: [3, 6], before: [5, 8], after: [22, 34] },
  {
    fact: "without a newest set old ones keep their share",
    replicas: [10, 14],
    before: [undefined, 7, 3],
    after: [undefined, 10, 4],
  },
  {
    fact: "old ones go when the newest has all pods",
    replicas: [2, 2],
    before: [2, 1],
    after: [2, 0],
    scaledFor: [2, 2],
  },
  {
    fact: "old ones stay while the newest is not available",
    replicas: [2, 2],
    surge: [1, 1],
    before: [2, 1],
    after: [2, 1],
    available: 0,
  },
  {
    fact: "without a size in the annotations the share is one of the pods there are",
    replicas: [4, 8],
    before: [2, 2],
    after: [4, 4],
    scaledFor: [0, 0],
  },
  {
    fact: "no size becomes negative, even if the annotations say a size that is far too small",
    replicas: [20, 5],
    before: [10, 10],
    after: [25, 0],
    scaledFor: [2, 2],
  },
];

function scaled({ replicas, surge = [0, 0], before, available, scaledFor }: Row): Sizes {
  const facts: WebFacts = { replicas: replicas[1], maxSurge: surge[1], maxUnavailable: 1 };
  const deployment = web({ ...facts, status: { replicas: replicas[0] } });
  const from = scaledFor ?? ([replicas[0], replicas[0] + surge[0]] as const);
  const sets = before.map((size, i) =>
    size === undefined
      ? undefined
      : set(9 - i, { replicas: size, scaledFor: from, ...(i === 0 && available !== undefined ? { available } : {}) }),
  );
  const [newest, ...old] = sets;
  const resizes = scaleSets(
    deployment,
    newest,
    old.flatMap((each) => each ?? []),
  );
  return sets.map((each) => resizes.find((resize) => resize.set === each)?.replicas ?? each?.spec?.replicas);
}

describe("when a deployment is scaled", () => {
  test.each(rows.map((row) => [row.fact, row] as const))("%s", (_fact, row) => expect(scaled(row)).toEqual(row.after));

  test("sets whose share stays get the new size in their annotations", () => {
    const sets = [set(1, { replicas: 1 }), set(2, { replicas: 1 })];
    const resizes = scaleSets(web({ replicas: 2, maxSurge: 0 }), sets[1], [...sets.slice(0, 1)]);
    expect(resizes.map(({ replicas, isRefreshed }) => [replicas, isRefreshed])).toEqual([
      [1, true],
      [1, true],
    ]);
  });

  test("with Recreate, several active sets are left to the rollout", () => {
    const recreated = web({ replicas: 5, spec: { strategy: { type: "Recreate" } } });
    expect(scaleSets(recreated, set(2, { replicas: 1 }), [set(1, { replicas: 1 })])).toEqual([]);
  });

  test("without sets there is nothing to scale", () => expect(scaleSets(web(), undefined, [])).toEqual([]));

  test("without a newest set and without active ones the youngest old one grows", () => {
    const [resize] = scaleSets(web({ replicas: 4 }), undefined, [set(2), set(1)]);
    expect([resize?.set.metadata.name, resize?.replicas]).toEqual(["web-2", 4]);
  });

  test("a set that says no size, in a deployment that counts no pods, stays as it is", () => {
    const sets = [set(1, { replicas: 2 }), set(2, { replicas: 2 })];
    const resizes = scaleSets(web({ replicas: 8, maxSurge: 0 }), sets[1], sets.slice(0, 1));
    // What is left over goes to the largest, which is the younger one.
    expect(resizes.map(({ replicas }) => replicas)).toEqual([6, 2]);
  });
});

describe("a deployment counts as scaled", () => {
  test.each([
    ["if an active set was scaled for another size", set(1, { replicas: 1, scaledFor: [2, 3] }), true],
    ["not if it was scaled for this one", set(1, { replicas: 1, scaledFor: [3, 4] }), false],
    ["not if the set has no pods", set(1, { scaledFor: [2, 3] }), false],
    ["not if the set does not say", set(1, { replicas: 1 }), false],
  ])("%s", (_fact, only, expected) => expect(isScaled(web(), [only])).toBe(expected));
});
