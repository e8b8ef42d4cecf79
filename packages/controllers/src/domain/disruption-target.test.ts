import { newPod, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { disruptionTarget } from "./disruption-target.ts";

const nowMs = Date.parse("2030-01-01T12:00:00Z");
const why = { reason: "DeletionByTest", message: "it is a test" };
const ready = { type: "Ready", status: "True" };
const pod = (status?: string) =>
  stored(
    newPod("shop/a", {
      status: { conditions: status === undefined ? [ready] : [{ type: "DisruptionTarget", status }, ready] },
    }),
  );
const condition = { type: "DisruptionTarget", status: "True", observedGeneration: 1, ...why };

test.each<[string, string | undefined, object]>([
  ["is new", undefined, { ...condition, lastTransitionTime: "2030-01-01T12:00:00Z" }],
  ["becomes true", "False", { ...condition, lastTransitionTime: "2030-01-01T12:00:00Z" }],
  ["is true already: its time stays", "True", condition],
])("the condition %s", (_fact, before, expected) => {
  const target = { type: "DisruptionTarget" };
  const order = before === undefined ? [{ type: "Ready" }, target] : [target, { type: "Ready" }];
  expect(disruptionTarget(pod(before), why, nowMs)).toEqual({
    "$setElementOrder/conditions": order,
    conditions: [expected],
  });
});

test("a pod without a generation has none observed", () => {
  expect(disruptionTarget(newPod("shop/a"), why, nowMs)).not.toHaveProperty("conditions.0.observedGeneration");
});
