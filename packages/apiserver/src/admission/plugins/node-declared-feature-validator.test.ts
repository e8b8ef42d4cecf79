import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { askPlugin, type Told } from "./admission.fixture.ts";
import { nodeDeclaredFeatureValidator } from "./node-declared-feature-validator.ts";

const node = (name: string, labels: Readonly<Record<string, string>>, status: corev1.NodeStatus = {}) => ({
  kind: "Node",
  apiVersion: "v1",
  metadata: { name, labels },
  status,
});
const features = ["InPlacePodVerticalScalingInitContainers"];
const stored = {
  nodes: [node("n", {}, { declaredFeatures: features }), node("plain", {})],
};
const pod = (spec: Partial<corev1.PodSpec>, metadata: object = {}) => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { namespace: "shop", name: "a", ...metadata },
  spec: { containers: [{ name: "c" }], ...spec },
});
const forbidden = (detail: string) => `pods "a" is forbidden: ${detail}`;

describe("a pod that is changed", () => {
  const cpu = (amount: string) => ({ requests: { cpu: amount } });
  const before = pod({ nodeName: "n", initContainers: [{ name: "i", resources: cpu("1") }] }, { generation: 1 });
  const changed = (spec: Partial<corev1.PodSpec>, generation = 2) => pod({ ...before.spec, ...spec }, { generation });
  const podLevel = "InPlacePodLevelResourcesVerticalScaling";
  const both = `${podLevel}, ${features[0]}`;
  const lacks = (what: string, name: string) =>
    forbidden(`pod update requires features ${what} which are not available on node "${name}"`);
  const grown = [{ name: "i", resources: cpu("2") }];
  test.each<[string, Told, string]>([
    ["needs what its node says it can do", { object: changed({ initContainers: grown }) }, ""],
    ["needs what its node does not say", { object: changed({ resources: cpu("2") }) }, lacks(podLevel, "n")],
    [
      "needs two things that its node does not say",
      { object: changed({ nodeName: "plain", resources: cpu("2"), initContainers: grown }) },
      lacks(both, "plain"),
    ],
    [
      "needs nothing for a sidecar",
      {
        object: changed({
          nodeName: "plain",
          initContainers: [{ name: "i", restartPolicy: "Always", resources: cpu("2") }],
        }),
        oldObject: changed({ initContainers: [{ name: "i", restartPolicy: "Always", resources: cpu("1") }] }, 1),
      },
      "",
    ],
    ["needs nothing", { object: changed({ nodeName: "plain" }) }, ""],
    ["is on no node", { object: changed({ nodeName: "", resources: cpu("2") }) }, ""],
    ["is not changed in its spec", { object: changed({ resources: cpu("2") }, 1) }, ""],
    ["is changed elsewhere", { subresource: "status", object: changed({ resources: cpu("2") }) }, ""],
    [
      "is on a node that is gone",
      { object: changed({ nodeName: "gone", resources: cpu("2") }) },
      forbidden('node "gone" not found'),
    ],
  ])("%s", async (_fact, told, expected) => {
    const given = { operation: "UPDATE", oldObject: before, stored, ...told } as const;
    expect((await askPlugin(nodeDeclaredFeatureValidator, given)).refusal).toBe(expected);
  });
});
