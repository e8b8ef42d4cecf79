import type { Container } from "@kubeloop/core/types/core/v1";
import { expect, test } from "vitest";
import { filterAlone, type NodeFacts, node, type PodFacts, pod, scoreAlone } from "../cluster.fixture.ts";
import { nodeResourcesBalancedAllocation } from "./node-resources-balanced-allocation.ts";
import { nodeResourcesFit } from "./node-resources-fit.ts";

const onNode = (facts: NodeFacts, pods: readonly PodFacts[] = []) => ({
  nodes: [node("n", facts)],
  pods: pods.map((each, index) => pod(`there-${index}`, { on: "n", ...each })),
});
const needs = (name: string, cpu: string, more: Partial<Container> = {}): Container => ({
  name,
  resources: { requests: { cpu } },
  ...more,
});
const sidecar = { restartPolicy: "Always" };

test.each<[string, PodFacts, ReturnType<typeof onNode>, string]>([
  ["what is exactly free fits", { requests: { cpu: "3" } }, onNode({}, [{ requests: { cpu: "1" } }]), "ok"],
  [
    "one milli more does not, and removing pods may help",
    { requests: { cpu: "3001m" } },
    onNode({}, [{ requests: { cpu: "1" } }]),
    "U Insufficient cpu",
  ],
  ["more than the node offers is unresolvable", { requests: { cpu: "4001m" } }, onNode({}), "UU Insufficient cpu"],
  [
    "one unresolvable resource makes the whole refusal so",
    { requests: { cpu: "4", memory: "9Gi" } },
    onNode({}, [{ requests: { cpu: "1" } }]),
    "UU Insufficient cpu, Insufficient memory",
  ],
  [
    "all that is short is named, in upstream's order",
    { requests: { "example.com/gpu": "1", "ephemeral-storage": "1", memory: "8Gi", cpu: "4" } },
    onNode({ allocatable: { pods: "1" } }, [{ requests: { cpu: "1", memory: "1" } }]),
    "UU Too many pods, Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage, Insufficient example.com/gpu",
  ],
  ["a node without an entry for pods takes none", {}, onNode({ allocatable: { pods: "0" } }), "U Too many pods"],
  [
    "a request of zero fits even where more is used than there is",
    { requests: { cpu: "0" } },
    onNode({}, [{ requests: { cpu: "5" } }]),
    "ok",
  ],
  ["a resource that nobody counts is ignored", { requests: { gadgets: "5" } as never }, onNode({}), "ok"],
  [
    "terminating pods still use the node",
    { requests: { cpu: "4" } },
    onNode({}, [{ requests: { cpu: "1" }, terminating: true }]),
    "U Insufficient cpu",
  ],
  [
    "init containers run one after the other: the largest counts",
    { spec: { containers: [needs("app", "1")], initContainers: [needs("a", "3"), needs("b", "4")] } },
    onNode({}),
    "ok",
  ],
  [
    "a sidecar runs beside what starts after it",
    { spec: { containers: [needs("app", "1")], initContainers: [needs("side", "1m", sidecar), needs("b", "4")] } },
    onNode({}),
    "UU Insufficient cpu",
  ],
  [
    "a sidecar does not run beside what ended before it",
    { spec: { containers: [needs("app", "1")], initContainers: [needs("b", "4"), needs("side", "1m", sidecar)] } },
    onNode({}),
    "ok",
  ],
  [
    "overhead comes on top",
    { spec: { containers: [needs("app", "4")], overhead: { cpu: "1m" } } },
    onNode({}),
    "UU Insufficient cpu",
  ],
  [
    "pod-level requests replace the sum of the containers",
    { spec: { containers: [needs("app", "9")], resources: { requests: { cpu: "4" } } } },
    onNode({}),
    "ok",
  ],
  [
    "of a pod on the node a resize in progress counts",
    { requests: { cpu: "3" } },
    onNode({}, [
      {
        requests: { cpu: "1" },
        status: { containerStatuses: [{ name: "app", resources: { requests: { cpu: "2" } } } as never] },
      },
    ]),
    "U Insufficient cpu",
  ],
  [
    "of a pod on the node a resize of pod-level requests counts, too",
    { requests: { cpu: "3" } },
    onNode({}, [
      { spec: { resources: { requests: { cpu: "1" } } }, status: { resources: { requests: { cpu: "2" } } } },
    ]),
    "U Insufficient cpu",
  ],
])("%s", (_, facts, cluster, expected) => {
  expect(filterAlone(nodeResourcesFit, pod("incoming", facts), cluster)).toEqual({ n: expected });
});

test.each<[string, PodFacts, ReturnType<typeof onNode>, number]>([
  ["an idle node scores the share that stays free", { requests: { cpu: "1", memory: "2Gi" } }, onNode({}), 75],
  [
    "cpu and memory count alike, each rounded down before the mean is",
    { requests: { cpu: "1", memory: "1Gi" } },
    onNode({}, [{ requests: { cpu: "1", memory: "1Gi" } }]),
    62,
  ],
  [
    "a container without requests counts with 100m and 200Mi",
    {},
    onNode({ allocatable: { cpu: "1", memory: "2000Mi" } }),
    90,
  ],
  [
    "of a pod that is to be placed the containers count, not pod-level requests, as upstream",
    { requests: { cpu: "1", memory: "2Gi" }, spec: { resources: { requests: { cpu: "4", memory: "8Gi" } } } },
    onNode({}),
    75,
  ],
  ["a request of zero stays zero", { requests: { cpu: "0", memory: "0" } }, onNode({}), 100],
  [
    "a pod on the node counts with the defaults, too",
    { requests: { cpu: "0", memory: "0" } },
    onNode({ allocatable: { cpu: "1", memory: "2000Mi" } }, [{}]),
    90,
  ],
  [
    "with pod-level requests, a pod on the node gets defaults only for what is not requested",
    { requests: { cpu: "0", memory: "0" } },
    onNode({ allocatable: { cpu: "1", memory: "2000Mi" } }, [{ spec: { resources: { requests: { cpu: "500m" } } } }]),
    70,
  ],
  [
    "a resource that the node does not have is left out",
    { requests: { memory: "4Gi" } },
    onNode({ allocatable: { cpu: "0" } }),
    50,
  ],
])("LeastAllocated: %s", (_, facts, cluster, expected) => {
  expect(scoreAlone(nodeResourcesFit, pod("incoming", facts), cluster)).toEqual({ n: expected });
});

test.each<[string, PodFacts, ReturnType<typeof onNode>, unknown]>([
  ["a pod without requests has no balance", {}, onNode({}), "skip"],
  ["equal shares before and after are 75", { requests: { cpu: "1", memory: "2Gi" } }, onNode({}), { n: 75 }],
  ["a pod that makes the node uneven scores less", { requests: { cpu: "4" } }, onNode({}), { n: 50 }],
  [
    "a pod that evens the node out scores more",
    { requests: { memory: "8Gi" } },
    onNode({}, [{ requests: { cpu: "4" } }]),
    { n: 100 },
  ],
  [
    "a node with one of the resources only is balanced",
    { requests: { cpu: "1" } },
    onNode({ allocatable: { memory: "0" } }),
    { n: 75 },
  ],
])("balanced allocation: %s", (_, facts, cluster, expected) => {
  expect(scoreAlone(nodeResourcesBalancedAllocation, pod("incoming", facts), cluster)).toEqual(expected);
});
