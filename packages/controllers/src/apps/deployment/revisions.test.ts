import { describe, expect, test } from "vitest";
import {
  compareAge,
  compareRevision,
  desiredReplicasAnnotation,
  lastRevision,
  maxReplicasAnnotation,
  maxRevision,
  newestAnnotations,
  revisionAnnotation,
  revisionHistoryAnnotation,
  rollbackAnnotation,
  rollbackRevisionOf,
  sizeAnnotationOf,
  sizeAnnotations,
} from "./revisions.ts";
import { set, web } from "./worlds.fixture.ts";

const numbered = (revision: string, more: Readonly<Record<string, string>> = {}) => ({
  [revisionAnnotation]: revision,
  ...more,
});

describe("the annotations of the newest set", () => {
  const deployment = web({
    annotations: {
      note: "n",
      [revisionAnnotation]: "99",
      [rollbackAnnotation]: "1",
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
    },
  });
  /** So many characters, with a first revision that fills them. */
  const historyOf = (length: number) => `${"5".repeat(length - 4)},6,7`;
  test.each([
    [
      "are the deployment's, but for its own",
      { ...numbered("5"), a: "b" },
      [4],
      { ...numbered("5"), a: "b", note: "n" },
    ],
    ["stay as they are if they are right", numbered("5", { note: "n" }), [4], undefined],
    [
      "get a revision above all others",
      numbered("2", { note: "n" }),
      [1, 4],
      numbered("5", { note: "n", [revisionHistoryAnnotation]: "2" }),
    ],
    ["keep a revision that is above all others", numbered("9", { note: "n" }), [1, 4], undefined],
    ["get the first revision, and no history", { note: "n" }, [], numbered("1", { note: "n" })],
    [
      "keep an empty revision as history",
      numbered("", { note: "n" }),
      [],
      numbered("1", { note: "n", [revisionHistoryAnnotation]: "" }),
    ],
    [
      "remember all revisions they had",
      numbered("7", { note: "n", [revisionHistoryAnnotation]: "1,4" }),
      [8],
      numbered("9", { note: "n", [revisionHistoryAnnotation]: "1,4,7" }),
    ],
    [
      "remember as many as 2,000 characters hold",
      numbered("700", { note: "n", [revisionHistoryAnnotation]: historyOf(1996) }),
      [800],
      numbered("801", { note: "n", [revisionHistoryAnnotation]: `${historyOf(1996)},700` }),
    ],
    [
      "forget the oldest of a long history",
      numbered("700", { note: "n", [revisionHistoryAnnotation]: historyOf(1997) }),
      [800],
      numbered("801", { note: "n", [revisionHistoryAnnotation]: "6,7,700" }),
    ],
    [
      "are left alone but for the copies if the revision is no number",
      numbered("x"),
      [4],
      numbered("x", { note: "n" }),
    ],
  ] as const)("%s", (_fact, before, others, expected) => {
    const annotations = newestAnnotations(
      deployment,
      set(1, { metadata: { annotations: before } }),
      others.map((number) => set(number)),
    );
    if (expected === undefined) expect(annotations).toBeUndefined();
    else expect(annotations).toEqual(expected);
  });
});

test("revisions count on in 64 bits, exactly", () => {
  const other = set(2, { annotations: numbered("3546343826724305832") });
  expect(newestAnnotations(web({}), set(1, { metadata: { annotations: {} } }), [other])).toMatchObject(
    numbered("3546343826724305833"),
  );
});

test("the highest revision, and the one before it", () => {
  const sets = [set(1), set(5), set(3), set(2, { annotations: numbered("x") })];
  expect(maxRevision(sets)).toBe(5n);
  expect(lastRevision(sets)).toBe(3n);
  expect([maxRevision([]), lastRevision([set(4)])]).toEqual([0n, 0n]);
});

test("a revision that is too large for 64 bits, or below zero, does not count", () => {
  const written = (revision: string) => set(1, { annotations: numbered(revision) });
  expect(maxRevision([set(3), written("9223372036854775808")])).toBe(3n);
  expect(lastRevision([set(3), written("-1")])).toBe(0n);
});

test("the size that a set was scaled for is kept, and read again", () => {
  const annotations = sizeAnnotations(web({ replicas: 10, maxSurge: 3 }));
  expect(annotations).toEqual({ [desiredReplicasAnnotation]: "10", [maxReplicasAnnotation]: "13" });
  const sized = set(1, { annotations });
  expect(sizeAnnotationOf(sized, desiredReplicasAnnotation)).toBe(10);
  expect(sizeAnnotationOf(sized, maxReplicasAnnotation)).toBe(13);
});

describe("a size is not there if it is", () => {
  test.each([
    ["absent", undefined],
    ["negative", "-1"],
    ["no number", "ten"],
    ["a fraction", "1.5"],
    ["too large", "2147483648"],
    ["empty", ""],
  ])("%s", (_fact, text) => {
    const annotations = text === undefined ? {} : { [desiredReplicasAnnotation]: text };
    expect(sizeAnnotationOf(set(1, { annotations }), desiredReplicasAnnotation)).toBeUndefined();
  });
  test("zero and the largest are sizes", () => {
    const sizeOf = (text: string) =>
      sizeAnnotationOf(set(1, { annotations: { [desiredReplicasAnnotation]: text } }), desiredReplicasAnnotation);
    expect([sizeOf("0"), sizeOf("2147483647")]).toEqual([0, 2_147_483_647]);
  });
});

test.each([
  ["a revision", "3", 3n],
  ["one with a sign", "+3", 3n],
  ["the last one", "0", 0n],
  ["one of nineteen digits", "9223372036854775807", 9_223_372_036_854_775_807n],
  ["none if there is no annotation", undefined, undefined],
  ["none if it is empty", "", undefined],
  ["none if it is no number", "first", undefined],
  ["none if it is too large", "9223372036854775808", undefined],
])("a rollback asks for %s", (_fact, text, expected) => {
  const annotations = text === undefined ? {} : { [rollbackAnnotation]: text };
  expect(rollbackRevisionOf(web({ annotations }))).toBe(expected);
});

test("sets are ordered by age, then by name", () => {
  const same = { metadata: { creationTimestamp: "2024-01-01T00:00:00Z" } };
  const [a, b] = [set(1, same), set(2, same)];
  expect([set(3), b, a].toSorted(compareAge).map(({ metadata }) => metadata.name)).toEqual(["web-1", "web-2", "web-3"]);
});

test("times count, however they are written; a set without one is the oldest", () => {
  const at = (creationTimestamp: string) => set(1, { metadata: { creationTimestamp } });
  const timeless = { ...set(1), metadata: { name: "web-1" } };
  const early = at("2024-01-01T00:30:00+01:00");
  const late = at("2024-01-01T00:00:00Z");
  expect([late, early].toSorted(compareAge)).toEqual([early, late]);
  expect(compareAge(timeless, early)).toBe(-1);
  expect(compareAge(early, timeless)).toBe(1);
});

test("sets are ordered by revision; those without a readable one by age", () => {
  const first = set(1, { annotations: numbered("9") });
  const second = set(2, { annotations: numbered("1") });
  expect([first, second].toSorted(compareRevision)).toEqual([second, first]);
  const odd = set(2, { annotations: numbered("x") });
  expect([odd, first].toSorted(compareRevision)).toEqual([first, odd]);
});
