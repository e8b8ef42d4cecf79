import { setControllerReference } from "@kubeloop/core/api";
import { pods, replicaSets } from "@kubeloop/core/resources";
import { newDeployment, newPod, newReplicaSet, ownedBy, plainSnapshot, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { observe } from "./observe.ts";

const deployment = stored(newDeployment("shop/web"));
const set = stored(
  setControllerReference(
    newReplicaSet("shop/web-2", { spec: { selector: { matchLabels: { app: "web" } } } }),
    deployment,
  ),
);
const sibling = stored(setControllerReference(newReplicaSet("shop/web-1"), deployment));
const stranger = stored(newReplicaSet("shop/other"));
const own = stored(ownedBy(set, newPod("shop/own")));
const old = stored(ownedBy(sibling, newPod("shop/old")));
const foreign = stored(ownedBy(stranger, newPod("shop/foreign")));
const orphan = stored(newPod("shop/orphan", { metadata: { labels: { app: "web" } } }));
const unlike = stored(newPod("shop/unlike", { metadata: { labels: { app: "other" } } }));
const far = stored(newPod("bank/orphan", { metadata: { labels: { app: "web" } } }));
const snapshot = plainSnapshot([
  [replicaSets, [set, sibling, stranger]],
  [pods, [own, old, foreign, orphan, unlike, far]],
]);
const observed = (key: string) => observe(key, { snapshot, model: undefined, nowMs: 0 });

test("a key without a set is nothing to look at", () => expect(observed("shop/none")).toBeUndefined());

test("it sees the set, its own pods, and the orphans of its namespace with the label that it selects", () => {
  expect(observed("shop/web-2")).toMatchObject({ set, owned: [own], orphans: [orphan] });
});

test("related pods are those of all sets with the same controller", () => {
  expect(new Set(observed("shop/web-2")?.relatedPods())).toEqual(new Set([own, old]));
});

test("a set without controller has no related pods", () => {
  expect(observed("shop/other")?.relatedPods()).toEqual([]);
});
