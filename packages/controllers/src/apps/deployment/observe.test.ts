import { setControllerReference } from "@kubeloop/core/api";
import { deployments, pods, replicaSets } from "@kubeloop/core/resources";
import { newDeployment, newPod, newReplicaSet, ownedBy, plainSnapshot, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { observe } from "./observe.ts";

const deployment = stored(newDeployment("shop/web", { spec: { selector: { matchLabels: { app: "web" } } } }));
const own = stored(setControllerReference(newReplicaSet("shop/web-1"), deployment));
const foreign = stored(setControllerReference(newReplicaSet("shop/other-1"), stored(newDeployment("shop/other"))));
const orphan = stored(newReplicaSet("shop/orphan", { metadata: { labels: { app: "web" } } }));
const unlike = stored(newReplicaSet("shop/unlike", { metadata: { labels: { app: "other" } } }));
const far = stored(newReplicaSet("bank/orphan", { metadata: { labels: { app: "web" } } }));
const pod = stored(ownedBy(own, newPod("shop/p")));
const snapshot = plainSnapshot([
  [deployments, [deployment]],
  [replicaSets, [own, foreign, orphan, unlike, far]],
  [pods, [pod, stored(newPod("shop/q"))]],
]);
const observed = (key: string) => observe(key, { snapshot, model: undefined, nowMs: 0 });

test("a key without a deployment is nothing to look at", () => expect(observed("shop/none")).toBeUndefined());

test("it sees the deployment, its own sets, and the orphans of its namespace with the label that it selects", () => {
  expect(observed("shop/web")).toMatchObject({ deployment, owned: [own], orphans: [orphan] });
});

test("it finds the pods of a set, and a set by its name, whoever controls it", () => {
  expect(observed("shop/web")?.podsOf(own)).toEqual([pod]);
  expect(observed("shop/web")?.setNamed("other-1")).toBe(foreign);
  expect(observed("shop/web")?.setNamed("none")).toBeUndefined();
});
