import { newStatusError, type policyv1 } from "@kubeloop/core/api";
import { actionsOf } from "@kubeloop/core/contract";
import { podDisruptionBudgets, pods } from "@kubeloop/core/resources";
import { finishDecision, outcomeOf } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newBudget, nowMs, podOf, secondsAgo, snapshotOf } from "./budget.fixture.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { report } from "./report.ts";

const context = { nowMs, answer: () => undefined };
const conditions = [
  {
    type: "DisruptionAllowed",
    status: "True",
    reason: "SufficientPods",
    message: "",
    observedGeneration: 2,
    lastTransitionTime: secondsAgo(99),
  },
];
const status = {
  currentHealthy: 4,
  desiredHealthy: 2,
  expectedPods: 4,
  disruptionsAllowed: 2,
  observedGeneration: 2,
  conditions,
};

/** The status that is written after this came of the first one; undefined if none is. */
function reported(budget: policyv1.PodDisruptionBudget, error?: Error): policyv1.PodDisruptionBudgetStatus | undefined {
  const snapshot = snapshotOf([podDisruptionBudgets, [budget]], [pods, [podOf("a")]]);
  const seen = observe("shop/guard", { snapshot, model: undefined, nowMs });
  if (seen === undefined) throw new Error("nothing observed");
  const decision = finishDecision(decide(seen, context));
  if (decision.kind === "ask") throw new Error("asks");
  const outcome = outcomeOf(decision, ({ type }) =>
    type === "edit" && error !== undefined ? { status: "failed", error } : undefined,
  );
  const after = report(seen, outcome, context);
  const [edit] = after === undefined ? [] : actionsOf(after);
  return after && edit && (outcomeOf(after).valueOf(edit) as policyv1.PodDisruptionBudget).status;
}

const failed = (message: string) => ({
  ...status,
  disruptionsAllowed: 0,
  conditions: [{ ...conditions[0], status: "False", reason: "SyncFailed", message, lastTransitionTime: secondsAgo(0) }],
});

test("a status that was written needs no more", () => {
  expect(reported(newBudget({ minAvailable: 1 }, { status }))).toBeUndefined();
});
test("where the status could not be written, nothing is allowed", () => {
  const error = new Error("etcd is away");
  expect(reported(newBudget({ minAvailable: 1 }, { status }), error)).toEqual(failed("etcd is away"));
});
test("a conflict is no failure: the budget is looked at again", () => {
  const conflict = newStatusError({ code: 409, reason: "Conflict", message: "changed" });
  expect(reported(newBudget({ minAvailable: 1 }, { status }), conflict)).toBeUndefined();
});
test("where nothing could be computed, nothing is allowed, and the counts stay", () => {
  const selector = { matchExpressions: [{ key: "a", operator: "Like", values: ["b"] }] };
  const after = reported(newBudget({ minAvailable: 1, selector }, { status }));
  expect(after).toMatchObject({
    currentHealthy: 4,
    desiredHealthy: 2,
    expectedPods: 4,
    disruptionsAllowed: 0,
    observedGeneration: 2,
  });
  expect(after?.conditions?.[0]).toMatchObject({
    status: "False",
    reason: "SyncFailed",
    message: expect.stringContaining("Like"),
  });
});
test("a budget that was never computed gets a status that allows nothing", () => {
  const selector = { matchExpressions: [{ key: "a", operator: "Like", values: ["b"] }] };
  const after = reported(newBudget({ minAvailable: 1, selector }));
  expect(after).toMatchObject({ currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, disruptionsAllowed: 0 });
  expect(after?.conditions).toHaveLength(1);
});
test("what says so already is not written again", () => {
  const selector = { matchExpressions: [{ key: "a", operator: "Like", values: ["b"] }] };
  const first = reported(newBudget({ minAvailable: 1, selector }, { status }));
  if (first === undefined) throw new Error("nothing written");
  expect(reported(newBudget({ minAvailable: 1, selector }, { status: first }))).toBeUndefined();
});
