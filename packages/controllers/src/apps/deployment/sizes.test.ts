import { describe, expect, test } from "vitest";
import { countedBy, isComplete, maxSurgeOf, maxUnavailableOf, replicasOf, terminatingOf, wantedBy } from "./sizes.ts";
import { set, web } from "./worlds.fixture.ts";

describe("how many more and how many fewer pods there may be", () => {
  test.each([
    ["numbers are taken as they are", 10, 2, 3, [2, 3]],
    ["a share of surge is rounded up, one of unavailable down", 2, "1%", "25%", [1, 0]],
    ["a quarter of five", 5, "25%", "25%", [2, 1]],
    ["both zero after rounding: one may be unavailable", 1, "0%", "10%", [0, 1]],
    ["both zero as numbers: one may be unavailable", 2, 0, 0, [0, 1]],
    ["none may be unavailable with a surge", 1, "1%", "0%", [1, 0]],
    ["no more unavailable than there are", 5, 0, 10, [0, 5]],
    ["a share of everything", 5, "100%", "100%", [5, 5]],
    ["nobody is unavailable of none", 0, 1, 2, [1, 0]],
    ["what cannot be read is none, so one may be unavailable", 3, "many", "few", [0, 1]],
  ])("%s", (_fact, replicas, maxSurge, maxUnavailable, [surge, unavailable]) => {
    const deployment = web({ replicas, maxSurge, maxUnavailable });
    expect([maxSurgeOf(deployment), maxUnavailableOf(deployment)]).toEqual([surge, unavailable]);
  });

  test("none with another strategy", () => {
    const recreated = web({ spec: { strategy: { type: "Recreate" } } });
    expect([maxSurgeOf(recreated), maxUnavailableOf(recreated)]).toEqual([0, 0]);
  });

  test("without replicas one is wanted", () => {
    const { replicas: _none, ...spec } = web().spec ?? {};
    expect(replicasOf({ ...web(), spec: spec as never })).toBe(1);
  });
});

test("sets are summed up, absent ones being none", () => {
  const sets = [set(1, { replicas: 3, available: 2, pods: 4 }), undefined, set(2, { replicas: 1, available: 0 })];
  expect(wantedBy(sets)).toBe(4);
  expect(countedBy(sets, "replicas")).toBe(5);
  expect(countedBy(sets, "availableReplicas")).toBe(2);
});

describe("terminating pods are", () => {
  const untouched = set(3, { status: { terminatingReplicas: undefined as never, observedGeneration: 0 } });
  const silent = set(4, { status: { terminatingReplicas: undefined as never, observedGeneration: 1 } });
  test.each([
    ["those of all sets", [set(1, { status: { terminatingReplicas: 2 } }), set(2), undefined], 2],
    ["none of a set that nobody has worked on yet", [set(1, { status: { terminatingReplicas: 1 } }), untouched], 1],
    ["not known if a set does not say", [set(1, { status: { terminatingReplicas: 1 } }), silent], undefined],
    ["none without sets", [], 0],
  ])("%s", (_fact, sets, expected) => expect(terminatingOf(sets)).toBe(expected));
});

describe("a rollout is complete", () => {
  const all = { replicas: 3, updatedReplicas: 3, availableReplicas: 3, observedGeneration: 7 };
  test.each([
    ["when all pods are new and available", all, true],
    ["not while an old pod is there", { ...all, replicas: 4 }, false],
    ["not while a new pod is missing", { ...all, updatedReplicas: 2 }, false],
    ["not while one is not available", { ...all, availableReplicas: 2 }, false],
    ["not when the status is about an older generation", { ...all, observedGeneration: 6 }, false],
    ["not without a status", undefined, false],
  ])("%s", (_fact, status, expected) => expect(isComplete(web(), status)).toBe(expected));

  test("with no pods where none are wanted", () => {
    expect(isComplete(web({ replicas: 0 }), { observedGeneration: 7 })).toBe(true);
  });
});
