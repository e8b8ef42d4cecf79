// The rules, for a ReplicationController that was converted to a ReplicaSet.
import type { appsv1, corev1 } from "@kubeloop/core/api";
import { actionsOf, editStatus, liveGet, plan, printAction } from "@kubeloop/core/contract";
import { replicationControllers } from "@kubeloop/core/resources";
import { newPod, newReplicaSet, outcomeOf, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { type CountedPods, newDecide } from "./decide.ts";
import type { ReplicaKind } from "./replica-kind.ts";
import { newReport } from "./report.ts";

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [] } };
// A conversion, like this one, is where the types of both kinds meet.
const set = {
  ...stored(newReplicaSet("shop/web", { spec: { replicas: 1, selector: { matchLabels: labels }, template } })),
  apiVersion: "v1",
  kind: "ReplicationController",
} as unknown as appsv1.ReplicaSet;
const orphan: corev1.Pod = stored(newPod("shop/o", { metadata: { labels }, status: { phase: "Running" } }));
const back = ({ status, ...rest }: appsv1.ReplicaSet): corev1.ReplicationController =>
  ({
    ...rest,
    spec: { replicas: 1, selector: labels, template },
    status: { replicas: 0, ...status },
  }) as unknown as corev1.ReplicationController;
const kind: ReplicaKind = {
  resource: replicationControllers,
  editStatus: (before, after) => editStatus(replicationControllers, back(before), back(after)),
};
const context = { nowMs: 0, answer: () => undefined };

test("asks for the object of that kind before an adoption", () => {
  const decide = newDecide({ kind, burst: 500, usesDeletionCost: true });
  const seen = { set, owned: [], orphans: [orphan], relatedPods: () => [] };
  expect(decide(seen, context)).toMatchObject({
    kind: "ask",
    questions: [liveGet(replicationControllers, "shop/web")],
  });
});

test("makes pods that are controlled by it", () => {
  const decide = newDecide({ kind, burst: 500, usesDeletionCost: true });
  const decision = decide({ set, owned: [], orphans: [], relatedPods: () => [] }, context);
  const [first] = decision.kind === "plan" ? actionsOf(decision) : [];
  expect(first).toMatchObject({
    type: "create",
    object: { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "ReplicationController", name: "web" }] } },
  });
});

test("writes the status of that kind", () => {
  const outcome = outcomeOf(plan<CountedPods>("done", [], { notes: { active: [orphan], terminating: [] } }));
  const seen = { set, owned: [], orphans: [], relatedPods: () => [] };
  const report = newReport({ kind, countsTerminating: false })(seen, outcome, context);
  expect(report === undefined ? [] : actionsOf(report).map(printAction)).toEqual([
    "edit replicationcontrollers/status shop/web",
  ]);
});
