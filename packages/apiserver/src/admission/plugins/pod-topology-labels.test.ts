import { expect, test } from "vitest";
import { askPlugin } from "./admission.fixture.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";

const zone = "topology.kubernetes.io/zone";
const region = "topology.kubernetes.io/region";
const labels = { [zone]: "z", [region]: "r", "kubernetes.io/hostname": "n" };
const stored = {
  nodes: [
    { kind: "Node", apiVersion: "v1", metadata: { name: "n", labels } },
    { kind: "Node", apiVersion: "v1", metadata: { name: "bare" } },
  ],
};
const pod = (nodeName: string, own?: object) => ({
  kind: "Pod",
  metadata: { name: "a", ...(own && { labels: own }) },
  spec: { nodeName },
});
const binding = (name: string, kind = "Node") => ({ kind: "Binding", metadata: { name: "a" }, target: { kind, name } });
const onBinding = { subresource: "binding" };

test.each([
  ["a binding", binding("n"), onBinding, { [zone]: "z", [region]: "r" }],
  ["a binding to a node without any", binding("bare"), onBinding, undefined],
  ["a binding to no node there is", binding("none"), onBinding, undefined],
  ["a binding to something else", binding("n", "Pod"), onBinding, undefined],
  [
    "a pod on a node, whatever it says itself",
    pod("n", { a: "b", [zone]: "x" }),
    {},
    { a: "b", [zone]: "z", [region]: "r" },
  ],
  ["a pod on none", pod(""), {}, undefined],
  ["an eviction", pod("n"), { subresource: "eviction" }, undefined],
])("%s", async (_, object, told, expected) => {
  const said = await askPlugin(podTopologyLabels, { object, stored, ...told });
  expect(said.object?.metadata.labels).toEqual(expected);
});
