import { expect, test } from "vitest";
import {
  putDeploymentCondition,
  setDeploymentCondition,
  setJobCondition,
  setPodCondition,
  setReplicaCondition,
} from "./conditions.ts";

const nowMs = Date.parse("2024-05-01T12:00:00Z");
const now = "2024-05-01T12:00:00Z";
const before = "2024-05-01T11:00:00Z";

const other = { type: "Other", status: "True" };
const facts = { type: "Good", status: "True", reason: "R", message: "m" } as const;
const existing = { ...facts, lastTransitionTime: before, lastUpdateTime: before, lastProbeTime: before };
const set = {
  replica: setReplicaCondition,
  deployment: setDeploymentCondition,
  job: setJobCondition,
  pod: setPodCondition,
};
const names = ["replica", "deployment", "job", "pod"] as const;
type Row = readonly [what: string, ...expected: readonly (readonly string[])[]];

/** Place in the list, lastTransitionTime, lastUpdateTime, lastProbeTime; what is not named is as it was or not there. */
test.each<Row>([
  ["a new one", ["1", "now", "", ""], ["1", "now", "now", ""], ["1", "now", "", "now"], ["1", "now", "", ""]],
  [
    "another status",
    ["1", "now", "", ""],
    ["1", "now", "now", ""],
    ["0", "now", "", "now"],
    ["0", "now", "before", "before"],
  ],
  [
    "another reason",
    ["1", "now", "", ""],
    ["1", "before", "now", ""],
    ["0", "now", "", "now"],
    ["0", "before", "before", "before"],
  ],
  ["another message", ["same"], ["same"], ["0", "now", "", "now"], ["0", "before", "before", "before"]],
  ["nothing else", ["same"], ["same"], ["same"], ["same"]],
])("%s", (what, ...expected) => {
  const changed = {
    ...facts,
    ...(what === "another status" ? { status: "Unknown" as const } : {}),
    ...(what === "another reason" ? { reason: "S" } : {}),
    ...(what === "another message" ? { message: "n" } : {}),
  };
  const list = what === "a new one" ? [other] : [existing, other];
  const found = names.map((name) => {
    const after = set[name](list, changed, nowMs);
    if (after === list) return ["same"];
    const at = after.findIndex(({ type }) => type === "Good");
    const its: Readonly<Record<string, unknown>> = { ...after[at] };
    expect(its).toMatchObject(changed);
    expect(after).toHaveLength(2);
    const time = (field: string) => (its[field] === now ? "now" : its[field] === before ? "before" : "");
    return [String(at), time("lastTransitionTime"), time("lastUpdateTime"), time("lastProbeTime")];
  });
  expect(found).toEqual(expected);
});

test("a job does not say that something is not so which it never said", () => {
  const list = [other];
  expect(setJobCondition(list, { ...facts, status: "False" }, nowMs)).toBe(list);
  expect(setJobCondition([existing], { ...facts, status: "False" }, nowMs)).toMatchObject([{ status: "False" }]);
});

test("the first condition of all makes a list", () => {
  for (const name of names) expect(set[name](undefined, facts, nowMs)).toHaveLength(1);
});

test("a condition that has its times already keeps them, but for the transition of a status that stays", () => {
  const given = { type: "Failed", status: "True", reason: "R", lastUpdateTime: before, lastTransitionTime: before };
  expect(putDeploymentCondition([], given)).toEqual([given]);
  const there = { ...given, reason: "other", lastUpdateTime: now, lastTransitionTime: now };
  expect(putDeploymentCondition([there], given)).toEqual([{ ...given, lastTransitionTime: now }]);
  const list = [given];
  expect(putDeploymentCondition(list, { ...given, message: "new" })).toBe(list);
});
