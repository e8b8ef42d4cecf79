import type { appsv1 } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { describeDeployment } from "./deployment.ts";

const template = (image: string, labels: object = {}) => ({
  metadata: { labels: { app: "a", ...labels } },
  spec: { containers: [{ name: "c", image }] },
});
const deployment: appsv1.Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "n", uid: "u" },
  spec: { replicas: 2, selector: { matchLabels: { app: "a" } }, template: template("i:2") },
};
const set = (name: string, image: string, second: number, uid = "u"): appsv1.ReplicaSet => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    name,
    creationTimestamp: `2026-01-01T00:00:0${second}Z`,
    ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", uid, controller: true }],
  },
  spec: { replicas: 1, selector: {}, template: template(image, { "pod-template-hash": name }) },
  status: { replicas: 3 },
});

for (const [what, replicaSets, wanted] of [
  ["that could not be listed are not shown", undefined, []],
  ["of others do not count", [set("a", "i:2", 1, "other")], []],
  [
    "are told apart by their templates, the oldest first",
    [set("c", "i:1", 3), set("b", "i:2", 2), set("a", "i:0", 1)],
    [
      "OldReplicaSets:    a (3/1 replicas created), c (3/1 replicas created)",
      "NewReplicaSet:     b (3/1 replicas created)",
    ],
  ],
  [
    "of a new template are all old",
    [set("a", "i:1", 1)],
    ["OldReplicaSets:    a (3/1 replicas created)", "NewReplicaSet:     <none>"],
  ],
] as const) {
  test(`replica sets ${what}`, () => {
    const text = describeDeployment(deployment, { replicaSets, events: undefined }, 0);
    expect(text.split("\n").filter((line) => line.includes("ReplicaSet"))).toEqual(wanted);
  });
}
