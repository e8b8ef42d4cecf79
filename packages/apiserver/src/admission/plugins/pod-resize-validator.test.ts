import { expect, test } from "vitest";
import { askPlugin } from "./admission.fixture.ts";
import { podResizeValidator } from "./pod-resize-validator.ts";

const pod = (cpu: string, memory: string, { generation = 2, nodeName = "n" } = {}) => ({
  kind: "Pod",
  metadata: { name: "a", generation },
  spec: { nodeName, containers: [{ name: "c", resources: { requests: { cpu, memory } } }] },
});
const node = (name: string, labels = {}) => ({
  kind: "Node",
  apiVersion: "v1",
  metadata: { name, labels },
  status: { allocatable: { cpu: "2", memory: "1Gi" } },
});
const stored = { nodes: [node("n"), node("windows", { "kubernetes.io/os": "windows" })] };
const forbidden = (why: string) => `pods "a" is forbidden: ${why}`;
const exceeded = (what: string) => forbidden(`node didn't have enough allocatable resources: ${what}`);

test.each([
  ["within what the node has", pod("2", "1Gi"), "resize", ""],
  ["beyond its processors", pod("2500m", "1Gi"), "resize", exceeded("cpu, requested: 2500, allocatable: 2000")],
  [
    "beyond all it has",
    pod("3", "2Gi"),
    "resize",
    exceeded("cpu, requested: 3000, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824"),
  ],
  ["to what it was", pod("3", "1Gi", { generation: 1 }), "resize", ""],
  ["before it has a node", pod("3", "1Gi", { nodeName: "" }), "resize", ""],
  ["on a node that is gone", pod("1", "1Gi", { nodeName: "gone" }), "resize", forbidden('node "gone" not found')],
  [
    "on another system",
    pod("1", "1Gi", { nodeName: "windows" }),
    "resize",
    forbidden('pod resize is only supported on linux nodes, node "windows" is "windows"'),
  ],
  ["by its status", pod("3", "1Gi"), "status", ""],
])("a pod is resized %s", async (_, object, subresource, refusal) => {
  const told = {
    operation: "UPDATE",
    subresource,
    object,
    oldObject: pod("1", "1Gi", { generation: 1 }),
    stored,
  } as const;
  expect((await askPlugin(podResizeValidator, told)).refusal).toBe(refusal);
});
