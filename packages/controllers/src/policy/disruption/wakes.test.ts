import type { corev1 } from "@kubeloop/core/api";
import type { Change } from "@kubeloop/core/contract";
import { deployments, podDisruptionBudgets, pods, replicaSets, statefulSets } from "@kubeloop/core/resources";
import { plainSnapshot } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { newBudget, ownerOf, podOf, secondsAgo, snapshotOf } from "./budget.fixture.ts";
import { budgetsOf, budgetsOfController, needsLook, wantsOtherNumber } from "./wakes.ts";

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

const added = (object: corev1.Pod): Change<corev1.Pod> => ({ type: "add", object, isInitial: false, resource: pods });
const updated = (before: corev1.Pod, object: corev1.Pod): Change<corev1.Pod> => ({
  type: "update",
  before,
  object,
  resource: pods,
});

describe("a pod that changes wakes", () => {
  test.each([
    ["all budgets that select it, in its namespace", podOf("a"), snapshot, ["shop/all", "shop/web"]],
    ["those that select pods without labels", unlabelled, snapshot, ["shop/all"]],
    ["none, if none selects it", unlabelled, one, []],
  ])("%s", (_name, pod, where, expected) => expect(budgetsOf(pod, where, added(pod))).toEqual(expected));
  test("those that selected it before, if its labels change", () => {
    const [before, after] = [podOf("a"), unlabelled];
    const change = updated(before, after);
    expect([budgetsOf(before, one, change), budgetsOf(after, one, change)]).toEqual([["shop/web"], []]);
  });
  test("each budget once, if they do not", () => {
    const [before, after] = [podOf("a"), podOf("a", { status: { phase: "Running" } })];
    const change = updated(before, after);
    expect([budgetsOf(before, one, change), budgetsOf(after, one, change)]).toEqual([[], ["shop/web"]]);
  });
  test("itself for what it is, not for what it was", () => {
    const [before, after] = [podOf("a", { status: { conditions: [target] } }), podOf("a")];
    const change = updated(before, after);
    expect([needsLook(before, one, change), needsLook(after, one, change)]).toEqual([[], []]);
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
  ])("%s", (_name, pod, where, expected) => expect(needsLook(pod, where, added(pod))).toEqual(expected));
});

describe("a controller wakes the budgets of its pods", () => {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [] } };
  const wanting = (replicas: number) => ({ ...ownerOf(statefulSets, "db", replicas), spec: { replicas, template } });
  const change = (before: number, after: number): Change<ReturnType<typeof wanting>> => ({
    type: "update",
    before: wanting(before),
    object: wanting(after),
    resource: statefulSets,
  });
  test("that its template's labels are selected by", () => {
    expect(budgetsOfController(wanting(1), snapshot)).toEqual(["shop/all", "shop/web"]);
    expect(budgetsOfController(ownerOf(statefulSets, "db", 1), snapshot)).toEqual(["shop/all"]);
  });
  test("but for a set of a Deployment", () => {
    const set = {
      ...ownerOf(replicaSets, "web-1", 1, ownerOf(deployments, "web", 1)),
      spec: { replicas: 1, template },
    };
    expect(budgetsOfController(set, snapshot)).toEqual([]);
  });
  test("when it wants another number", () => {
    expect(wantsOtherNumber(change(1, 2))).toBe(true);
    expect(wantsOtherNumber(change(2, 2))).toBe(false);
    expect(wantsOtherNumber({ type: "add", object: wanting(1), isInitial: false, resource: statefulSets })).toBe(false);
  });
});

test("the selector of a budget is read once, however many pods change", () => {
  let reads = 0;
  const selector = {
    get matchLabels() {
      reads++;
      return { app: "web" };
    },
  };
  const budget = { ...web, spec: { ...web.spec, selector } };
  const where = plainSnapshot([[podDisruptionBudgets, [budget]]]);
  for (const pod of [podOf("a"), podOf("b")]) expect(budgetsOf(pod, where, added(pod))).toEqual(["shop/web"]);
  expect(reads).toBe(1);
});
