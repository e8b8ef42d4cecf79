import type { corev1 } from "@kubeloop/core/api";
import { actionsOf } from "@kubeloop/core/contract";
import { podDisruptionBudgets, pods } from "@kubeloop/core/resources";
import { outcomeOf } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { newBudget, nowMs, podOf, secondsAgo, snapshotOf } from "./budget.fixture.ts";
import { decidePod, observePod } from "./stale-conditions.ts";

const ready = { type: "Ready", status: "True" };
const target = (seconds: number, more: Partial<corev1.PodCondition> = {}): corev1.PodCondition => ({
  type: "DisruptionTarget",
  status: "True",
  reason: "PreemptionByScheduler",
  message: "makes room",
  lastTransitionTime: secondsAgo(seconds),
  ...more,
});
const podWith = (condition: corev1.PodCondition, more: Parameters<typeof podOf>[1] = {}) =>
  podOf("a", {
    ...more,
    status: { phase: "Running", conditions: [ready, condition], ...more.status },
    metadata: { generation: 4, ...more.metadata },
  });

function decided(pod: corev1.Pod, budgets: readonly string[] = []) {
  const plan = decidePod({ pod, budgets }, { nowMs, answer: () => undefined });
  const edit = actionsOf(plan).find(({ type }) => type === "edit");
  return {
    conditions: edit && (outcomeOf(plan).valueOf(edit) as corev1.Pod).status?.conditions,
    requeueAfterMs: plan.requeueAfterMs,
    events: actionsOf(plan).flatMap((action) =>
      action.type === "event" ? [`${action.eventType} ${action.reason}: ${action.message}`] : [],
    ),
  };
}

test("after two minutes the condition is reset, without its reason", () => {
  expect(decided(podWith(target(120))).conditions).toEqual([
    ready,
    { type: "DisruptionTarget", status: "False", lastTransitionTime: secondsAgo(0), observedGeneration: 4 },
  ]);
});

describe("the condition stays", () => {
  test.each([
    ["until then", podWith(target(100)), 20_000],
    ["of the kubelet, which takes its time", podWith(target(500, { reason: "TerminationByKubelet" })), undefined],
    ["that is False already", podWith(target(500, { status: "False" })), undefined],
    [
      "of a pod that is being deleted",
      podWith(target(500), { metadata: { deletionTimestamp: secondsAgo(1) } }),
      undefined,
    ],
    ["of a pod that has ended", podWith(target(500), { status: { phase: "Failed" } }), undefined],
    ["of a pod that has succeeded", podWith(target(500), { status: { phase: "Succeeded" } }), undefined],
    ["that is not there", podOf("a"), undefined],
  ])("%s", (_name, pod, requeueAfterMs) => {
    expect(decided(pod)).toEqual({ conditions: undefined, requeueAfterMs, events: [] });
  });
});

test("one without a time is as old as can be", () => {
  const { lastTransitionTime: _none, ...timeless } = target(0);
  expect(decided(podWith(timeless)).conditions?.[1]).toMatchObject({ status: "False" });
});

test("of a pod that several budgets select an event tells", () => {
  const event =
    'Warning MultiplePodDisruptionBudgets: Pod "shop"/"a" matches multiple PodDisruptionBudgets.  Chose "x" arbitrarily.';
  expect(decided(podOf("a"), ["x", "y"]).events).toEqual([event]);
  expect(decided(podWith(target(120)), ["x", "y"])).toMatchObject({
    events: [event],
    conditions: [{}, { status: "False" }],
  });
  expect(decided(podOf("a"), ["x"]).events).toEqual([]);
});

test("it looks at the pod, and at the budgets that select it", () => {
  const other = newBudget({ selector: { matchLabels: { app: "other" } } }, { name: "other" });
  const broken = newBudget({ selector: { matchExpressions: [{ key: "a", operator: "Like" }] } }, { name: "broken" });
  const snapshot = snapshotOf(
    [podDisruptionBudgets, [newBudget({}, { name: "y" }), newBudget({}, { name: "x" }), other, broken]],
    [pods, [podOf("a")]],
  );
  expect(observePod("shop/a", { snapshot, model: undefined, nowMs })?.budgets).toEqual(["x", "y"]);
  expect(observePod("shop/gone", { snapshot, model: undefined, nowMs })).toBeUndefined();
});
