import type { corev1 } from "@kubeloop/core/api";
import { podDisruptionBudgets } from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
import { newBudget, podOf, secondsAgo, snapshotOf } from "./budget.fixture.ts";
import { budgetsOf, needsLook } from "./wakes.ts";

const web = newBudget({}, { name: "web" });
const all = newBudget({ selector: {} }, { name: "all" });
const { selector: _none, ...withoutSelector } = newBudget({}).spec ?? {};
const none = { ...newBudget({}, { name: "none" }), spec: withoutSelector };
const elsewhere = { ...web, metadata: { ...web.metadata, namespace: "other" } };
const snapshot = snapshotOf([podDisruptionBudgets, [web, all, none, elsewhere]]);
const one = snapshotOf([podDisruptionBudgets, [web]]);
const unlabelled = podOf("a", { metadata: { labels: {} } });
const target: corev1.PodCondition = {
  type: "DisruptionTarget",
  status: "True",
  reason: "PreemptionByScheduler",
  lastTransitionTime: secondsAgo(1),
};

describe("a pod that changes wakes", () => {
  test("all budgets that select it, in its namespace", () => {
    expect(budgetsOf(podOf("a"), snapshot)).toEqual(["shop/all", "shop/web"]);
    expect(budgetsOf(unlabelled, snapshot)).toEqual(["shop/all"]);
    expect(budgetsOf(unlabelled, one)).toEqual([]);
  });
  test.each([
    ["itself, if several budgets select it", podOf("a"), snapshot, ["shop/a"]],
    ["not itself, if one does", podOf("a"), one, []],
    ["not itself, if none does", unlabelled, one, []],
    ["itself, if it is to be disrupted", podOf("a", { status: { conditions: [target] } }), one, ["shop/a"]],
    [
      "not itself, if it is being deleted",
      podOf("a", { status: { conditions: [target] }, metadata: { deletionTimestamp: secondsAgo(1) } }),
      one,
      [],
    ],
  ])("%s", (_name, pod, where, expected) => expect(needsLook(pod, where)).toEqual(expected));
});
