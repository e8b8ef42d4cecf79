import type { Node, Pod } from "@kubeloop/core/types/core/v1";
import { expect, test } from "vitest";
import { node, pod } from "../cluster.fixture.ts";
import { incomingPodInfo } from "../snapshot/pod-info.ts";
import { type ClusterEvent, nodeEvents, podEvents } from "./cluster-event.ts";
import { isWorthRequeuing } from "./hints.ts";

const addNode = (after: Node): readonly ClusterEvent[] => [{ on: "node", change: "add", before: undefined, after }];
const removeNode = (before: Node): readonly ClusterEvent[] => [
  { on: "node", change: "delete", before, after: undefined },
];
const addPod = (after: Pod): readonly ClusterEvent[] => [{ on: "pod", change: "add", before: undefined, after }];
const removePod = (before: Pod): readonly ClusterEvent[] => [{ on: "pod", change: "delete", before, after: undefined }];
const taint = { key: "x", effect: "NoSchedule" };
const port = { container: { ports: [{ containerPort: 1, hostPort: 80 }] } };
const zoned = (zone: string) => node("n", { labels: { zone } });
const web = { app: "web" };
const terms = (kind: "podAffinity" | "podAntiAffinity") => ({
  spec: {
    affinity: {
      [kind]: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone", labelSelector: { matchLabels: web } }],
      },
    },
  },
});
const near = pod("waiting", terms("podAffinity"));
const far = pod("waiting", terms("podAntiAffinity"));
const spread = pod("waiting", {
  labels: web,
  spec: {
    topologySpreadConstraints: [
      { topologyKey: "zone", maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: web } },
    ],
  },
});
const small = pod("waiting", { requests: { cpu: "1" } });

type Fact = readonly [plugin: string, what: string, waiting: Pod, events: readonly ClusterEvent[], wakes: boolean];

const facts: readonly Fact[] = [
  [
    "SchedulingGates",
    "its own last gate removed",
    small,
    podEvents(pod("waiting", { spec: { schedulingGates: [{ name: "g" }] } }), small),
    true,
  ],
  ["NodeUnschedulable", "a new node", small, addNode(node("n")), true],
  ["NodeUnschedulable", "a new node that is cordoned", small, addNode(node("n", { unschedulable: true })), false],
  ["NodeUnschedulable", "a node uncordoned", small, nodeEvents(node("n", { unschedulable: true }), node("n")), true],
  [
    "NodeUnschedulable",
    "a node that was open gets a taint",
    small,
    nodeEvents(node("n"), node("n", { taints: [taint] })),
    false,
  ],
  ["NodeName", "a new node", small, addNode(node("n")), true],
  ["NodeName", "a label", small, nodeEvents(node("n"), zoned("a")), false],
  ["TaintToleration", "a taint that goes", small, nodeEvents(node("n", { taints: [taint] }), node("n")), true],
  ["TaintToleration", "a taint that comes", small, nodeEvents(node("n"), node("n", { taints: [taint] })), false],
  ["TaintToleration", "a new node with a taint", small, addNode(node("n", { taints: [taint] })), false],
  [
    "TaintToleration",
    "its own tolerations",
    pod("waiting"),
    podEvents(pod("waiting"), pod("waiting", { spec: { tolerations: [{ operator: "Exists" }] } })),
    true,
  ],
  [
    "NodeAffinity",
    "a label that now matches",
    pod("waiting", { spec: { nodeSelector: { zone: "a" } } }),
    nodeEvents(node("n"), zoned("a")),
    true,
  ],
  [
    "NodeAffinity",
    "a label that matched before",
    pod("waiting", { spec: { nodeSelector: { zone: "a" } } }),
    nodeEvents(zoned("a"), node("n", { labels: { zone: "a", other: "x" } })),
    false,
  ],
  [
    "NodeAffinity",
    "any taint, as upstream",
    pod("waiting", { spec: { nodeSelector: { zone: "a" } } }),
    nodeEvents(node("n"), node("n", { taints: [taint] })),
    true,
  ],
  ["NodePorts", "a pod with the port deleted", pod("waiting", port), removePod(pod("p", { on: "n", ...port })), true],
  ["NodePorts", "a pod without ports deleted", pod("waiting", port), removePod(pod("p", { on: "n" })), false],
  ["NodePorts", "a waiting pod with the port deleted", pod("waiting", port), removePod(pod("p", port)), false],
  ["NodeResourcesFit", "any placed pod deleted", small, removePod(pod("p", { on: "n" })), true],
  ["NodeResourcesFit", "a nominated pod deleted", small, removePod(pod("p", { nominatedNodeName: "n" })), true],
  ["NodeResourcesFit", "a waiting pod deleted", small, removePod(pod("p")), false],
  ["NodeResourcesFit", "a new node that is large enough", small, addNode(node("n")), true],
  [
    "NodeResourcesFit",
    "a new node that is too small",
    small,
    addNode(node("n", { allocatable: { cpu: "999m" } })),
    false,
  ],
  [
    "NodeResourcesFit",
    "a node with more cpu",
    small,
    nodeEvents(node("n", { allocatable: { cpu: "3" } }), node("n")),
    true,
  ],
  [
    "NodeResourcesFit",
    "a node with more memory, which it does not request",
    small,
    nodeEvents(node("n", { allocatable: { memory: "3" } }), node("n")),
    false,
  ],
  [
    "NodeResourcesFit",
    "a node that allows more pods",
    small,
    nodeEvents(node("n", { allocatable: { pods: "3" } }), node("n")),
    true,
  ],
  [
    "NodeResourcesFit",
    "a placed pod that requests less cpu",
    small,
    podEvents(pod("p", { on: "n", requests: { cpu: "2" } }), pod("p", { on: "n", requests: { cpu: "1" } })),
    true,
  ],
  [
    "NodeResourcesFit",
    "a placed pod that requests less memory",
    small,
    podEvents(pod("p", { on: "n", requests: { memory: "2" } }), pod("p", { on: "n", requests: { memory: "1" } })),
    false,
  ],
  ["NodeResourcesFit", "any taint, as upstream", small, nodeEvents(node("n"), node("n", { taints: [taint] })), true],
  [
    "NodeResourcesFit",
    "a condition",
    small,
    nodeEvents(node("n"), {
      ...node("n"),
      status: { ...node("n").status, conditions: [{ type: "Ready", status: "True" }] },
    } as Node),
    false,
  ],
  ["PodTopologySpread", "a matching pod placed", spread, addPod(pod("p", { on: "n", labels: web })), true],
  ["PodTopologySpread", "another pod placed", spread, addPod(pod("p", { on: "n" })), false],
  [
    "PodTopologySpread",
    "a matching pod of another namespace placed",
    spread,
    addPod(pod("p", { on: "n", labels: web, namespace: "other" })),
    false,
  ],
  [
    "PodTopologySpread",
    "a pod that begins to match",
    spread,
    podEvents(pod("p", { on: "n" }), pod("p", { on: "n", labels: web })),
    true,
  ],
  [
    "PodTopologySpread",
    "a pod that matches as before",
    spread,
    podEvents(pod("p", { on: "n", labels: web }), pod("p", { on: "n", labels: { ...web, x: "y" } })),
    false,
  ],
  ["PodTopologySpread", "a matching pod deleted", spread, removePod(pod("p", { on: "n", labels: web })), true],
  ["PodTopologySpread", "a node of a zone comes", spread, addNode(zoned("a")), true],
  ["PodTopologySpread", "a node without a zone comes", spread, addNode(node("n")), false],
  ["PodTopologySpread", "a node of a zone goes", spread, removeNode(zoned("a")), true],
  ["PodTopologySpread", "a node moves to another zone", spread, nodeEvents(zoned("a"), zoned("b")), true],
  [
    "PodTopologySpread",
    "a label that is no key",
    spread,
    nodeEvents(zoned("a"), node("n", { labels: { zone: "a", other: "x" } })),
    false,
  ],
  ["InterPodAffinity", "a pod it wants to be near is placed", near, addPod(pod("p", { on: "n", labels: web })), true],
  ["InterPodAffinity", "another pod is placed", near, addPod(pod("p", { on: "n" })), false],
  [
    "InterPodAffinity",
    "a pod begins to match",
    near,
    podEvents(pod("p", { on: "n" }), pod("p", { on: "n", labels: web })),
    true,
  ],
  ["InterPodAffinity", "a pod it avoids is deleted", far, removePod(pod("p", { on: "n", labels: web })), true],
  [
    "InterPodAffinity",
    "a pod it avoids does not match any more",
    far,
    podEvents(pod("p", { on: "n", labels: web }), pod("p", { on: "n" })),
    true,
  ],
  [
    "InterPodAffinity",
    "a pod that avoids it is deleted",
    pod("waiting", { labels: web }),
    removePod(pod("p", { on: "n", ...terms("podAntiAffinity") })),
    true,
  ],
  [
    "InterPodAffinity",
    "its own labels",
    far,
    podEvents(far, { ...far, metadata: { ...far.metadata, labels: web } }),
    true,
  ],
  ["InterPodAffinity", "a node with the key comes", near, addNode(zoned("a")), true],
  ["InterPodAffinity", "a node without the key comes", near, addNode(node("n")), false],
  ["InterPodAffinity", "any node comes, for anti-affinity", far, addNode(node("n")), true],
  ["InterPodAffinity", "a node loses the key, for anti-affinity", far, nodeEvents(zoned("a"), node("n")), true],
  ["InterPodAffinity", "a node loses the key, for affinity", near, nodeEvents(zoned("a"), node("n")), false],
  [
    "NodeDeclaredFeatures",
    "a node declares more",
    small,
    nodeEvents(node("n"), {
      ...node("n"),
      status: { ...node("n").status, declaredFeatures: ["RestartAllContainersOnContainerExits"] },
    } as Node),
    true,
  ],
  ["NodeDeclaredFeatures", "a node with another label", small, nodeEvents(node("n"), zoned("a")), false],
  ["NodeDeclaredFeatures", "a node comes", small, addNode(node("n")), true],
  [
    "NodeDeclaredFeatures",
    "the pod needs less",
    small,
    podEvents(pod("waiting", { spec: { hostNetwork: true, hostUsers: false } }), small),
    true,
  ],
  ["NodeDeclaredFeatures", "the pod needs as much as before", small, podEvents(small, small), false],
  ["ImageLocality", "anything, which is nothing to a plugin that only scores", small, addNode(node("n")), false],
];

test.each(facts)("%s: %s", (plugin, _, waiting, events, wakes) => {
  const podInfo = incomingPodInfo(waiting);
  expect(events.length).toBeGreaterThan(0);
  expect(events.some((event) => isWorthRequeuing(podInfo, new Set([plugin]), event))).toBe(wakes);
});

test("a timeout wakes everybody, and a pod that nobody refused is woken by anything", () => {
  const podInfo = incomingPodInfo(small);
  expect(isWorthRequeuing(podInfo, new Set(["NodeName"]), { on: "timeout" })).toBe(true);
  const [event] = removePod(pod("p"));
  expect(event !== undefined && isWorthRequeuing(podInfo, new Set(), event)).toBe(true);
});

test("an update of a node is one event for each thing that changed, uncordoning being a change of taints", () => {
  const before = node("n", { unschedulable: true, taints: [taint] });
  const after = node("n", { labels: { zone: "a" }, allocatable: { cpu: "9" } });
  expect(nodeEvents(before, after).map((event) => "change" in event && event.change)).toEqual([
    "taints",
    "allocatable",
    "labels",
    "taints",
  ]);
});
