import { controllerOf, type KubernetesObject, type metav1 } from "@kubeloop/core/api";
import {
  deployments,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
import { newBudget, nowMs, ownerOf, podOf, snapshotOf, widgets } from "./budget.fixture.ts";
import { observe } from "./observe.ts";

const controller = ownerOf(replicationControllers, "rc", 5);
const stateful = ownerOf(statefulSets, "db", 3);
const set = ownerOf(replicaSets, "rs", 7);
const deployment = ownerOf(deployments, "web", 4);
const ofDeployment = ownerOf(replicaSets, "web-1", 2, deployment);
const ofLost = ownerOf(replicaSets, "lost-1", 2, ownerOf(deployments, "lost", 9));
const ofOther = ownerOf(replicaSets, "other-1", 2, ownerOf(widgets, "other", 9));
const snapshot = snapshotOf(
  [podDisruptionBudgets, [newBudget({ minAvailable: 1 })]],
  [pods, [podOf("a"), podOf("b", { metadata: { labels: {} } })]],
  [replicationControllers, [controller]],
  [replicaSets, [set, ofDeployment, ofLost, ofOther]],
  [statefulSets, [stateful]],
  [deployments, [deployment]],
);
const seen = observe("shop/guard", { snapshot, model: undefined, nowMs });
const referenceTo = (owner: KubernetesObject, more: Partial<metav1.OwnerReference> = {}): metav1.OwnerReference => {
  const reference = controllerOf(podOf("x", { owner }));
  if (reference === undefined) throw new Error("no reference");
  return { ...reference, ...more };
};

test("a budget that is gone is nothing to look at", () => {
  expect(observe("shop/gone", { snapshot, model: undefined, nowMs })).toBeUndefined();
});
test("its pods are those that it selects", () => {
  expect(Array.isArray(seen?.pods) && seen.pods.map(({ metadata }) => metadata.name)).toEqual(["a"]);
});

describe("who controls a pod:", () => {
  test.each<[string, metav1.OwnerReference, KubernetesObject | undefined, number?]>([
    ["a ReplicationController", referenceTo(controller), controller, 5],
    ["a StatefulSet", referenceTo(stateful), stateful, 3],
    ["a ReplicaSet", referenceTo(set), set, 7],
    ["a ReplicaSet, by its old group", referenceTo(set, { apiVersion: "extensions/v1beta1" }), set, 7],
    ["the Deployment of a ReplicaSet", referenceTo(ofDeployment), deployment, 4],
    ["nobody, if the Deployment is not cached", referenceTo(ofLost), undefined],
    ["the ReplicaSet of something else", referenceTo(ofOther), ofOther, 2],
    ["nobody, if it was replaced", referenceTo(set, { uid: "before" }), undefined],
    ["nobody, if it is gone", referenceTo(set, { name: "gone" }), undefined],
    ["nobody, if only the kind is the same", referenceTo(controller, { apiVersion: "example.com/v1" }), undefined],
    ["nobody, if the kind is not cached", referenceTo(ownerOf(widgets, "w", 2)), undefined],
    ["a StatefulSet of another group is not", referenceTo(stateful, { apiVersion: "extensions/v1beta1" }), undefined],
  ])("%s", (_name, reference, owner, replicas) => {
    expect(seen?.findScaled(reference)).toEqual(owner && { uid: owner.metadata.uid, replicas });
  });
  test("which resource has its scale", () => {
    expect(seen?.resourceOf(referenceTo(ownerOf(widgets, "w", 2)))?.plural).toBe("widgets");
    expect(seen?.resourceOf({ apiVersion: "example.com/v1", kind: "Gadget", name: "g", uid: "g" })).toBeUndefined();
  });
});
