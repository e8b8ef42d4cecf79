import type { corev1 } from "@kubeloop/core/api";
import { pods, replicaSets, replicationControllers } from "@kubeloop/core/resources";
import {
  newDeployment,
  newObject,
  newPod,
  newReplicaSet,
  ownedBy,
  plainSnapshot,
  stored,
} from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { observe } from "./observe.ts";

const newController = (key: string): corev1.ReplicationController => newObject(replicationControllers, key);
const owner = stored(newDeployment("shop/web"));
const controller = stored(ownedBy(owner, { ...newController("shop/web-2"), spec: { selector: { app: "web" } } }));
const sibling = stored(ownedBy(owner, newController("shop/web-1")));
const stranger = stored(newController("shop/other"));
/** Of the same owner, but another kind. */
const cousin = stored(ownedBy(owner, newReplicaSet("shop/web-3")));
const own = stored(ownedBy(controller, newPod("shop/own")));
const old = stored(ownedBy(sibling, newPod("shop/old")));
const foreign = stored(ownedBy(stranger, newPod("shop/foreign")));
const cousins = stored(ownedBy(cousin, newPod("shop/cousins")));
const orphan = stored(newPod("shop/orphan", { metadata: { labels: { app: "web" } } }));
const unlike = stored(newPod("shop/unlike", { metadata: { labels: { app: "other" } } }));
const far = stored(newPod("bank/orphan", { metadata: { labels: { app: "web" } } }));
const snapshot = plainSnapshot([
  [replicationControllers, [controller, sibling, stranger]],
  [replicaSets, [cousin]],
  [pods, [own, old, foreign, cousins, orphan, unlike, far]],
]);
const observed = (key: string) => observe(key, { snapshot, model: undefined, nowMs: 0 });

test("a key without a ReplicationController is nothing to look at", () => {
  expect(observed("shop/none")).toBeUndefined();
  expect(observed("shop/web-3")).toBeUndefined();
});

test("it sees its own pods, and the orphans of its namespace with the label that it selects", () => {
  expect(observed("shop/web-2")).toMatchObject({ owned: [own], orphans: [orphan] });
  expect(observed("shop/web-2")?.set.metadata).toBe(controller.metadata);
});

test("related pods are those of all ReplicationControllers with the same controller", () => {
  expect(new Set(observed("shop/web-2")?.relatedPods())).toEqual(new Set([own, old]));
});

test("one without controller has no related pods", () => {
  expect(observed("shop/other")?.relatedPods()).toEqual([]);
});
