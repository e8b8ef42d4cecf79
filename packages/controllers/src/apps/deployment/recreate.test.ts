import { newPod } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { areOldPodsRunning, stopOldSets } from "./recreate.ts";
import { set } from "./worlds.fixture.ts";

test("all active old sets go to zero", () => {
  const sets = [set(1, { replicas: 2 }), set(2), set(3, { replicas: 1 })];
  expect(stopOldSets(sets).map((each) => [each.set.metadata.name, each.replicas])).toEqual([
    ["web-1", 0],
    ["web-3", 0],
  ]);
});

test.each([
  ["no, without pods", {}, [], false],
  ["yes, if a set counts some", { pods: 1 }, [], true],
  ["yes, while a pod runs", {}, ["Running"], true],
  ["yes, while one is pending", {}, ["Pending"], true],
  ["yes, while nobody knows", {}, ["Unknown"], true],
  ["yes, if one of several runs", {}, ["Failed", "Running"], true],
  ["no, when all have ended", {}, ["Failed", "Succeeded"], false],
])("whether old pods run: %s", (_fact, facts, phases, expected) => {
  const pods = phases.map((phase, i) => newPod(`shop/p${i}`, { status: { phase } }));
  expect(areOldPodsRunning([set(1, facts)], () => pods)).toBe(expected);
});
