import { describe, expect, test } from "vitest";
import { deployments, nodes, pods } from "../../api/generated/resources.ts";
import { controllerOf } from "../../api/index.ts";
import { newDeployment, newNode, newObject, newPod, newReplicaSet, ownedBy, stored } from "./index.ts";

describe("builders", () => {
  for (const [fact, built, expected] of [
    ["a key has namespace and name", newPod("shop/web").metadata, { namespace: "shop", name: "web" }],
    ["a name alone is in the namespace default", newPod("web").metadata, { namespace: "default", name: "web" }],
    ["what lives in no namespace has none", newNode("n1").metadata, { name: "n1" }],
    [
      "overrides are merged into what is there",
      newDeployment("shop/web", { spec: { replicas: 3 } }).spec,
      { ...newDeployment("shop/web").spec, replicas: 3 },
    ],
    [
      "lists are replaced",
      newPod("web", { spec: { containers: [{ name: "a" }, { name: "b" }] } }).spec.containers,
      [{ name: "a" }, { name: "b" }],
    ],
    ["undefined takes a field away", "replicas" in newDeployment("web", { spec: { replicas: undefined } }).spec, false],
    [
      "custom kinds have what every object has",
      newObject({ ...pods, group: "a.io", apiVersion: "a.io/v1", kind: "Foo" }, "shop/a"),
      { apiVersion: "a.io/v1", kind: "Foo", metadata: { namespace: "shop", name: "a" } },
    ],
    [
      "a workload selects the pods of its template",
      newReplicaSet("shop/web").spec?.template?.metadata?.labels,
      newReplicaSet("shop/web").spec?.selector.matchLabels,
    ],
  ] as const) {
    test(fact, () => expect(built).toEqual(expected));
  }

  test("they share nothing that a test could spoil", () => {
    const before = structuredClone(newPod("web"));
    newPod("web", { spec: { containers: [] }, metadata: { labels: { a: "b" } } });
    expect(newPod("web")).toEqual(before);
  });

  test("stored is as a server has it; different objects have different uids, the same one always the same", () => {
    const { metadata } = stored(newPod("shop/web"));
    expect(metadata).toMatchObject({ uid: "uid-pod-shop-web", resourceVersion: "1", generation: 1 });
    expect(stored(newPod("other/web")).metadata.uid).not.toBe(metadata.uid);
    expect(stored(newNode("web", { metadata: { uid: "mine" } })).metadata.uid).toBe("mine");
  });

  test("ownedBy sets the controller; one without a uid cannot be it", () => {
    const set = stored(newReplicaSet("shop/web"));
    expect(controllerOf(ownedBy(set, newPod("shop/web-1")))).toMatchObject({
      kind: "ReplicaSet",
      uid: set.metadata.uid,
    });
    expect(() => ownedBy(newReplicaSet("shop/web"), newPod("shop/web-1"))).toThrow("has no uid yet");
  });

  test("the least of a resource's own kind is typed as that kind", () => {
    expect([newObject(nodes, "n").kind, newObject(deployments, "shop/d").kind]).toEqual(["Node", "Deployment"]);
  });
});
